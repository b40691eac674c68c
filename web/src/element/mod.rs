//! The inside of `<logarium-widget>`: what `element.js` mounts in an open shadow root.
//!
//! Life cycle, messages and the crash card are in `element.js`; the picture is the app's. Reading order: [`options`],
//! [`host`], [`model`], [`handle`], [`view`].

pub mod handle;
pub mod host;
pub mod lesson;
pub mod model;
pub mod options;
pub mod settings;
pub mod view;
