//! The lab behind the page: the story, what is shown of it, and the way back.
//!
//! No markup here, and no arithmetic: that is `assignlab`.

use std::cell::RefCell;
use std::rc::Rc;

use assignlab::{Assignor, Change, Refused, SAMPLES, Settings, Story};
use yew::{AttrValue, Callback, MouseEvent};

use crate::app::router::{Location, Route};

/// How many edits can be taken back.
const UNDO_MAX: usize = 50;

/// All that the page shows, cheap to clone.
#[derive(Clone, PartialEq)]
pub struct View {
    /// The story, and what is shown of it.
    pub settings: Rc<Settings>,
    /// Whether an edit can be taken back.
    pub can_undo: bool,
    /// What was wrong with a link or an act.
    pub error: Option<AttrValue>,
}

struct Inner {
    view: View,
    past: Vec<Rc<Settings>>,
    changed: Callback<()>,
}

/// A handle to the lab.
#[derive(Clone)]
pub struct Lab(Rc<RefCell<Inner>>);

impl PartialEq for Lab {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Lab {
    /// The lab with its first sample.
    pub fn new() -> Self {
        let view = View { settings: Rc::new(Settings::default()), can_undo: false, error: None };
        Self(Rc::new(RefCell::new(Inner { view, past: Vec::new(), changed: Callback::noop() })))
    }

    /// Tells `changed` whenever the view changes; only the last listener is told.
    pub fn listen(&self, changed: Callback<()>) {
        self.0.borrow_mut().changed = changed;
    }

    /// What there is to see.
    pub fn view(&self) -> View {
        self.0.borrow().view.clone()
    }

    /// A callback for a button.
    pub fn doing(&self, act: impl Fn(&Self) + 'static) -> Callback<MouseEvent> {
        let lab = self.clone();
        Callback::from(move |_| act(&lab))
    }

    /// Takes the story of an address; without options the lab stays as it is.
    pub fn open(&self, location: &Location) {
        if location.query.is_empty() {
            return;
        }
        let fields = location.query.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        match Settings::from_fields(fields) {
            Ok(settings) => self.show(settings, true),
            Err(error) => self.refuse(error.to_string()),
        }
    }

    /// Begins with a sample.
    pub fn open_sample(&self, link: &str) {
        let settings = Settings::from_link(link).expect("a test holds the samples to be stories");
        self.show(settings, true);
        self.keep();
    }

    /// The sample whose story this is, whatever step is looked at.
    pub fn sample(&self) -> Option<usize> {
        let fields = self.view().settings.fields();
        let own: Vec<String> = fields.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        let own = own.iter().map(String::as_str).filter(|field| !field.starts_with("at=") && *field != "v=1");
        let is_own = |link: &str| link.split('&').filter(|field| !field.starts_with("at=")).eq(own.clone());
        SAMPLES.iter().position(|(_, link)| is_own(link))
    }

    /// Lets something happen.
    ///
    /// # Errors
    /// The sentence that Kafka or the lab refuses it with.
    pub fn act(&self, change: Change) -> Result<(), String> {
        self.edit(move |story| story.act(change))
    }

    /// Does something to the story that can be taken back.
    ///
    /// # Errors
    /// The sentence that Kafka or the lab refuses it with.
    pub fn edit(&self, edit: impl FnOnce(&mut Story) -> Result<(), Refused>) -> Result<(), String> {
        let mut settings = (*self.view().settings).clone();
        edit(&mut settings.story).map_err(|error| error.to_string())?;
        self.show(settings, true);
        self.keep();
        Ok(())
    }

    /// Takes the present group as the start of a new story.
    pub fn start_here(&self) {
        let mut settings = (*self.view().settings).clone();
        settings.story = settings.story.anew();
        self.show(settings, true);
        self.keep();
    }

    /// The same for a button, which has no room for an error beside it.
    pub fn try_act(&self, change: Change) {
        if let Err(sentence) = self.act(change) {
            self.refuse(sentence);
        }
    }

    /// Looks at another step.
    pub fn go(&self, at: usize) {
        self.look(|settings| settings.story.go(at));
    }

    /// Shows an assignor, or hides it.
    pub fn toggle(&self, assignor: Assignor) {
        self.look(|settings| {
            let is_shown = |other: &Assignor| settings.shown.contains(other) != (*other == assignor);
            settings.shown = Assignor::ALL.into_iter().filter(is_shown).collect();
        });
    }

    /// Draws partitions of one number together, or topic by topic.
    pub fn toggle_links(&self) {
        self.look(|settings| settings.has_links = !settings.has_links);
    }

    /// Takes back the last edit.
    pub fn undo(&self) {
        let past = self.0.borrow_mut().past.pop();
        if let Some(settings) = past {
            self.show((*settings).clone(), false);
            self.keep();
        }
    }

    /// The options of the address that shows this.
    pub fn location(&self) -> Location {
        let fields = self.view().settings.fields();
        fields.into_iter().fold(Location::new(Route::Assign), |location, (name, value)| location.with(name, value))
    }

    fn look(&self, look: impl FnOnce(&mut Settings)) {
        let mut settings = (*self.view().settings).clone();
        look(&mut settings);
        self.show(settings, false);
        self.keep();
    }

    fn show(&self, settings: Settings, is_edit: bool) {
        {
            let mut inner = self.0.borrow_mut();
            let before = std::mem::replace(&mut inner.view.settings, Rc::new(settings));
            if is_edit && before != inner.view.settings {
                inner.past.push(before);
                let surplus = inner.past.len().saturating_sub(UNDO_MAX);
                inner.past.drain(..surplus);
            }
            inner.view.can_undo = !inner.past.is_empty();
            inner.view.error = None;
        }
        self.tell();
    }

    fn refuse(&self, sentence: String) {
        self.0.borrow_mut().view.error = Some(sentence.into());
        self.tell();
    }

    fn tell(&self) {
        // The listener reads the view, so nothing may be borrowed meanwhile.
        let changed = self.0.borrow().changed.clone();
        changed.emit(());
    }

    /// Keeps the story in the address, without an entry in the history for each change.
    fn keep(&self) {
        if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
            let address = self.location().to_string();
            // A page opened from a file may not rewrite its address; the story stays on the page then.
            let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&address));
        }
    }
}
