//! Steps of the wall clock, seen by comparing its progress with the time since boot.

use std::{fmt, time::Duration};

use crate::wall::{boot, wall};

/// Watches whether the wall clock is set.
///
/// A forward jump is as dangerous as a backward one: ids made under it lie in the future, and after the
/// correction their node must refuse until time has caught up. Check it before you store a time that other processes
/// rely on, such as a lease's end.
///
/// Corrections within `bound` between two checks are slewing and are followed.
///
/// ```
/// use std::time::Duration;
/// use monoflake::StepWatch;
///
/// let mut watch = StepWatch::new(Duration::from_secs(1));
/// assert_eq!(watch.check(), Ok(()));
/// ```
#[derive(Clone, Debug)]
pub struct StepWatch {
    bound_ns: i128,
    /// Wall clock less time since boot, as it was when the two last agreed.
    offset_ns: i128,
}

/// The wall clock was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Whether it was set forward.
    pub forward: bool,
    /// By how much.
    pub by: Duration,
}

impl StepWatch {
    /// A watch that takes the wall clock as right now, and reports steps of more than `bound`.
    pub fn new(bound: Duration) -> Self {
        Self { bound_ns: signed_ns(bound), offset_ns: read_offset_ns() }
    }

    /// Whether the wall clock has been set since it was last found or declared right.
    ///
    /// # Errors
    ///
    /// The [`Step`], again at each check, until the clock is set right again or the step is
    /// [accepted](Self::accept).
    pub fn check(&mut self) -> Result<(), Step> {
        self.compare(read_offset_ns())
    }

    /// Takes the wall clock as right from now on.
    pub fn accept(&mut self) {
        self.offset_ns = read_offset_ns();
    }

    fn compare(&mut self, offset_ns: i128) -> Result<(), Step> {
        let by_ns = offset_ns - self.offset_ns;
        if by_ns.abs() > self.bound_ns {
            let by = Duration::from_nanos(u64::try_from(by_ns.unsigned_abs()).unwrap_or(u64::MAX));
            return Err(Step { forward: by_ns > 0, by });
        }
        self.offset_ns = offset_ns;
        Ok(())
    }
}

/// How often the clocks are read, for a time when the thread is not stopped between them: that would look like a step.
const READINGS: u32 = 8;

/// Readings no further apart than this were not interrupted.
const TIGHT: Duration = Duration::from_micros(50);

/// The offset of the least interrupted of a few readings.
fn read_offset_ns() -> i128 {
    let read = || {
        let before = boot();
        let wall = wall();
        (boot().saturating_sub(before), offset_ns(wall, before))
    };
    let mut best = read();
    for _ in 1..READINGS {
        if best.0 <= TIGHT {
            break;
        }
        best = best.min(read());
    }
    best.1
}

fn offset_ns(wall: Duration, boot: Duration) -> i128 {
    signed_ns(wall) - signed_ns(boot)
}

/// A `Duration` has fewer than 2^95 ns.
fn signed_ns(time: Duration) -> i128 {
    time.as_nanos().cast_signed()
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = if self.forward { "forward" } else { "back" };
        write!(f, "the wall clock was set {way} by {:?}: let it be corrected, or accept it", self.by)
    }
}

impl std::error::Error for Step {}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    fn watch() -> StepWatch {
        StepWatch { bound_ns: signed_ns(S), offset_ns: offset_ns(1_000 * S, 10 * S) }
    }

    #[test]
    fn equal_progress_is_no_step() {
        assert_eq!(watch().compare(offset_ns(4_600 * S, 3_610 * S)), Ok(()));
    }

    #[test]
    fn a_suspend_is_no_step() {
        // The time since boot counts it too.
        assert_eq!(watch().compare(offset_ns(87_400 * S, 86_410 * S)), Ok(()));
    }

    #[test]
    fn a_jump_forward_is_reported_until_it_is_undone() {
        let mut watch = watch();
        let step = Step { forward: true, by: 3_600 * S };
        assert_eq!(watch.compare(offset_ns(4_610 * S, 20 * S)), Err(step));
        assert_eq!(watch.compare(offset_ns(4_620 * S, 30 * S)), Err(step));
        assert_eq!(watch.compare(offset_ns(1_030 * S, 40 * S)), Ok(()));
    }

    #[test]
    fn a_jump_back_is_reported() {
        assert_eq!(watch().compare(offset_ns(990 * S, 20 * S)), Err(Step { forward: false, by: 20 * S }));
    }

    #[test]
    fn slewing_is_followed_without_end() {
        let mut watch = watch();
        for n in 1..1_000 {
            assert_eq!(watch.compare(offset_ns((1_000 + 2 * n) * S, (10 + n) * S)), Ok(()), "after {n} s");
        }
    }

    #[test]
    fn the_bound_itself_is_no_step() {
        assert_eq!(watch().compare(offset_ns(1_011 * S, 20 * S)), Ok(()));
        let over = 1_011 * S + Duration::from_nanos(1);
        assert_eq!(
            watch().compare(offset_ns(over, 20 * S)),
            Err(Step { forward: true, by: S + Duration::from_nanos(1) })
        );
    }
}
