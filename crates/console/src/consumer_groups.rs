//! kafka-consumer-groups.sh: lists, describes, deletes and resets consumer groups.
//!
//! Follows `ConsumerGroupCommand` of 4.3.1. Errors of its work are told on standard output and do not change the
//! exit status.

mod arguments;
mod delete;
mod describe;
mod list;
mod members;
mod plan;
mod regex;
mod reset;
mod service;
mod when;

#[cfg(test)]
mod tests;

use engine::{Observer, Timeline};

use crate::exception::Exception;
use crate::stop::Stop;
use crate::{Input, Printed};
use arguments::Arguments;
pub(crate) use arguments::{OPTIONS, parser_error};
pub(crate) use members::shown;
pub(crate) use service::{Service, group, partition, unknown_topic};
pub(crate) use when::datetime;

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String], input: &Input) -> Printed {
    let mut printed = Printed::default();
    let arguments = match Arguments::read(words, &mut printed) {
        Ok(arguments) => arguments,
        // The parser's own objections are not caught by the tool.
        Err(stop) => {
            if let Some(exception) = stop.print(OPTIONS, &mut printed) {
                printed.stderr.push_str(&format!("Exception in thread \"main\" {}", exception.trace()));
            }
            return printed;
        }
    };
    match act(timeline, &arguments, input, &mut printed) {
        Ok(()) => {}
        Err(Stop::Failed(exception)) if exception.class == "java.lang.IllegalArgumentException" => {
            Stop::Usage(exception.text().to_string()).print(OPTIONS, &mut printed);
        }
        Err(Stop::Failed(exception)) => {
            let text = format!("Executing consumer group command failed due to {}", exception.text());
            print_error(&text, Some(&exception), &mut printed);
        }
        Err(stop) => drop(stop.print(OPTIONS, &mut printed)),
    }
    printed
}

fn act<O: Observer>(
    timeline: &mut Timeline<O>,
    arguments: &Arguments,
    input: &Input,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let options = &arguments.options;
    if arguments.action == "validate-regex" {
        return regex::validate(options.all("validate-regex"), printed);
    }
    let settings = arguments.settings()?;
    let mut service = Service::new(timeline, settings.timeout);
    match arguments.action {
        "list" => list::list(&mut service, options, printed),
        "describe" => describe::describe(&mut service, options, printed),
        "delete" => delete::groups(&mut service, options, printed),
        "delete-offsets" => delete::offsets(&mut service, options, printed),
        _ => reset::reset(&mut service, arguments, &settings, input, printed),
    }
}

/// `printError`: a line on standard output, and the trace on standard error.
fn print_error(text: &str, exception: Option<&Exception>, printed: &mut Printed) {
    printed.out(&format!("\nError: {text}\n"));
    if let Some(exception) = exception {
        printed.err(&exception.trace());
    }
}
