//! "Did you mean": the nearest of the names that are allowed.
//!
//! Deliberately not here: sentences about what was wrong; those belong to the callers.
