//! The address after the `#` as a page and its options, both ways.
//!
//! Hash routes work on any static host and below any path. Nothing here is rendered.

use std::fmt;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;

/// A page of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// The first screen.
    Home,
    /// The playground.
    Play,
    /// A lesson by its slug.
    Learn(String),
    /// The key lab.
    Keys,
    /// The assignment lab.
    Assign,
    /// The sizing lab.
    Size,
    /// The embed builder.
    Embed,
    /// What is modelled.
    Model,
    /// The glossary, at a term if one is named.
    Glossary(String),
    /// A share link.
    Shared(String),
    /// None of them: the address as it was asked for.
    Unknown(String),
}

/// A page and the options that its address carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The page.
    pub route: Route,
    /// Options in their order, decoded.
    pub query: Vec<(String, String)>,
}

impl Location {
    /// A page without options.
    pub fn new(route: Route) -> Location {
        Location { route, query: Vec::new() }
    }

    /// The same with one more option.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Location {
        self.query.push((name.to_owned(), value.into()));
        self
    }

    /// Reads `#/learn/key-bytes?partitions=6`; the `#` may be missing.
    ///
    /// ```
    /// use web::app::router::{Location, Route};
    /// let found = Location::parse("#/learn/key-bytes?partitions=6");
    /// assert_eq!(found.route, Route::Learn("key-bytes".to_owned()));
    /// assert_eq!(found.option("partitions"), Some("6"));
    /// assert_eq!(found.to_string(), "#/learn/key-bytes?partitions=6");
    /// ```
    pub fn parse(hash: &str) -> Location {
        let address = hash.trim_start_matches('#');
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let route = match parts.as_slice() {
            [] => Route::Home,
            ["play"] => Route::Play,
            ["learn", slug] => Route::Learn(decode(slug)),
            ["keys"] => Route::Keys,
            ["assign"] => Route::Assign,
            ["size"] => Route::Size,
            ["embed"] => Route::Embed,
            ["model"] => Route::Model,
            ["glossary"] => Route::Glossary(String::new()),
            ["glossary", term] => Route::Glossary(decode(term)),
            ["s", link] => Route::Shared(decode(link)),
            _ => Route::Unknown(decode(path)),
        };
        let query = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(name, value)| (decode(name), decode(value)))
            .collect();
        Location { route, query }
    }

    /// The value of an option.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Where the browser is now.
    pub fn current() -> Location {
        let hash = web_sys::window().and_then(|window| window.location().hash().ok());
        Location::parse(&hash.unwrap_or_default())
    }

    /// Goes there, with an entry in the browser's history.
    pub fn go(&self) {
        if let Some(window) = web_sys::window() {
            // Assigning a hash fails only in a document that is being closed.
            let _ = window.location().set_hash(&self.to_string());
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.route {
            Route::Home => write!(out, "#/")?,
            Route::Play => write!(out, "#/play")?,
            Route::Learn(slug) => write!(out, "#/learn/{}", encode(slug))?,
            Route::Keys => write!(out, "#/keys")?,
            Route::Assign => write!(out, "#/assign")?,
            Route::Size => write!(out, "#/size")?,
            Route::Embed => write!(out, "#/embed")?,
            Route::Model => write!(out, "#/model")?,
            Route::Glossary(term) if term.is_empty() => write!(out, "#/glossary")?,
            Route::Glossary(term) => write!(out, "#/glossary/{}", encode(term))?,
            Route::Shared(link) => write!(out, "#/s/{}", encode(link))?,
            Route::Unknown(path) => write!(out, "#{path}")?,
        }
        for (index, (name, value)) in self.query.iter().enumerate() {
            let separator = if index == 0 { '?' } else { '&' };
            write!(out, "{separator}{}={}", encode(name), encode(value))?;
        }
        Ok(())
    }
}

/// Tells `changed` about every new address until it is dropped.
pub struct Watch {
    listener: Closure<dyn FnMut()>,
}

impl Watch {
    /// Starts to watch.
    pub fn new(changed: impl Fn(Location) + 'static) -> Watch {
        let listener = Closure::new(move || changed(Location::current()));
        if let Some(window) = web_sys::window() {
            // Adding a listener cannot fail for a known event name.
            let _ = window.add_event_listener_with_callback("hashchange", listener.as_ref().unchecked_ref());
        }
        Watch { listener }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            let _ = window.remove_event_listener_with_callback("hashchange", self.listener.as_ref().unchecked_ref());
        }
    }
}

/// Percent-decodes; what is not a valid escape stays as it is.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(if bytes[at] == b'+' { b' ' } else { bytes[at] });
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Percent-encodes everything that has a meaning in an address.
fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b',' | b':' => {
                encoded.push(char::from(byte))
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::{Location, Route};

    fn check(hash: &str, route: Route, options: &[(&str, &str)]) {
        let found = Location::parse(hash);
        assert_eq!(found.route, route, "{hash}");
        let query: Vec<_> = found.query.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(query, options, "{hash}");
        assert_eq!(Location::parse(&found.to_string()), found, "{hash} comes back");
    }

    #[test]
    fn every_page_has_an_address() {
        check("", Route::Home, &[]);
        check("#/", Route::Home, &[]);
        check("#/play?s=1.abc", Route::Play, &[("s", "1.abc")]);
        check("#/learn/key-bytes", Route::Learn("key-bytes".into()), &[]);
        check(
            "#/keys?clients=java,librdkafka&partitions=6",
            Route::Keys,
            &[("clients", "java,librdkafka"), ("partitions", "6")],
        );
        check("#/assign?members=A,B::a", Route::Assign, &[("members", "A,B::a")]);
        check("#/embed", Route::Embed, &[]);
        check("#/model", Route::Model, &[]);
        check("#/glossary", Route::Glossary(String::new()), &[]);
        check("#/glossary/offset", Route::Glossary("offset".into()), &[]);
        check("#/s/AbC-_1", Route::Shared("AbC-_1".into()), &[]);
    }

    #[test]
    fn an_unknown_address_is_kept_for_the_reader() {
        check("#/learn", Route::Unknown("/learn".into()), &[]);
        check("#/nowhere/at/all", Route::Unknown("/nowhere/at/all".into()), &[]);
    }

    #[test]
    fn options_survive_odd_characters() {
        check("#/keys?key=a%26b%3Dc%20%C3%A9&bad=%zz", Route::Keys, &[("key", "a&b=c é"), ("bad", "%zz")]);
    }
}
