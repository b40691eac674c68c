//! Keys and partitions for scripts: the catalogue of clients, one key, many keys, and the explanation.
//!
//! The arithmetic is the partitioner crate's; only names and shapes of the API are here.

use engine::InputError;
use js_sys::{Array, Int32Array, Object, Reflect, Uint8Array};
use partitioner::{Client, Decision, Explanation, HashValue, Hashed, Step, StepKind};
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::{error, value};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClientInfo {
    id: &'static str,
    name: &'static str,
    library: &'static str,
    language: &'static str,
    versions: &'static str,
    partitioner: &'static str,
    default: bool,
    keyed: &'static str,
    null_key: &'static str,
    empty_key: &'static str,
    note: &'static str,
    family: &'static str,
}

/// The catalogue.
#[wasm_bindgen]
pub fn api_clients() -> JsValue {
    let infos: Vec<ClientInfo> = partitioner::clients().iter().map(info).collect();
    value::to_js(&infos)
}

fn info(client: &Client) -> ClientInfo {
    ClientInfo {
        id: client.id,
        name: client.name,
        library: client.library,
        language: client.language,
        versions: client.versions,
        partitioner: client.partitioner,
        default: client.is_default,
        keyed: client.keyed,
        null_key: client.null_key,
        empty_key: client.empty_key,
        note: client.note,
        family: client.family,
    }
}

/// The partition that a client derives from a key; `undefined` if it does not derive it from the key.
#[wasm_bindgen]
pub fn api_partition(client: &str, key: Option<Vec<u8>>, partitions: u32) -> Result<Option<u32>, JsValue> {
    Ok(known(client)?.partition(key.as_deref(), partitions))
}

/// The partition of each key, -1 where there is none. `ends` are the ends of the keys inside `bytes`.
#[wasm_bindgen]
pub fn api_partition_many(client: &str, bytes: &[u8], ends: &[u32], partitions: u32) -> Result<Int32Array, JsValue> {
    let client = known(client)?;
    let mut start = 0;
    let keys: Vec<&[u8]> = ends
        .iter()
        .map(|end| {
            let key = &bytes[start..*end as usize];
            start = *end as usize;
            key
        })
        .collect();
    let mut out = Vec::new();
    client.partition_many(&keys, partitions, &mut out);
    Ok(Int32Array::from(out.as_slice()))
}

/// Why a key lands where it lands.
#[wasm_bindgen]
pub fn api_explain(client: &str, key: Option<Vec<u8>>, partitions: u32) -> Result<JsValue, JsValue> {
    let explanation = known(client)?.explain(key.as_deref(), partitions);
    let object = Object::new();
    for (name, field) in fields(&explanation) {
        Reflect::set(&object, &name.into(), &field).expect("a new object takes properties");
    }
    Ok(object.into())
}

fn fields(explanation: &Explanation) -> Vec<(&'static str, JsValue)> {
    let bytes = explanation.key.as_deref().map_or(JsValue::NULL, |key| Uint8Array::from(key).into());
    let mut fields = vec![
        ("client", explanation.client.into()),
        ("bytes", bytes),
        ("partitions", explanation.partitions.into()),
        ("modulo", explanation.partitions.into()),
        ("partition", explanation.partition().map_or(JsValue::NULL, JsValue::from)),
        ("sentence", explanation.sentence().into()),
    ];
    match &explanation.decision {
        Decision::Hashed(hashed) => fields.extend(hashed_fields(hashed)),
        Decision::NotHashed(why) => {
            let absent = ["function", "rawHash", "sign", "dividend", "remainder"];
            fields.extend(absent.map(|name| (name, JsValue::NULL)));
            fields.push(("steps", Array::new().into()));
            fields.push(("reason", why.reason().into()));
        }
    }
    fields
}

fn hashed_fields(hashed: &Hashed) -> [(&'static str, JsValue); 7] {
    // A word is a number as the client reads it; a digest of 160 bits stays hex.
    let raw = match hashed.value {
        HashValue::Word(bits) if hashed.sign.reads_signed() => (bits as i32).into(),
        HashValue::Word(bits) => bits.into(),
        HashValue::Digest(_) => hashed.raw.as_str().into(),
    };
    let number = |value: Option<i64>| value.map_or(JsValue::NULL, |value| JsValue::from_f64(value as f64));
    let steps: Vec<StepInfo> = hashed.steps.iter().map(step_info).collect();
    [
        ("function", hashed.function.name().into()),
        ("rawHash", raw),
        ("sign", hashed.sign.words().into()),
        ("dividend", number(hashed.dividend)),
        ("remainder", number(hashed.remainder)),
        ("steps", value::to_js(&steps)),
        ("reason", JsValue::NULL),
    ]
}

#[derive(Serialize)]
struct StepInfo {
    kind: &'static str,
    offset: usize,
    input: u32,
    state: u32,
}

fn step_info(step: &Step) -> StepInfo {
    let (kind, offset, input) = match step.kind {
        StepKind::Start { seed, .. } => ("start", 0, seed),
        StepKind::Word { offset, word, .. } => ("word", offset, word),
        StepKind::Byte { offset, byte } => ("byte", offset, u32::from(byte)),
        StepKind::Tail { offset, bits } => ("tail", offset, bits),
        StepKind::Finish => ("finish", 0, 0),
    };
    StepInfo { kind, offset, input, state: step.state }
}

fn known(id: &str) -> Result<&'static Client, JsValue> {
    partitioner::client(id).ok_or_else(|| error::to_js(&unknown_client(id)))
}

fn unknown_client(id: &str) -> InputError {
    let hint = course::suggest::hint(id, partitioner::clients().iter().map(|client| client.id));
    InputError::new("client.unknown", format!("There is no client \"{id}\".")).at("client").hint(hint)
}
