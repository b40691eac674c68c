//! Sizes as a static host would send them.
//!
//! Nothing here is served: the host compresses, this only measures (and packs the wasm of self-contained pages).

use std::io::Write;

use anyhow::{Context, Result};

/// `bytes` as gzip at its best level.
pub fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).context("cannot compress")?;
    encoder.finish().context("cannot compress")
}

/// The size of `bytes` as brotli at its best level.
pub fn brotli_size(bytes: &[u8]) -> Result<usize> {
    let mut packed = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    brotli::BrotliCompress(&mut &bytes[..], &mut packed, &parameters).context("cannot compress")?;
    Ok(packed.len())
}
