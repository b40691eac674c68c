//! The lab's jobs: read, place, sort, write. Each runs in slices and stops when another one was started.
//!
//! Nothing is decided here: a job feeds `keylab` and puts what comes out into the lab.

use js_sys::{Array, Promise, Uint8Array};
use keylab::{Analysis, Export, ExportOptions, Order, Parsed, Parser, Plan, Progress, Selection, Settings};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::lab::{Lab, Outcome, Phase, Rows, Shared, Source, Step, View};
use crate::app::controls::save_blob;

/// How long the page may be busy at a time, so that a frame is never missed by much.
const SLICE_MS: f64 = 8.0;
/// The same in a tab that nobody sees: there browsers wake a page only once a second.
const HIDDEN_SLICE_MS: f64 = 400.0;
/// How often progress is shown.
const TELL_MS: f64 = 100.0;
/// How long a pause in typing is, before the keys are read.
const TYPING_MS: i32 = 200;
/// Bytes of a file that are asked for at a time.
const BLOCK_BYTES: f64 = 1_048_576.0;
/// Bytes that are parsed between two looks at the clock.
const PIECE_BYTES: usize = 8 << 10;
/// Keys that are placed, sorted or written between two looks at the clock.
const PIECE_KEYS: usize = 1_024;

/// The other job has taken over: whoever meets this ends without a trace.
struct Superseded;

/// The time that a job takes.
struct Slices {
    lab: Lab,
    job: u32,
    slice_began: f64,
    told: f64,
}

impl Slices {
    fn begin(lab: &Lab, step: Step) -> Self {
        let now = now();
        Self { lab: lab.clone(), job: lab.start_job(step), slice_began: now, told: now }
    }

    /// Lets the page breathe if this slice is used up.
    async fn breathe(&mut self, step: Step, progress: Progress) -> Result<(), Superseded> {
        if now() - self.slice_began < slice_ms() {
            return Ok(());
        }
        if now() - self.told >= TELL_MS {
            self.told = now();
            self.lab.edit(|view| view.phase = Phase::Working(step, progress));
        }
        sleep(0).await;
        self.slice_began = now();
        self.check()
    }

    /// Waits for something of the browser's; that time is not ours.
    async fn wait(&mut self, promise: Promise) -> Result<Result<JsValue, JsValue>, Superseded> {
        let result = JsFuture::from(promise).await;
        self.slice_began = now();
        self.check().map(|()| result)
    }

    fn check(&self) -> Result<(), Superseded> {
        if self.lab.is_current(self.job) { Ok(()) } else { Err(Superseded) }
    }
}

/// Reads the input, places its keys, and shows them.
pub fn read(lab: Lab, source: Source, input: u32) {
    let mut slices = Slices::begin(&lab, Step::Reading);
    let settings = lab.view().settings;
    spawn_local(async move {
        if matches!(source, Source::Typed(_)) {
            sleep(TYPING_MS).await;
            if slices.check().is_err() {
                return;
            }
        }
        match parse(&mut slices, &settings, &source).await {
            Ok(Ok(parsed)) => {
                // Settings may change while a file is read: the plan is the one in force when the reading ends.
                let settings = lab.view().settings;
                let _superseded = analyse(&lab, &mut slices, Shared::new(parsed), &settings, input).await;
            }
            Ok(Err(sentence)) => lab.fail(sentence),
            Err(Superseded) => {}
        }
    });
}

/// Places the keys that were read already.
pub fn place(lab: Lab, outcome: Shared<Outcome>) {
    let mut slices = Slices::begin(&lab, Step::Placing);
    spawn_local(async move {
        let mut settings = (*lab.view().settings).clone();
        settings.parse = outcome.parse.clone();
        let _superseded = analyse(&lab, &mut slices, outcome.parsed.clone(), &settings, outcome.input).await;
    });
}

/// Filters and sorts the table.
pub fn select(lab: Lab, outcome: Shared<Outcome>) {
    let mut slices = Slices::begin(&lab, Step::Sorting);
    spawn_local(async move {
        if let Ok(rows) = sort(&mut slices, &outcome).await {
            lab.end_job(|view| view.rows = Some(Shared::new(rows)));
        }
    });
}

/// Writes the rows of the table into a file that the browser saves.
pub fn export(lab: Lab, outcome: Shared<Outcome>, rows: Shared<Rows>, guard_formulas: bool) {
    let mut slices = Slices::begin(&lab, Step::Writing);
    spawn_local(async move {
        if let Ok(parts) = write(&mut slices, &outcome, &rows, guard_formulas).await {
            save_blob("keys.csv", "text/csv", &parts);
            lab.end_job(|_| {});
        }
    });
}

async fn parse(
    slices: &mut Slices,
    settings: &Settings,
    source: &Source,
) -> Result<Result<Parsed, String>, Superseded> {
    let mut parser = Parser::new(settings.parse.clone());
    let fed = match source {
        Source::Typed(text) => feed(slices, &mut parser, text.as_bytes(), text.len() as u64).await?,
        Source::Pasted(bytes) => feed(slices, &mut parser, bytes, bytes.len() as u64).await?,
        Source::File(file) => feed_file(slices, &mut parser, file).await?,
    };
    Ok(fed.and_then(|()| parser.finish().map_err(|error| error.to_string())))
}

async fn feed_file(
    slices: &mut Slices,
    parser: &mut Parser,
    file: &web_sys::File,
) -> Result<Result<(), String>, Superseded> {
    let size = file.size();
    let mut from = 0.0;
    while from < size {
        let until = size.min(from + BLOCK_BYTES);
        let Ok(block) = file.slice_with_f64_and_f64(from, until) else { return Ok(Err(unreadable())) };
        let Ok(buffer) = slices.wait(block.array_buffer()).await? else { return Ok(Err(unreadable())) };
        let bytes = Uint8Array::new(&buffer).to_vec();
        if let Err(sentence) = feed(slices, parser, &bytes, size as u64).await? {
            return Ok(Err(sentence));
        }
        from = until;
    }
    Ok(Ok(()))
}

fn unreadable() -> String {
    "The file could not be read: it may have been moved or changed. Choose it again.".to_owned()
}

async fn feed(
    slices: &mut Slices,
    parser: &mut Parser,
    bytes: &[u8],
    total: u64,
) -> Result<Result<(), String>, Superseded> {
    for piece in bytes.chunks(PIECE_BYTES) {
        if let Err(error) = parser.feed(piece) {
            return Ok(Err(error.to_string()));
        }
        let progress = Progress { done: parser.bytes_read(), total };
        slices.breathe(Step::Reading, progress).await?;
    }
    Ok(Ok(()))
}

async fn analyse(
    lab: &Lab,
    slices: &mut Slices,
    parsed: Shared<Parsed>,
    settings: &Settings,
    input: u32,
) -> Result<(), Superseded> {
    let plan = match Plan::new(&settings.clients, &settings.counts) {
        Ok(plan) => plan,
        Err(error) => {
            lab.fail(error.to_string());
            return Ok(());
        }
    };
    let mut analysis = Analysis::new(&parsed.keys, plan);
    loop {
        let progress = analysis.advance(&parsed.keys, PIECE_KEYS);
        if progress.is_done() {
            break;
        }
        slices.breathe(Step::Placing, progress).await?;
    }
    let outcome = Shared::new(Outcome { parsed, parse: settings.parse.clone(), input, report: analysis.finish() });
    forget_old_places(lab, &outcome);
    let rows = sort(slices, &outcome).await?;
    lab.end_job(|view| (view.outcome, view.rows) = (Some(outcome), Some(Shared::new(rows))));
    Ok(())
}

/// The table keeps its filter and order, except where they name a client and count of a plan that is gone.
fn forget_old_places(lab: &Lab, outcome: &Outcome) {
    let view = lab.view();
    if view.outcome.is_some_and(|before| before.report.plan() == outcome.report.plan()) {
        return;
    }
    lab.edit(|view| {
        view.filter.partition = None;
        if matches!(view.order, Order::Partition(_)) {
            view.order = Order::Input;
        }
    });
}

async fn sort(slices: &mut Slices, outcome: &Outcome) -> Result<Rows, Superseded> {
    loop {
        let View { filter, order, .. } = slices.lab.view();
        let mut selection = Selection::new(filter.clone(), order);
        loop {
            let progress = selection.advance(&outcome.parsed.keys, &outcome.report, PIECE_KEYS);
            if progress.is_done() {
                break;
            }
            slices.breathe(Step::Sorting, progress).await?;
        }
        // The reader may have asked for something else while the keys were placed and sorted.
        let view = slices.lab.view();
        if view.filter == filter && view.order == order {
            return Ok(selection.into_positions());
        }
    }
}

async fn write(
    slices: &mut Slices,
    outcome: &Outcome,
    rows: &[u32],
    guard_formulas: bool,
) -> Result<Array, Superseded> {
    const PART_BYTES: usize = 1 << 20;
    let export = Export::new(ExportOptions { encoding: outcome.parse.encoding, guard_formulas });
    let parts = Array::new();
    let mut bytes = Vec::with_capacity(PART_BYTES + (64 << 10));
    export.header(&outcome.report, &mut bytes);
    for (piece, positions) in rows.chunks(PIECE_KEYS / 4).enumerate() {
        for position in positions {
            export.row(&outcome.parsed.keys, &outcome.report, *position as usize, &mut bytes);
        }
        if bytes.len() >= PART_BYTES {
            parts.push(&part(&bytes));
            bytes.clear();
        }
        let done = (piece * PIECE_KEYS / 4 + positions.len()) as u64;
        slices.breathe(Step::Writing, Progress { done, total: rows.len() as u64 }).await?;
    }
    parts.push(&part(&bytes));
    Ok(parts)
}

/// A part of the file, handed to the browser at once: all of a large file at its end would stop the page.
fn part(bytes: &[u8]) -> JsValue {
    let bytes = Uint8Array::from(bytes);
    match web_sys::Blob::new_with_u8_array_sequence(&Array::of1(&bytes)) {
        Ok(blob) => blob.into(),
        Err(_) => bytes.into(),
    }
}

fn slice_ms() -> f64 {
    let hidden = web_sys::window().and_then(|window| window.document()).is_some_and(|document| document.hidden());
    if hidden { HIDDEN_SLICE_MS } else { SLICE_MS }
}

fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// Gives the browser a turn, and at least that many milliseconds.
async fn sleep(milliseconds: i32) {
    let promise = Promise::new(&mut |resolve, _| {
        if let Some(window) = web_sys::window() {
            // A timer can be refused only by a document that is being closed; then nobody waits either.
            let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(resolve.unchecked_ref(), milliseconds);
        }
    });
    let _ = JsFuture::from(promise).await;
}
