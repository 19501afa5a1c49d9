//! At the ceiling of 12 bits a millisecond: which share of it is reached, what CPU time that burns, and how long
//! a call takes that has to wait.

use std::time::Duration;

use monoflake_benches::{
    contestant::time_calls_on,
    lineup::{AT_THE_CEILING, Kind},
    report::Options,
    saturation::{Saturation, saturate},
};
use serde::Serialize;

#[derive(Serialize)]
struct Line {
    kind: Kind,
    name: &'static str,
    #[serde(flatten)]
    saturation: Saturation,
    p50_ns: u64,
    p999_ns: u64,
    max_ns: u64,
}

#[derive(Serialize)]
struct Data {
    saturation: Vec<Line>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let time = Duration::from_millis(if options.quick { 20 } else { 3_000 });
    println!("one thread asks for 4,096,000 ids/s and more; times of a call include 25 ns of timing");
    println!(
        "{:<22} {:>9} {:>10} {:>10} {:>8} {:>9} {:>11}",
        "", "share %", "thread %", "process %", "p50 ns", "p99.9 ns", "max ns"
    );
    let mut lines = Vec::new();
    for entry in AT_THE_CEILING {
        let contestant = (entry.make)();
        let saturation = saturate(&*contestant, time);
        let calls = 4096 * u64::try_from(time.as_millis())?;
        let ns = time_calls_on(&*contestant, 1, calls, Duration::ZERO);
        let line = Line {
            kind: entry.kind,
            name: entry.name,
            saturation,
            p50_ns: ns.value_at_quantile(0.5),
            p999_ns: ns.value_at_quantile(0.999),
            max_ns: ns.max(),
        };
        println!(
            "{:<22} {:>9.2} {:>10.1} {:>10.1} {:>8} {:>9} {:>11}",
            line.name,
            saturation.share_percent,
            saturation.thread_cpu_percent,
            saturation.process_cpu_percent,
            line.p50_ns,
            line.p999_ns,
            line.max_ns
        );
        lines.push(line);
    }
    options.write(Data { saturation: lines })?;
    Ok(())
}
