//! Share links on the page: whole addresses, and the last one kept for the case of a crash.
//!
//! What a link holds is `course`'s business.

use course::Settings;

use super::opening::Opened;
use super::router::{Location, Route};
use super::session::{Rate, Session, Subscription};

/// The whole address of a link.
pub fn absolute(link: &str) -> String {
    let hash = Location::new(Route::Shared(link.to_owned())).to_string();
    let href = web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default();
    format!("{}{hash}", href.split('#').next().unwrap_or_default())
}

/// Leaves a link on the page's root, where `main.js` finds it when this instance is gone.
pub fn keep(link: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(root) = document.and_then(|document| document.get_element_by_id("app")) {
        let hash = Location::new(Route::Shared(link.to_owned())).to_string();
        // The name is valid and the value is plain text.
        let _ = root.set_attribute("data-link", &hash);
    }
}

/// Keeps the link of a session up to date: every few seconds while it plays, at once when it stands.
pub fn follow(session: &Session, opened: &Opened, settings: &Settings) -> Subscription {
    let (watched, opened, settings) = (session.clone(), opened.clone(), settings.clone());
    session.listen(Rate::Speech, move |_| keep(&watched.read(|player| opened.link(player, &settings))))
}
