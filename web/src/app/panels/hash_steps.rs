//! Every step of the hash of one key, as the partitioner's explanation lists them. Computes nothing.

use std::rc::Rc;

use engine::event::Decision as Placed;
use partitioner::{Decision, Explanation, Step, StepKind};
use yew::{Html, Properties, component, html};

use crate::app::session::{Rate, Session, use_session};

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct HashStepsProps {
    /// The session.
    pub session: Session,
}

/// The steps of the last record's hash, for each side.
#[component]
pub fn HashSteps(props: &HashStepsProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let sides = session.read(scene::Player::sides);
    let explanations: Vec<_> = (0..sides).filter_map(|side| last_explanation(session, side)).collect();
    html! {
        <section class="panel hash-steps" aria-label="Hash steps">
            <h2>{ "Hash, step by step" }</h2>
            if explanations.is_empty() {
                <p class="empty">{ "No key has been hashed yet. Step forward to the first record." }</p>
            }
            <div class="hash-tables">{ for explanations.iter().enumerate().map(|(side, explanation)| table(side, explanation)) }</div>
        </section>
    }
}

fn last_explanation(session: &Session, side: usize) -> Option<Rc<Explanation>> {
    let snapshot = session.snapshot(side);
    let lasts = snapshot.producers.iter().filter_map(|producer| producer.last.as_ref());
    let newest = lasts.max_by_key(|last| (last.record.timestamp, last.record.id))?;
    match &newest.decision {
        Placed::Hashed { explanation } => Some(Rc::clone(explanation)),
        _ => None,
    }
}

fn table(side: usize, explanation: &Explanation) -> Html {
    let Decision::Hashed(hashed) = &explanation.decision else {
        return html! { <p key={side}>{ explanation.sentence() }</p> };
    };
    html! {
        <div key={side} class="table-frame" tabindex="0" role="region" aria-label="Steps of the hash">
            <table class="table">
                <thead><tr><th scope="col">{ hashed.function.name() }</th><th scope="col">{ "Takes in" }</th><th scope="col" class="number">{ "State after it" }</th></tr></thead>
                <tbody>
                    { for hashed.steps.iter().enumerate().map(|(index, step)| step_row(index, step)) }
                    if hashed.steps_left_out > 0 {
                        <tr><td colspan="3">{ format!("{} more steps of a long key are not listed.", hashed.steps_left_out) }</td></tr>
                    }
                </tbody>
            </table>
            <p class="sentence">{ explanation.sentence() }</p>
        </div>
    }
}

fn step_row(index: usize, step: &Step) -> Html {
    let (name, takes_in) = match step.kind {
        StepKind::Start { seed, length } => ("start", format!("constant 0x{seed:08x}, length {length}")),
        StepKind::Word { offset, word, .. } => ("word", format!("bytes {offset} to {}: 0x{word:08x}", offset + 3)),
        StepKind::Byte { offset, byte } => ("byte", format!("byte {offset}: 0x{byte:02x}")),
        StepKind::Tail { offset, bits } => ("tail", format!("from byte {offset}: 0x{bits:x}")),
        StepKind::Finish => ("finish", "the last mixing".to_owned()),
    };
    html! {
        <tr key={index}>
            <td>{ name }</td><td class="mono">{ takes_in }</td><td class="number">{ format!("0x{:08x}", step.state) }</td>
        </tr>
    }
}
