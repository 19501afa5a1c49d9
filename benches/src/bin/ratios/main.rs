//! Measures, in one run, what the library promises about its speed, and says ok or MISSED.
//!
//! A figure in nanoseconds is one machine's; a ratio to what the machine cannot do without is a property of the
//! code. Called by `ci/ratios.sh`; `--quick` sees that it runs and misses nothing, `--json FILE` writes
//! what was measured.

mod bounds;
mod figures;

use std::process::ExitCode;

use bounds::Row;
use figures::Figure;
use monoflake_benches::{
    lineup::{BATCHES, LINEUP},
    race::Effort,
    report::Options,
};
use serde::Serialize;

#[derive(Serialize)]
struct Data {
    bounds: Vec<Row>,
    figures: Vec<Figure>,
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let effort = if options.quick { Effort::QUICK } else { Effort::FULL };
    let mut rows = bounds::of_memory()?; // first: later there are others' threads
    figures::refuse_repeats(LINEUP.iter().chain(BATCHES))?;

    rows.extend(bounds::of_speed(effort));
    rows.push(bounds::of_tail(effort));
    rows.extend(bounds::of_saturation(effort));
    println!("\n{:<66} {:>10} {:>14}", "what", "measured", "bound");
    for row in &rows {
        println!("{row}");
    }

    let figures = figures::measure(effort);
    figures::print(&figures);

    let missed = rows.iter().filter(|row| !row.ok).count();
    options.write(Data { bounds: rows, figures })?;
    if missed > 0 {
        println!("\n{missed} missed");
    }
    Ok(if missed == 0 || options.quick { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
