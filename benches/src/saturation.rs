//! What is left when the layout's ceiling binds: the share of it that is reached, and the CPU that is burned.

use std::{
    thread,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use crate::{
    contestant::{Contestant, hold_to_core},
    race::to_f64,
};

/// Of layouts with 12 bits of sequence and ticks of 1 ms.
pub const CEILING_PER_S: f64 = 4_096_000.0;

/// How one thread fared at the ceiling.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Saturation {
    /// Ids in a second.
    pub ids_per_s: f64,
    /// Of the ceiling.
    pub share_percent: f64,
    /// CPU time of the calling thread, of one core.
    pub thread_cpu_percent: f64,
    /// CPU time of the process, of one core: a clock's own thread is in it.
    pub process_cpu_percent: f64,
}

/// Takes ids as fast as they come, for this long, on a thread of its own.
pub fn saturate(contestant: &dyn Contestant, time: Duration) -> Saturation {
    thread::scope(|scope| scope.spawn(|| saturate_here(contestant, time)).join().expect("a contestant does not panic"))
}

fn saturate_here(contestant: &dyn Contestant, time: Duration) -> Saturation {
    hold_to_core(0);
    // Some ticks, so that what the first call sets up is not in it.
    contestant.run(8 * 4096);
    let (thread, process) = (cpu(ClockId::ThreadCPUTime), cpu(ClockId::ProcessCPUTime));
    let start = Instant::now();
    let mut made = 0;
    while start.elapsed() < time {
        made += contestant.run(1024);
    }
    let took = start.elapsed().as_secs_f64();
    let ids_per_s = to_f64(made) / took;
    Saturation {
        ids_per_s,
        share_percent: 100.0 * ids_per_s / CEILING_PER_S,
        thread_cpu_percent: 100.0 * (cpu(ClockId::ThreadCPUTime) - thread) / took,
        process_cpu_percent: 100.0 * (cpu(ClockId::ProcessCPUTime) - process) / took,
    }
}

/// In seconds.
fn cpu(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    let whole = Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0));
    whole.as_secs_f64()
}
