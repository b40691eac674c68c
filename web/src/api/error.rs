//! Errors on their way to JavaScript: `Error` objects with `code`, `path` and `hint`.
//!
//! Kafka's own errors are not here: they are values inside outcomes and events.

use course::LinkError;
use course::read::Refused;
use engine::InputError;
use js_sys::{Error, Reflect};
use wasm_bindgen::JsValue;

/// The error object of wrong input. `logarium.js` turns it into a `LogariumError`.
pub fn to_js(error: &InputError) -> JsValue {
    let object = Error::new(&error.to_string());
    let fields = [("code", error.code), ("path", &error.path), ("hint", &error.hint)];
    for (name, text) in fields.into_iter().filter(|(_, text)| !text.is_empty()) {
        Reflect::set(&object, &name.into(), &text.into()).expect("an error object takes properties");
    }
    object.into()
}

/// What is wrong with a link, as an input error.
pub fn from_link(error: &LinkError) -> InputError {
    let path = match error {
        LinkError::Scenario { path, .. } => path.as_str(),
        _ => "",
    };
    InputError::new(error.code(), error.to_string()).at(path)
}

/// What is wrong with JSON that should have been a command.
pub fn from_command_json(refused: &Refused) -> InputError {
    // The line is left out: the caller never saw the text.
    let text = refused.message.as_str();
    let named = text.split('`').nth(1).unwrap_or_default();
    let known: Vec<&str> = text.split('`').skip(3).step_by(2).collect();
    let codes = [
        ("unknown variant", "command.unknown"),
        ("unknown field", "command.unknown_field"),
        ("missing field", "command.missing_field"),
    ];
    let code = codes.iter().find(|(start, _)| text.starts_with(start)).map_or("command.invalid", |(_, code)| code);
    let path = if code == "command.unknown" { "do" } else { named };
    let path = if code == "command.invalid" { "" } else { path };
    let hint = match code {
        "command.unknown" | "command.unknown_field" => format!("Known are {}.", known.join(", ")),
        _ => String::new(),
    };
    let sentence = match code {
        "command.unknown" => format!("There is no command \"{named}\"."),
        "command.unknown_field" => format!("This command has no field \"{named}\"."),
        "command.missing_field" => format!("This command needs the field \"{named}\"."),
        _ => format!("This is not a command: {text}."),
    };
    InputError::new(code, sentence).at(path).hint(hint)
}

#[cfg(test)]
mod tests {
    use engine::Command;

    use super::from_command_json;

    fn check(json: &str, code: &str, path: &str) {
        let refused = course::read::json::<Command>(json).expect_err(json);
        let error = from_command_json(&refused);
        assert_eq!((error.code, error.path.as_str()), (code, path), "{json}: {error}");
    }

    #[test]
    fn a_wrong_command_is_named_with_its_field() {
        check(r#"{"do":"explode"}"#, "command.unknown", "do");
        check(r#"{"do":"flush","producer":"p","colour":1}"#, "command.unknown_field", "colour");
        check(r#"{"do":"flush"}"#, "command.missing_field", "producer");
        check(r#"{"topic":"events"}"#, "command.missing_field", "do");
        check(r#"{"do":"create_partitions","topic":"events","partitions":"six"}"#, "command.invalid", "");
        check("7", "command.invalid", "");
    }
}
