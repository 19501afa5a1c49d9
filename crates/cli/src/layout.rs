//! Names of layouts: the presets, and widths written as `T/N/S`.

use std::{fmt::Write, time::Duration};

use monoflake::{Layout, LayoutError};

use crate::args::{Scale, number};

const PRESETS: [(&str, Layout); 4] = [
    ("default", Layout::DEFAULT),
    ("twitter", Layout::TWITTER),
    ("discord", Layout::DISCORD),
    ("javascript", Layout::JAVASCRIPT),
];

pub(crate) fn parse(text: &str) -> Result<Layout, String> {
    named_or_widths("a layout", &PRESETS, text)
}

/// The layout with the epoch and tick that were asked for.
pub(crate) fn scaled(layout: Layout, scale: Scale) -> Result<Layout, LayoutError> {
    let layout = scale.epoch_ms.map_or(layout, |epoch_ms| layout.with_epoch_ms(epoch_ms));
    match scale.tick_ms {
        Some(tick_ms) => layout.with_tick(Duration::from_millis(tick_ms.get())),
        None => Ok(layout),
    }
}

/// What `text` names in a table; otherwise the layout whose widths it gives.
pub(crate) fn named_or_widths<T: Copy + From<Layout>>(
    what: &str,
    table: &[(&str, T)],
    text: &str,
) -> Result<T, String> {
    if let Some((_, named)) = table.iter().find(|(name, _)| *name == text) {
        return Ok(*named);
    }
    let Some([time, node, sequence]) = widths(text) else {
        let names = table.iter().fold(String::new(), |mut names, (name, _)| {
            let _ = write!(names, "{name}, ");
            names
        });
        return Err(format!("{what} is {names}or the bits of time, node and sequence written as 41/10/12"));
    };
    Layout::new(time, node, sequence).map(T::from).map_err(|error| error.to_string())
}

/// Exactly three canonical numbers.
fn widths(text: &str) -> Option<[u8; 3]> {
    let mut widths = text.split('/').map(|width| u8::try_from(number(width).ok()?).ok());
    let three = [widths.next()??, widths.next()??, widths.next()??];
    widths.next().is_none().then_some(three)
}
