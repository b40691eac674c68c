//! The stage: the picture of a running cluster with its time bar. Computes no picture: that is `scene`'s work.
