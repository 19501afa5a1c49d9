//! The plain algorithm under a mutex: what most would write first, written well.

use std::time::{SystemTime, UNIX_EPOCH};

use crossbeam_utils::CachePadded;

use crate::contestant::{Contestant, insist, one};

/// 42 bits of milliseconds, 22 of sequence: the ceiling does not bind.
const WIDE: u32 = 22;
/// 12 bits of sequence, as usual.
const USUAL: u32 = 12;

/// The last id's tick and sequence.
#[derive(Default)]
struct Last {
    tick: u64,
    sequence: u64,
}

impl Last {
    /// `Err` if the tick is full. A clock that stepped back goes on with the last tick.
    #[inline(always)]
    fn next(&mut self, now: u64, sequence_bits: u32) -> Result<u64, ()> {
        if now > self.tick {
            *self = Self { tick: now, sequence: 0 };
        } else if self.sequence + 1 < 1 << sequence_bits {
            self.sequence += 1;
        } else {
            return Err(());
        }
        Ok(self.tick << sequence_bits | self.sequence)
    }
}

/// The clock is read inside the section, as nearly every published generator does: only so does a time below the last
/// id's mean that the clock stepped back.
pub fn std_inside() -> Box<dyn Contestant> {
    under_std::<true>(unix_ms, WIDE)
}

/// The clock is read before the lock is taken. The section is a compare, an addition and two stores; a
/// step of the clock cannot be told from a wait for the lock.
pub fn std_outside() -> Box<dyn Contestant> {
    under_std::<false>(unix_ms, WIDE)
}

/// [`std_outside`] with the counter.
pub fn std_counter() -> Box<dyn Contestant> {
    under_std::<false>(counter_ms(), WIDE)
}

/// [`std_inside`] under `parking_lot`'s mutex.
pub fn parking_lot_inside() -> Box<dyn Contestant> {
    under_parking_lot::<true>(unix_ms, WIDE)
}

/// [`std_outside`] under `parking_lot`'s mutex.
pub fn parking_lot_outside() -> Box<dyn Contestant> {
    under_parking_lot::<false>(unix_ms, WIDE)
}

/// [`std_counter`] under `parking_lot`'s mutex.
pub fn parking_lot_counter() -> Box<dyn Contestant> {
    under_parking_lot::<false>(counter_ms(), WIDE)
}

/// [`std_inside`] with 12 bits of sequence: it spins at the ceiling.
pub fn saturated() -> Box<dyn Contestant> {
    under_std::<true>(unix_ms, USUAL)
}

fn under_std<const INSIDE: bool>(
    clock: impl Fn() -> u64 + Send + Sync + 'static,
    sequence_bits: u32,
) -> Box<dyn Contestant> {
    let last = CachePadded::new(std::sync::Mutex::new(Last::default()));
    one!((clock, last, sequence_bits), |state| {
        let (clock, last, sequence_bits) = state;
        insist!({
            let before = if INSIDE { 0 } else { clock() };
            let mut last = last.lock().expect("nobody panics in the section");
            last.next(if INSIDE { clock() } else { before }, *sequence_bits)
        })
    })
}

fn under_parking_lot<const INSIDE: bool>(
    clock: impl Fn() -> u64 + Send + Sync + 'static,
    sequence_bits: u32,
) -> Box<dyn Contestant> {
    let last = CachePadded::new(parking_lot::Mutex::new(Last::default()));
    one!((clock, last, sequence_bits), |state| {
        let (clock, last, sequence_bits) = state;
        insist!({
            let before = if INSIDE { 0 } else { clock() };
            let mut last = last.lock();
            last.next(if INSIDE { clock() } else { before }, *sequence_bits)
        })
    })
}

#[allow(clippy::cast_possible_truncation, reason = "milliseconds fit for 500 million years")]
fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// About milliseconds: the counter, shifted. Cheaper than any true clock that is made of it.
fn counter_ms() -> impl Fn() -> u64 + Send + Sync {
    let clock = quanta::Clock::new();
    move || clock.raw() >> 21
}
