//! The lab behind the page: the input, the settings, what was found, and the one job that is running.
//!
//! Work is done in slices of a few milliseconds between which the page can paint and answer, so no worker is needed
//! and the single-file page works alike. No markup here, and no arithmetic: that is `keylab`.

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use keylab::{Filter, Order, ParseOptions, Parsed, Plan, Progress, Report, Settings};
use yew::{AttrValue, Callback};

use super::job;

/// A value that is equal only to itself, so that Yew never compares a million keys.
#[derive(Debug)]
pub struct Shared<T>(Rc<T>);

impl<T> Shared<T> {
    /// Shares a value.
    pub fn new(value: T) -> Self {
        Self(Rc::new(value))
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Where keys come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// What stands in the text field.
    Typed(AttrValue),
    /// A text that is too long for the field.
    Pasted(Rc<[u8]>),
    /// A file.
    File(web_sys::File),
}

/// What was found for the keys of an input.
#[derive(Debug)]
pub struct Outcome {
    /// The keys.
    pub parsed: Shared<Parsed>,
    /// How they were read.
    pub parse: ParseOptions,
    /// Which input they are from; each change of the input or of how it is read gives the next number.
    pub input: u32,
    /// Where they land.
    pub report: Report,
}

/// Positions of the keys that the table shows, in its order.
pub type Rows = Vec<u32>;

/// The parts of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Bytes into keys.
    Reading,
    /// Keys into partitions.
    Placing,
    /// Keys into the order of the table.
    Sorting,
    /// Rows into a file.
    Writing,
}

/// What the lab is doing.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// Nothing was put in yet.
    Empty,
    /// A job runs.
    Working(Step, Progress),
    /// Everything shown is up to date.
    Ready,
    /// The reader stopped a job; what is shown is from before.
    Cancelled(Step),
    /// The input or the settings cannot be worked with; what is shown is from before.
    Failed(String),
}

/// All that the page shows, cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Clients, counts and how to read.
    pub settings: Rc<Settings>,
    /// What stands in the text field.
    pub text: AttrValue,
    /// Name and size of an input that is not in the text field.
    pub input_name: Option<AttrValue>,
    /// What is going on.
    pub phase: Phase,
    /// What was found.
    pub outcome: Option<Shared<Outcome>>,
    /// What the table shows.
    pub rows: Option<Shared<Rows>>,
    /// The filter that the table has or is about to have.
    pub filter: Filter,
    /// The order that the table has or is about to have.
    pub order: Order,
}

/// A handle to the lab.
#[derive(Clone)]
pub struct Lab(Rc<Inner>);

struct Inner {
    view: RefCell<View>,
    source: RefCell<Option<Source>>,
    changed: RefCell<Callback<()>>,
    input: Cell<u32>,
    job: Cell<u32>,
    running: Cell<Option<Step>>,
}

impl PartialEq for Lab {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Longer texts are not put into the text field: browsers become slow with them.
pub const TYPED_BYTES_MAX: usize = 128 << 10;

/// What the sample button puts in.
pub fn sample() -> AttrValue {
    (1..=30).map(|number| format!("user-{number}\n")).collect::<String>().into()
}

impl Lab {
    /// An empty lab.
    pub fn new() -> Self {
        let view = View {
            settings: Rc::new(Settings::default()),
            text: AttrValue::default(),
            input_name: None,
            phase: Phase::Empty,
            outcome: None,
            rows: None,
            filter: Filter::default(),
            order: Order::default(),
        };
        Self(Rc::new(Inner {
            view: RefCell::new(view),
            source: RefCell::new(None),
            changed: RefCell::new(Callback::noop()),
            input: Cell::new(0),
            job: Cell::new(0),
            running: Cell::new(None),
        }))
    }

    /// Tells `changed` whenever the view changes; only the last listener is told.
    pub fn listen(&self, changed: Callback<()>) {
        *self.0.changed.borrow_mut() = changed;
    }

    /// What there is to see.
    pub fn view(&self) -> View {
        self.0.view.borrow().clone()
    }

    /// Takes settings from the text of a link, and the keys that it carries. A link that cannot be worked with changes
    /// nothing but the phase.
    pub fn open_link(&self, text: &str) {
        let checked = Settings::from_link(text).map_err(|error| error.to_string()).and_then(|settings| {
            Plan::new(&settings.clients, &settings.counts)
                .map_err(|error| format!("the link cannot be shown: {error}"))?;
            Ok(settings)
        });
        match checked {
            Ok(mut settings) => {
                let input = settings.input.take();
                self.edit(|view| view.settings = Rc::new(settings));
                match input {
                    Some(input) => self.put_text(&String::from_utf8_lossy(&input)),
                    None => self.replan(),
                }
            }
            Err(error) => self.fail(error),
        }
    }

    /// Replaces the input by a text; a long one is kept outside the text field.
    pub fn put_text(&self, text: &str) {
        if text.len() > TYPED_BYTES_MAX {
            let name = format!("Pasted text, {}", size_text(text.len() as f64));
            self.put(Source::Pasted(text.as_bytes().into()), AttrValue::default(), Some(name.into()));
        } else {
            let text = AttrValue::from(text.to_owned());
            self.put(Source::Typed(text.clone()), text, None);
        }
    }

    /// Replaces the input by a file.
    pub fn put_file(&self, file: web_sys::File) {
        let name = format!("{}, {}", file.name(), size_text(file.size()));
        self.put(Source::File(file), AttrValue::default(), Some(name.into()));
    }

    /// Takes the input away, and all that was found.
    pub fn clear(&self) {
        self.stop_job();
        *self.0.source.borrow_mut() = None;
        self.edit(|view| {
            view.text = AttrValue::default();
            view.input_name = None;
            (view.outcome, view.rows) = (None, None);
            view.phase = Phase::Empty;
        });
    }

    fn put(&self, source: Source, text: AttrValue, name: Option<AttrValue>) {
        if text.is_empty() && name.is_none() {
            return self.clear();
        }
        *self.0.source.borrow_mut() = Some(source);
        self.edit(|view| (view.text, view.input_name) = (text, name));
        self.renew_input();
    }

    /// Changes how the input is read, and reads it again.
    pub fn set_parse(&self, change: impl FnOnce(&mut ParseOptions)) {
        self.edit(|view| change(&mut Rc::make_mut(&mut view.settings).parse));
        self.renew_input();
    }

    fn renew_input(&self) {
        self.0.input.set(self.0.input.get() + 1);
        self.reread();
    }

    /// Changes clients and counts, and places the keys again. Settings that cannot be worked with change nothing.
    ///
    /// # Errors
    /// A sentence that says what cannot be.
    pub fn set_plan(&self, change: impl FnOnce(&mut Settings)) -> Result<(), String> {
        let mut settings = (*self.0.view.borrow().settings).clone();
        change(&mut settings);
        Plan::new(&settings.clients, &settings.counts).map_err(|error| error.to_string())?;
        settings.counts.sort_unstable();
        settings.counts.dedup();
        self.edit(|view| view.settings = Rc::new(settings));
        self.replan();
        Ok(())
    }

    /// Reads the input from its beginning.
    pub fn reread(&self) {
        let Some(source) = self.0.source.borrow().clone() else { return };
        job::read(self.clone(), source, self.0.input.get());
    }

    /// Places the keys that were read; if the input has changed since, it is read first.
    fn replan(&self) {
        let outcome = self.0.view.borrow().outcome.clone();
        match outcome.filter(|outcome| outcome.input == self.0.input.get()) {
            Some(outcome) => job::place(self.clone(), outcome),
            None => self.reread(),
        }
    }

    /// Filters and sorts the table: now, or at the end of the job that will replace its keys.
    pub fn select(&self, filter: Filter, order: Order) {
        self.edit(|view| (view.filter, view.order) = (filter, order));
        let outcome = self.0.view.borrow().outcome.clone();
        if let (Some(outcome), false) = (outcome, self.is_replacing()) {
            job::select(self.clone(), outcome);
        }
    }

    /// Writes the keys of the table into a file, unless they are about to be replaced.
    pub fn export(&self, guard_formulas: bool) {
        let (outcome, rows) = {
            let view = self.0.view.borrow();
            (view.outcome.clone(), view.rows.clone())
        };
        if let (Some(outcome), Some(rows), false) = (outcome, rows, self.is_replacing()) {
            job::export(self.clone(), outcome, rows, guard_formulas);
        }
    }

    fn is_replacing(&self) -> bool {
        matches!(self.0.running.get(), Some(Step::Reading | Step::Placing))
    }

    /// Stops what is running. What was found before stays.
    pub fn cancel(&self) {
        let phase = self.0.view.borrow().phase.clone();
        if let Phase::Working(step, _) = phase {
            self.stop_job();
            self.edit(|view| view.phase = Phase::Cancelled(step));
        }
    }

    /// Ends every job, when the page goes away.
    pub fn close(&self) {
        self.stop_job();
        self.listen(Callback::noop());
    }

    fn stop_job(&self) {
        self.0.running.set(None);
        self.0.job.set(self.0.job.get().wrapping_add(1));
    }

    /// Starts a job in place of the one that runs, and answers its number.
    pub(super) fn start_job(&self, step: Step) -> u32 {
        self.stop_job();
        self.0.running.set(Some(step));
        self.0.job.get()
    }

    /// Is this still the job to do?
    pub(super) fn is_current(&self, job: u32) -> bool {
        self.0.job.get() == job
    }

    pub(super) fn fail(&self, sentence: String) {
        self.stop_job();
        self.edit(|view| view.phase = Phase::Failed(sentence));
    }

    /// Ends the running job with a last change.
    pub(super) fn end_job(&self, change: impl FnOnce(&mut View)) {
        self.stop_job();
        self.edit(|view| {
            change(view);
            view.phase = Phase::Ready;
        });
    }

    /// Changes the view and tells the listener.
    pub(super) fn edit(&self, change: impl FnOnce(&mut View)) {
        change(&mut self.0.view.borrow_mut());
        let changed = self.0.changed.borrow().clone();
        changed.emit(());
    }
}

/// A size in bytes, for reading.
fn size_text(bytes: f64) -> String {
    match bytes {
        bytes if bytes >= 1_048_576.0 => format!("{:.1} MiB", bytes / 1_048_576.0),
        bytes if bytes >= 1_024.0 => format!("{:.0} KiB", bytes / 1_024.0),
        bytes => format!("{bytes:.0} bytes"),
    }
}
