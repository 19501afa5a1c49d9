//! What an id costs: the contestants, and the ways to measure them.
//!
//! ```text
//! floors       what no generator can cost less than: the clock read, the exchange, both in one loop
//! ours         Monoflake, by clock
//! plain        the plain algorithm under a mutex
//! peers        other crates, each in its best real layout
//! lineup       who of them takes part in what
//!
//! contestant   one way to make an id, and the loops that time it: compiled for it, called through a pointer
//! race         contestants in turn, round after round, so that all see the same machine
//! saturation   what is left when the layout's ceiling binds
//! ```
//!
//! The rules that make a figure fair:
//!
//! 1. Every contestant runs in the same loop, compiled for it with fat LTO. No id is thrown away, and nothing is kept
//!    in registers from one id to the next.
//! 2. A layout is wide enough that its ceiling does not bind, where the crate allows that.
//! 3. Who refuses an id is asked again: a figure is the cost of an id, not of a call.
//! 4. Contestants that are compared run in adjacent samples; what is reported is the median of the ratios.
//! 5. A contestant that makes an id twice is out: see [`contestant::Contestant::repeats`].

use std::time::Duration;

use criterion::Criterion;

pub mod contestant;
pub mod floors;
pub mod lineup;
pub mod ours;
pub mod peers;
pub mod plain;
pub mod race;
pub mod report;
pub mod saturation;

/// Criterion, set for two noisy cores: some seconds a figure.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(50)
        .configure_from_args()
}
