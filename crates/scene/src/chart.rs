//! Small charts as display lists: bars and a matrix.
//!
//! They show numbers that others counted.

use std::rc::Rc;

use crate::display::DisplayList;

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Its name.
    pub name: Rc<str>,
    /// Its length.
    pub value: u64,
    /// What stands at its end; the value if empty.
    pub text: Rc<str>,
    /// Color of a key, or the accent.
    pub key: Option<u8>,
}

/// Horizontal bars with names at the left and numbers at the end.
pub fn bars(bars: &[Bar], width: f32) -> DisplayList { let _ = (bars, width); todo!() }

/// A square matrix of shares in percent, with names at both sides: `values[row][column]`.
pub fn matrix(names: &[Rc<str>], values: &[Vec<f32>], width: f32) -> DisplayList { let _ = (names, values, width); todo!() }
