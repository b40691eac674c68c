//! Panels beside and below a stage: log, inspector, code, describe. Each reads a snapshot and changes nothing.
