//! How long a call takes that takes long: percentiles of single calls, one each microsecond and back to back, by
//! one thread and by two on one generator. The ceiling does not bind: it is the code's tail, not the layout's.

use std::time::Duration;

use monoflake_benches::{
    contestant::{histogram, time_calls_on},
    lineup::{Kind, TAILS},
    report::Options,
};
use serde::Serialize;

const QUANTILES: [(&str, f64); 5] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999)];

#[derive(Serialize)]
struct Line {
    pace: &'static str,
    threads: usize,
    kind: Kind,
    name: &'static str,
    percentiles_ns: Vec<(&'static str, u64)>,
    max_ns: u64,
}

#[derive(Serialize)]
struct Data {
    tail: Vec<Line>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let (rounds, calls) = if options.quick { (1, 1_000) } else { (10, 200_000) };
    let mut lines = Vec::new();
    for (pace, period) in [("paced", Duration::from_micros(1)), ("back to back", Duration::ZERO)] {
        for threads in [1, 2] {
            println!("\n{pace}, {threads} thread(s), ns a call, 25 ns of timing included");
            let some = measure(pace, period, threads, rounds, calls);
            some.iter().for_each(print);
            lines.extend(some);
        }
    }
    options.write(Data { tail: lines })?;
    Ok(())
}

/// All contestants in turn, round after round; one histogram each.
fn measure(pace: &'static str, period: Duration, threads: usize, rounds: usize, calls: u64) -> Vec<Line> {
    let contestants: Vec<_> = TAILS.iter().map(|entry| (entry.make)()).collect();
    let mut all = vec![histogram(); TAILS.len()];
    for contestant in &contestants {
        time_calls_on(&**contestant, threads, calls / 10, period); // warm-up
    }
    for _ in 0..rounds {
        for (contestant, ns) in contestants.iter().zip(&mut all) {
            ns.add(time_calls_on(&**contestant, threads, calls, period)).expect("both have the same bounds");
        }
    }
    TAILS
        .iter()
        .zip(all)
        .map(|(entry, ns)| Line {
            pace,
            threads,
            kind: entry.kind,
            name: entry.name,
            percentiles_ns: QUANTILES.iter().map(|&(name, q)| (name, ns.value_at_quantile(q))).collect(),
            max_ns: ns.max(),
        })
        .collect()
}

fn print(line: &Line) {
    print!("{:<32}", line.name);
    for (quantile, ns) in &line.percentiles_ns {
        print!(" {quantile} {ns:>7}");
    }
    println!(" max {:>9}", line.max_ns);
}
