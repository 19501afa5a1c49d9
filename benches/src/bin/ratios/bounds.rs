//! The bounds: each names what it measures, and what it measures it against in the same rounds.

use std::{fmt, fs, io, time::Duration};

use monoflake::{Generator, TscClock};
use monoflake_benches::{
    floors, ours, peers, plain,
    race::{Effort, Race, median},
    saturation::{Saturation, saturate},
};
use serde::Serialize;

/// One promise.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    what: &'static str,
    measured: f64,
    at_least: bool,
    bound: f64,
    unit: &'static str,
    pub(crate) ok: bool,
}

impl Row {
    fn at_most(what: &'static str, bound: f64, unit: &'static str, measured: f64) -> Self {
        Self { what, measured, at_least: false, bound, unit, ok: measured <= bound }
    }

    fn at_least(what: &'static str, bound: f64, unit: &'static str, measured: f64) -> Self {
        Self { what, measured, at_least: true, bound, unit, ok: measured >= bound }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, measured, at_least, bound, unit, ok } = self;
        let (sign, verdict) = (if *at_least { '≥' } else { '≤' }, if *ok { "ok" } else { "MISSED" });
        let digits = if unit.is_empty() || *unit == " bytes" { 0 } else { 2 };
        write!(
            f,
            "{what:<66} {:>10} {:>14}  {verdict}",
            format!("{measured:.digits$}{unit}"),
            format!("{sign} {bound}{unit}")
        )
    }
}

/// What a generator weighs, and that no thread runs behind the caller's back.
pub(crate) fn of_memory() -> io::Result<Vec<Row>> {
    let threads = || io::Result::Ok(fs::read_dir("/proc/self/task")?.count());
    let alone = threads()?;
    let tsc = ours::generator(ours::WIDE, TscClock::new);
    let id = tsc.next().is_ok();
    let with_tsc = threads()? - alone;
    let cached = ours::generator(ours::WIDE, ours::cached);
    let with_cached = threads()? - alone;
    drop(cached);
    let after = threads()? - alone;
    assert!(id, "a fresh generator makes an id");
    let row = |what, count| Row::at_most(what, 0.0, "", count);
    Ok(vec![
        Row::at_most("size of a generator with TscClock", 256.0, " bytes", count(size_of::<Generator<TscClock>>())),
        row("threads that TscClock starts", count(with_tsc)),
        Row::at_most("threads that CachedClock starts", 1.0, "", count(with_cached)),
        row("threads that CachedClock leaves when dropped", count(after)),
    ])
}

/// ns an id, against the floors and the others.
pub(crate) fn of_speed(effort: Effort) -> Vec<Row> {
    let mut rows = Vec::new();

    let race = Race::ns_per_id(effort, 1, &[ours::tsc(), floors::raw_counter()]);
    rows.push(Row::at_most("TscClock / raw counter, 1 thread", 1.05, "x", race.ratio(0, &[1])));

    let race = [ours::cached_clock(), floors::exchange(), peers::ferroid_yield(), peers::ferroid_spin()];
    let race = Race::ns_per_id(effort, 1, &race);
    rows.push(Row::at_most("CachedClock / load + compare_exchange, 1 thread", 1.3, "x", race.ratio(0, &[1])));
    rows.push(Row::at_most("CachedClock / ferroid at its best, 1 thread", 1.0, "x", race.ratio(0, &[2, 3])));

    let race = Race::ns_per_id(effort, 1, &[ours::reserve(), peers::snowflake_me_batch()]);
    rows.push(Row::at_most("try_reserve(1024) written out, an id", 0.7, " ns", race.median(0)));
    rows.push(Row::at_most("try_reserve(1024) / snowflake_me's batch", 1.0, "x", race.ratio(0, &[1])));

    let race = [ours::tsc(), floors::counter_and_exchange(), floors::counter_and_exchange_predicted()];
    let race = Race::ns_per_id(effort, 2, &race);
    rows.push(Row::at_most("TscClock / raw counter + compare_exchange, 2 threads", 1.1, "x", race.ratio(0, &[1, 2])));

    for (threads, inside, before) in [
        (1, "std Mutex, SystemTime inside / TscClock, 1 thread", "std Mutex, SystemTime before / TscClock, 1 thread"),
        (2, "std Mutex, SystemTime inside / TscClock, 2 threads", "std Mutex, SystemTime before / TscClock, 2 threads"),
    ] {
        let race = Race::ns_per_id(effort, threads, &[plain::std_inside(), ours::tsc(), plain::std_outside()]);
        rows.push(Row::at_least(inside, 3.0, "x", race.ratio(0, &[1])));
        rows.push(Row::at_least(before, 3.0, "x", race.ratio(2, &[1])));
    }
    rows
}

/// The tail of single calls, against the bare algorithm in the same loop.
pub(crate) fn of_tail(effort: Effort) -> Row {
    let race = [ours::tsc(), floors::counter_and_exchange(), floors::counter_and_exchange_predicted()];
    let race = Race::p999(effort, 2, Duration::from_micros(1), &race);
    let what = "p99.9, paced: TscClock / raw counter + compare_exchange, 2 threads";
    Row::at_most(what, 1.1, "x", race.ratio(0, &[1, 2]))
}

/// `next()` in the default layout, as fast as it gives.
pub(crate) fn of_saturation(effort: Effort) -> Vec<Row> {
    let contestant = ours::saturated(TscClock::new);
    let runs: Vec<Saturation> = (0..3).map(|_| saturate(&*contestant, effort.sample * 60)).collect();
    let of = |part: fn(&Saturation) -> f64| median(runs.iter().map(part).collect());
    vec![
        Row::at_least("next() at 41/10/12: share of 4,096,000 ids/s", 99.5, " %", of(|run| run.share_percent)),
        Row::at_most("next() at 41/10/12: CPU, of one core", 25.0, " %", of(|run| run.process_cpu_percent)),
    ]
}

fn count(count: usize) -> f64 {
    monoflake_benches::race::to_f64(count as u64)
}
