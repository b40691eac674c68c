//! Links the library into the module that the browser loads; every export lives in the library.
//!
//! Nothing is started here: pages and elements start what they need through the exports.

use web as _;

fn main() {}
