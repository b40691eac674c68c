//! The table of keys: only the rows in sight exist, however many keys there are.
//!
//! Deliberately not here: a copy of the keys. A row is made from its position when it is drawn.

use keylab::{Filter, Order, Place};
use partitioner::Decision;
use scene::Palette;
use web_sys::HtmlElement;
use yew::{
    Callback, Event, Html, KeyboardEvent, MouseEvent, NodeRef, Properties, classes, component, html, use_effect_with,
    use_node_ref, use_state_eq,
};

use super::lab::{Lab, Outcome, Rows, Shared};
use super::{filters, group};
use crate::app::panels::key_text_chip;
use crate::app::part::part;

/// Rows in sight. The style sheet gives the region room for them.
const ROWS: usize = 14;
/// Height of a row and of the two header rows, as in the style sheet.
const ROW_PX: f64 = 34.0;
const HEAD_PX: f64 = 64.0;
/// Browsers stop at some height; above this one the scroll bar moves more than a row per row.
const HEIGHT_PX_MAX: f64 = 8_000_000.0;
/// A key is cut in its cell after so many characters; its whole text is in the details.
const KEY_CHARACTERS: usize = 48;

/// What the table shows.
#[derive(Clone, PartialEq, Properties)]
pub struct TableProps {
    /// The lab.
    pub lab: Lab,
    /// Keys and placements.
    pub outcome: Shared<Outcome>,
    /// Which keys, in which order.
    pub rows: Shared<Rows>,
    /// The filter, which sorting keeps.
    pub filter: Filter,
    /// The order, for the marks in the header.
    pub order: Order,
}

/// The table and the details of one key.
#[component]
pub fn KeyTable(props: &TableProps) -> Html {
    let (region, spacer) = (use_node_ref(), use_node_ref());
    let first = use_state_eq(|| 0_usize);
    let chosen = use_state_eq(|| None::<u32>);
    let count = props.rows.len();
    let last_first = count.saturating_sub(ROWS);
    {
        let (region, spacer, first) = (region.clone(), spacer.clone(), first.clone());
        use_effect_with(props.rows.clone(), move |rows| {
            first.set(0);
            set_height(&spacer, (HEAD_PX + rows.len() as f64 * ROW_PX).min(HEIGHT_PX_MAX));
            scroll_to(&region, 0.0);
        });
    }
    {
        let chosen = chosen.clone();
        use_effect_with(props.outcome.parsed.clone(), move |_| chosen.set(None));
    }
    let onscroll = {
        let (region, first) = (region.clone(), first.clone());
        Callback::from(move |_: Event| first.set((scrolled(&region) * last_first as f64).round() as usize))
    };
    let shown = (*first).min(last_first);
    let onkeydown = {
        let region = region.clone();
        Callback::from(move |event: KeyboardEvent| {
            // Not the row of the last drawing: keys can come faster than drawings.
            let now = (scrolled(&region) * last_first as f64).round() as usize;
            if let Some(next) = moved(&event.key(), now, last_first) {
                event.prevent_default();
                event.stop_propagation();
                scroll_to(&region, next as f64 / last_first.max(1) as f64);
            }
        })
    };
    let choose = {
        let chosen = chosen.clone();
        Callback::from(move |key: u32| chosen.set(Some(key)))
    };
    let visible = &props.rows[shown..count.min(shown + ROWS)];
    let palette = Palette::default();
    html! {
        <>
            <div ref={region} class="keys-region" tabindex="0" role="region" aria-label="Keys and their partitions" {onscroll} {onkeydown}>
                <div ref={spacer} class="keys-spacer">
                    <table class="table keys-rows" aria-rowcount={(count + 2).to_string()}>
                        { head(props) }
                        <tbody>
                            { for visible.iter().enumerate().map(|(index, key)| row(props, &palette, shown + index, *key, &choose)) }
                        </tbody>
                    </table>
                </div>
            </div>
            if count == 0 {
                <p>{ "No key fits these filters." }</p>
            }
            if let Some(key) = *chosen {
                { part!(Details { lab: props.lab.clone(), outcome: props.outcome.clone(), position: key as usize }) }
            }
        </>
    }
}

/// Where a key of the keyboard leads.
fn moved(key: &str, first: usize, last: usize) -> Option<usize> {
    let next = match key {
        "ArrowDown" => first + 1,
        "ArrowUp" => first.saturating_sub(1),
        "PageDown" => first + ROWS,
        "PageUp" => first.saturating_sub(ROWS),
        "Home" => 0,
        "End" => last,
        _ => return None,
    };
    Some(next.min(last))
}

fn set_height(node: &NodeRef, pixels: f64) {
    if let Some(element) = node.cast::<HtmlElement>() {
        // The name and the value are valid.
        let _ = element.style().set_property("height", &format!("{pixels}px"));
    }
}

/// How far the region is scrolled, from 0 to 1.
fn scrolled(region: &NodeRef) -> f64 {
    region.cast::<HtmlElement>().map_or(0.0, |element| {
        let room = element.scroll_height() - element.client_height();
        if room > 0 { f64::from(element.scroll_top()) / f64::from(room) } else { 0.0 }
    })
}

fn scroll_to(region: &NodeRef, fraction: f64) {
    if let Some(element) = region.cast::<HtmlElement>() {
        let room = element.scroll_height() - element.client_height();
        element.set_scroll_top((f64::from(room) * fraction).round() as i32);
    }
}

fn head(props: &TableProps) -> Html {
    let plan = props.outcome.report.plan();
    let columns = plan.counts().len() + 1;
    html! {
        <thead>
            <tr>
                <th scope="col" rowspan="2" class="sticky" aria-sort={sorted(props.order == Order::Key, "ascending")}>{ sort(props, "Key", Order::Key) }</th>
                <th scope="col" rowspan="2" class="number" aria-sort={sorted(props.order == Order::Input, "ascending")}>{ sort(props, "Line", Order::Input) }</th>
                <th scope="col" rowspan="2" class="number" aria-sort={sorted(props.order == Order::Weight, "descending")}>{ sort(props, "Records", Order::Weight) }</th>
                { for plan.clients().iter().map(|client| html! { <th key={client.id} scope="colgroup" colspan={columns.to_string()} class="client">{ client.name }</th> }) }
                <th scope="col" rowspan="2">{ "Clients" }</th>
                <th scope="col" rowspan="2">{ "Growth" }</th>
            </tr>
            <tr>
                { for (0..plan.clients().len()).map(|client| html! {
                    <>
                        <th scope="col" class="number client">{ "Hash" }</th>
                        { for plan.counts().iter().enumerate().map(|(index, count)| {
                            let order = Order::Partition(Place { client, count: index });
                            html! { <th key={*count} scope="col" class="number" aria-sort={sorted(props.order == order, "ascending")}>{ sort(props, &format!("of {count}"), order) }</th> }
                        }) }
                    </>
                }) }
            </tr>
        </thead>
    }
}

fn sorted(is_order: bool, direction: &'static str) -> Option<&'static str> {
    is_order.then_some(direction)
}

fn sort(props: &TableProps, label: &str, order: Order) -> Html {
    let (lab, filter) = (props.lab.clone(), props.filter.clone());
    let onclick = Callback::from(move |_: MouseEvent| lab.select(filter.clone(), order));
    let mark = if props.order == order { if order == Order::Weight { " ↓" } else { " ↑" } } else { "" };
    html! { <button class="sort" title="Sort by this column" {onclick}>{ label }<span aria-hidden="true">{ mark }</span></button> }
}

fn row(props: &TableProps, palette: &Palette, index: usize, key: u32, choose: &Callback<u32>) -> Html {
    let Outcome { parsed, parse, report, .. } = &*props.outcome;
    let (keys, position) = (&parsed.keys, key as usize);
    let bytes = keys.key(position);
    let text = shortened(&parse.encoding.show(bytes));
    let onclick = choose.reform(move |_| key);
    let plan = report.plan();
    html! {
        <tr key={key} aria-rowindex={(index + 3).to_string()}>
            <th scope="row" class="sticky"><button class="key-button" title="How each client places this key" {onclick}>{ key_text_chip(palette, bytes, &text) }</button></th>
            <td class="number">{ keys.line(position) }</td>
            <td class="number">{ group(keys.weight(position)) }</td>
            { for plan.clients().iter().enumerate().map(|(client, entry)| html! {
                <>
                    <td class="number hash client">{ hash(entry, bytes, plan.counts()[0]) }</td>
                    { for (0..plan.counts().len()).map(|count| partition_cell(props, client, count, position)) }
                </>
            }) }
            <td>{ if report.disagrees(position, None) { "differ" } else { "agree" } }</td>
            <td>{ if report.key_moves(position, None) { "moves" } else { "stays" } }</td>
        </tr>
    }
}

/// A partition; marked where the key was elsewhere at the next smaller count.
fn partition_cell(props: &TableProps, client: usize, count: usize, key: usize) -> Html {
    let report = &props.outcome.report;
    let partition = report.partition(Place { client, count }, key);
    let before = count.checked_sub(1).and_then(|count| report.partition(Place { client, count }, key));
    let has_moved = before.is_some() && partition.is_some() && before != partition;
    html! {
        <td key={count} class={classes!("number", has_moved.then_some("moved"))} title={has_moved.then_some("Moved from the next smaller count")}>
            if has_moved { <span aria-hidden="true">{ "↷ " }</span> }
            { partition.map_or("–".to_owned(), |partition| partition.to_string()) }
        </td>
    }
}

fn hash(client: &partitioner::Client, key: &[u8], partitions: u32) -> String {
    match client.explain(Some(key), partitions).decision {
        Decision::Hashed(hashed) if hashed.raw.len() > 20 => format!("{}…", &hashed.raw[..12]),
        Decision::Hashed(hashed) => hashed.raw,
        Decision::NotHashed(_) => "–".to_owned(),
    }
}

/// The beginning of a long text, without line ends.
fn shortened(text: &str) -> String {
    let shown: String =
        text.chars().take(KEY_CHARACTERS).map(|letter| if letter.is_control() { '␣' } else { letter }).collect();
    if text.chars().nth(KEY_CHARACTERS).is_some() { shown + "…" } else { shown }
}

#[derive(Clone, PartialEq, Properties)]
struct DetailsProps {
    lab: Lab,
    outcome: Shared<Outcome>,
    position: usize,
}

/// How every client of the plan places one key, and a way to the keys that share each partition.
#[component]
fn Details(props: &DetailsProps) -> Html {
    let Outcome { parsed, parse, report, .. } = &*props.outcome;
    let position = props.position;
    let bytes = parsed.keys.key(position);
    let plan = report.plan();
    let item = |place: Place| {
        let (client, count) = (plan.clients()[place.client], plan.counts()[place.count]);
        let sentence = client.explain(Some(bytes), count).sentence();
        let share = report.partition(place, position).map(|partition| {
            let lab = props.lab.clone();
            let filter = Filter { partition: Some((place, partition)), ..Filter::default() };
            let onclick = Callback::from(move |_: MouseEvent| lab.select(filter.clone(), Order::Input));
            let others = report.loads(place)[partition as usize].keys;
            let label = format!(
                "Show the {} in {}",
                super::plural(others, "key"),
                filters::place_text(&props.outcome, place, partition)
            );
            html! { <button class="link" {onclick}>{ label }</button> }
        });
        html! { <li key={format!("{}-{}", place.client, place.count)}><b>{ client.name }</b><span>{ sentence }</span>{ for share }</li> }
    };
    html! {
        <section class="keys-details" aria-label="How clients place the chosen key" role="status">
            <h3 class="mono">{ parse.encoding.show(bytes) }</h3>
            <p class="mono bytes">{ spaced_hex(bytes) }</p>
            <ul>{ for plan.places().map(item) }</ul>
        </section>
    }
}

/// The first bytes of a key in hex.
fn spaced_hex(bytes: &[u8]) -> String {
    const SHOWN: usize = 64;
    let shown: Vec<_> = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    let rest = if bytes.len() > SHOWN { " …" } else { "" };
    if bytes.is_empty() { "0 bytes".to_owned() } else { shown.join(" ") + rest }
}

#[cfg(test)]
mod tests {
    use super::{ROWS, moved, shortened, spaced_hex};

    #[track_caller]
    fn check(key: &str, first: usize, last: usize, expected: Option<usize>) {
        assert_eq!(moved(key, first, last), expected, "{key} at {first} of {last}");
    }

    #[test]
    fn keys_of_the_keyboard_never_lead_out_of_the_table() {
        check("ArrowDown", 0, 10, Some(1));
        check("ArrowDown", 10, 10, Some(10));
        check("ArrowUp", 0, 10, Some(0));
        check("PageDown", 0, 1_000, Some(ROWS));
        check("PageDown", 995, 1_000, Some(1_000));
        check("End", 3, 1_000, Some(1_000));
        check("ArrowLeft", 3, 1_000, None);
    }

    #[test]
    fn long_and_odd_keys_are_shown_short() {
        assert_eq!(shortened("a\nb"), "a␣b");
        assert_eq!(shortened(&"é".repeat(60)).chars().count(), 49);
        assert_eq!((spaced_hex(b"ab").as_str(), spaced_hex(b"").as_str()), ("61 62", "0 bytes"));
    }
}
