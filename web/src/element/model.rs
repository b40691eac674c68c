//! What one widget shows and where it stands, shared by its view and by the page's calls.
//!
//! One owner of the session, which is replaced when a setting changes. Nothing is drawn here.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use course::{Panel, Settings};
use engine::order;
use engine::{Event, EventKind, InputError, Time};
use yew::{Callback, hook, use_effect_with, use_force_update};

use super::host::Host;
use super::options::Options;
use crate::api::simulation::Told;
use crate::app::opening::Opened;
use crate::app::session::{Rate, Session, Subscription};

/// Events that one frame may tell the page; at high speed the oldest are left out.
const EVENTS_TOLD: usize = 200;

/// A shared handle; two are equal if they are of the same widget.
#[derive(Clone)]
pub struct Model(Rc<Inner>);

struct Inner {
    host: Host,
    opened: Opened,
    options: RefCell<Options>,
    settings: RefCell<Settings>,
    session: RefCell<Session>,
    /// Panels that the lesson has open.
    panels: RefCell<BTreeSet<Panel>>,
    /// Raised when the session or the options are others.
    version: Cell<u32>,
    viewers: RefCell<BTreeMap<u32, Rc<dyn Fn()>>>,
    next_viewer: Cell<u32>,
    subscriptions: RefCell<Vec<Subscription>>,
}

impl PartialEq for Model {
    fn eq(&self, other: &Model) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Model(version {})", self.0.version.get())
    }
}

impl Model {
    /// A widget's model at its opening moment.
    pub fn new(host: Host, opened: Opened, options: Options) -> Result<Model, InputError> {
        let settings = opened.settings.clone();
        let session = opened.session(&settings, None)?;
        show_the_cluster(&session);
        let panels = opened.act().map(|act| order::set(act.panels.iter().copied())).unwrap_or_default();
        let model = Model(Rc::new(Inner {
            host,
            panels: RefCell::new(panels),
            opened,
            settings: RefCell::new(settings),
            session: RefCell::new(session),
            options: RefCell::new(options),
            version: Cell::new(0),
            viewers: RefCell::default(),
            next_viewer: Cell::new(0),
            subscriptions: RefCell::default(),
        }));
        model.follow();
        model.start();
        Ok(model)
    }

    /// The page's side.
    pub fn host(&self) -> &Host {
        &self.0.host
    }

    /// What was opened.
    pub fn opened(&self) -> &Opened {
        &self.0.opened
    }

    /// The session that is shown.
    pub fn session(&self) -> Session {
        self.0.session.borrow().clone()
    }

    /// The attributes in force.
    pub fn options(&self) -> Options {
        self.0.options.borrow().clone()
    }

    /// The settings in force.
    pub fn settings(&self) -> Settings {
        self.0.settings.borrow().clone()
    }

    /// Panels that the lesson has open.
    pub fn panels(&self) -> BTreeSet<Panel> {
        self.0.panels.borrow().clone()
    }

    /// Opens panels; those that are open stay.
    pub fn open_panels(&self, panels: &[Panel]) {
        self.0.panels.borrow_mut().extend(panels.iter().copied());
        self.tell();
    }

    /// Counts sessions and options.
    pub fn version(&self) -> u32 {
        self.0.version.get()
    }

    /// The share link of what is shown.
    pub fn link(&self) -> String {
        self.session().read(|player| self.0.opened.link(player, &self.0.settings.borrow()))
    }

    /// Lays other settings over the scenario and goes on at the same time; an error changes nothing.
    pub fn set_settings(&self, settings: Settings) -> Result<(), InputError> {
        let session = self.0.opened.session(&settings, Some(&self.session()))?;
        self.replace(session, settings);
        Ok(())
    }

    /// Lays other settings over the scenario and starts anew.
    pub fn restart(&self, settings: Settings) -> Result<(), InputError> {
        let session = self.0.opened.session(&settings, None)?;
        show_the_cluster(&session);
        self.replace(session, settings);
        Ok(())
    }

    /// Sets one by its name.
    pub fn set(&self, name: &str, value: &str) -> Result<(), InputError> {
        let mut settings = self.settings();
        settings.set(name, value)?;
        self.set_settings(settings)
    }

    /// Back to what was opened.
    pub fn reset(&self) -> Result<(), InputError> {
        self.restart(self.0.opened.settings.clone())?;
        self.start();
        Ok(())
    }

    /// The page changed its attributes, but not what is opened.
    pub fn set_options(&self, options: Options) -> Result<(), InputError> {
        let before = self.0.options.replace(options.clone());
        if before.settings != options.settings {
            self.set_settings(self.0.opened.settings.with(&options.settings))?;
        }
        let session = self.session();
        if let Some(time) = options.time.filter(|_| before.time != options.time) {
            session.apply(|player| player.seek(time));
        }
        if let Some(speed) = options.speed {
            session.apply(|player| player.set_speed(speed));
        }
        if options.autoplay && !before.autoplay {
            session.apply(|player| player.play());
        }
        self.changed();
        Ok(())
    }

    /// Leaves the frame loop; the widget is taken out of the page.
    pub fn close(&self) {
        self.0.subscriptions.borrow_mut().clear();
        self.0.viewers.borrow_mut().clear();
        self.session().close();
    }

    /// `tell` hears of another session or other options, until what it gets is dropped.
    pub fn watch(&self, tell: impl Fn() + 'static) -> Watch {
        let id = self.0.next_viewer.replace(self.0.next_viewer.get() + 1);
        self.0.viewers.borrow_mut().insert(id, Rc::new(tell));
        Watch { model: self.clone(), id }
    }

    fn start(&self) {
        let (session, options) = (self.session(), self.options());
        session.apply(|player| {
            if let Some(speed) = options.speed {
                player.set_speed(speed);
            }
            if options.autoplay {
                player.play();
            }
        });
    }

    fn replace(&self, session: Session, settings: Settings) {
        let before = self.0.session.replace(session);
        self.0.settings.replace(settings);
        before.close();
        self.follow();
        self.changed();
    }

    fn changed(&self) {
        self.0.version.set(self.0.version.get() + 1);
        self.tell();
    }

    /// Lets everybody look again.
    fn tell(&self) {
        let viewers: Vec<_> = self.0.viewers.borrow().values().cloned().collect();
        viewers.iter().for_each(|tell| tell());
    }

    /// Tells the page what happens, and keeps the link for the case of a crash.
    fn follow(&self) {
        let session = self.session();
        let last = Cell::new(newest(&session));
        let events = {
            let (host, session) = (self.0.host.clone(), session.clone());
            session.clone().listen(Rate::Frame, move |_| tell_events(&host, &session, &last))
        };
        let link = {
            let model = Rc::downgrade(&self.0);
            session.listen(Rate::Speech, move |_| {
                if let Some(inner) = model.upgrade() {
                    let model = Model(inner);
                    model.host().saved(&model.link());
                }
            })
        };
        self.0.subscriptions.replace(vec![events, link]);
        self.0.host.saved(&self.link());
    }
}

/// At the very start there is nothing to see: the first entry of a run brings brokers, topics and leaders, at 0.
fn show_the_cluster(session: &Session) {
    session.apply(|player| {
        let is_empty = player.now() == Time::ZERO && player.snapshot(0, 0).brokers.is_empty();
        let is_timed = player.timeline(0).peek().is_some_and(|next| next.time == Time::ZERO);
        if is_empty && is_timed {
            player.step();
        }
    });
}

/// The index of the last event so far.
fn newest(session: &Session) -> Option<u64> {
    session.recent_where(0, 1, &is_told).last().map(|event| event.index)
}

fn tell_events(host: &Host, session: &Session, last: &Cell<Option<u64>>) {
    let before = last.replace(newest(session));
    if last.get() <= before {
        return;
    }
    let events = session.recent_where(0, EVENTS_TOLD, &is_told);
    for event in events.iter().filter(|event| Some(event.index) > before) {
        host.emit("event", &Told::new(event));
    }
}

/// Fetches that bring nothing are the noise of every cluster.
fn is_told(event: &Event) -> bool {
    match &event.kind {
        EventKind::MessageSent { message } | EventKind::MessageArrived { message } => message.is_notable,
        _ => true,
    }
}

/// Ends watching when it is dropped.
pub struct Watch {
    model: Model,
    id: u32,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.model.0.viewers.borrow_mut().remove(&self.id);
    }
}

/// Renders the component again when the model has another session or other options; its version.
#[hook]
pub fn use_model(model: &Model) -> u32 {
    let update = use_force_update();
    use_effect_with(model.clone(), move |model| {
        let watch = model.watch(move || update.force_update());
        move || drop(watch)
    });
    model.version()
}

/// A callback that reports its error to the page.
pub fn reporting<T: 'static>(
    model: &Model,
    job: impl Fn(&Model, T) -> Result<(), InputError> + 'static,
) -> Callback<T> {
    let model = model.clone();
    Callback::from(move |value| {
        if let Err(error) = job(&model, value) {
            model.host().problem(&error, false);
        }
    })
}
