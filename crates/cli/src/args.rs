//! What the arguments of all verbs share: strict numbers, the options of scale, and errors in one line.

use std::{env, error::Error as _, num::NonZeroU64};

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// What an id's time field counts, where it differs from what its layout or format says.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Scale {
    /// Where time starts, in milliseconds since 1970 (UTC)
    #[arg(long, value_name = "MS", value_parser = number, allow_negative_numbers = true)]
    pub(crate) epoch_ms: Option<u64>,

    /// How long a tick, the unit of time, is in milliseconds
    #[arg(long, value_name = "MS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) tick_ms: Option<NonZeroU64>,
}

/// A number in canonical decimal, as ids are written: `+5`, `007` and `1e3` are more likely slips than wishes.
pub(crate) fn number(text: &str) -> Result<u64, String> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = digits && (text == "0" || !text.starts_with('0'));
    canonical
        .then(|| text.parse().ok())
        .flatten()
        .ok_or_else(|| format!("it must be a whole number from 0 to {}, in digits only", u64::MAX))
}

pub(crate) fn positive(text: &str) -> Result<NonZeroU64, String> {
    number(text)
        .ok()
        .and_then(NonZeroU64::new)
        .ok_or_else(|| format!("it must be a whole number from 1 to {}, in digits only", u64::MAX))
}

/// Somebody else's text, made fit for one line of an error: no control characters, and not too long.
pub(crate) fn shown(text: impl AsRef<[u8]>) -> String {
    const LONGEST: usize = 40;
    let text = text.as_ref();
    let (mut shown, longer): (String, _) = match str::from_utf8(text) {
        Ok(text) => {
            (text.chars().take(LONGEST).flat_map(char::escape_debug).collect(), text.chars().nth(LONGEST).is_some())
        }
        Err(_) => {
            (text.iter().take(LONGEST).map(|byte| byte.escape_ascii().to_string()).collect(), text.len() > LONGEST)
        }
    };
    if longer {
        shown.push_str("...");
    }
    shown
}

/// clap's error without its layout over many lines.
pub(crate) fn one_line(mut error: Error) -> String {
    if error.kind() == ErrorKind::InvalidUtf8 {
        return not_utf8();
    }
    // The usage is what `--help` is for; the suggestions repeat the argument as it came.
    error.insert(ContextKind::Usage, ContextValue::None);
    error.insert(ContextKind::Suggested, ContextValue::None);
    for kind in [ContextKind::InvalidArg, ContextKind::InvalidValue, ContextKind::InvalidSubcommand] {
        if let Some(ContextValue::String(text)) = error.get(kind) {
            let text = ContextValue::String(shown(text));
            error.insert(kind, text);
        }
    }
    let text = error.render().to_string();
    let text = text.trim_start_matches("error: ");
    let (what, help) = text.rsplit_once("For more information, ").unwrap_or((text, ""));
    // What our own parsers say of a value names what would be right.
    let help = if error.source().is_some() { "" } else { help };
    let parts = what.split("\n\n").chain([help]).map(|part| {
        let lines: Vec<_> = part.lines().map(str::trim).collect();
        lines.join(" ").trim_end_matches('.').to_owned()
    });
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

fn not_utf8() -> String {
    let argument = env::args_os().find(|argument| argument.to_str().is_none()).unwrap_or_default();
    format!("the argument '{}' is not UTF-8 text; try --help", shown(argument.as_encoded_bytes()))
}
