//! The figures: every contestant's ns an id, with one thread and with two.

use monoflake_benches::{
    lineup::{BATCHES, Entry, Kind, LINEUP},
    race::{Effort, Race},
};
use serde::Serialize;

/// One contestant, so many threads.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Figure {
    what: &'static str,
    kind: Kind,
    name: &'static str,
    threads: usize,
    median_ns: f64,
    least_ns: f64,
    most_ns: f64,
}

/// A figure of something that is no generator is worth nothing.
pub(crate) fn refuse_repeats<'a>(entries: impl Iterator<Item = &'a Entry>) -> Result<(), String> {
    for entry in entries.filter(|entry| entry.kind != Kind::Floor) {
        let repeats = (entry.make)().repeats(2_000);
        if repeats > 0 {
            return Err(format!("{} made {repeats} ids twice: its figure would mean nothing", entry.name));
        }
    }
    Ok(())
}

/// All of them.
pub(crate) fn measure(effort: Effort) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (what, lineup) in [("one at a time", LINEUP), ("batch of 1024", BATCHES)] {
        for threads in [1, 2] {
            let contestants: Vec<_> = lineup.iter().map(|entry| (entry.make)()).collect();
            let race = Race::ns_per_id(effort, threads, &contestants);
            figures.extend(lineup.iter().enumerate().map(|(i, &Entry { kind, name, .. })| {
                let (least_ns, most_ns) = race.range(i);
                Figure { what, kind, name, threads, median_ns: race.median(i), least_ns, most_ns }
            }));
        }
    }
    figures
}

/// A line each: 1 thread, 2 threads, and the ranges.
pub(crate) fn print(figures: &[Figure]) {
    println!("\n{:<48} {:>26} {:>26}", "ns an id: median (least to most)", "1 thread", "2 threads");
    for one in figures.iter().filter(|figure| figure.threads == 1) {
        let two =
            figures.iter().find(|two| (two.what, two.kind, two.name, two.threads) == (one.what, one.kind, one.name, 2));
        let cell =
            |figure: &Figure| format!("{:.2} ({:.2} to {:.2})", figure.median_ns, figure.least_ns, figure.most_ns);
        let name = format!("{}: {}, {}", one.what, one.kind.name(), one.name);
        println!("{name:<48} {:>26} {:>26}", cell(one), two.map(cell).unwrap_or_default());
    }
}
