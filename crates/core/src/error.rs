//! What can be refused: by a generator for now ([`Refusal`]), by a layout for good ([`LayoutError`]).

use core::{fmt, time::Duration};

use crate::Id;

/// Why a generator made no id. It changed nothing: the same call succeeds as soon as the cause is gone.
///
/// ```
/// use monoflake_core::{Generator, Layout, ManualClock, Refusal};
///
/// let generator = Generator::closed(Layout::DEFAULT, ManualClock::new(1));
/// assert_eq!(generator.try_next(), Err(Refusal::NotLeased));
/// assert_eq!(
///     Refusal::NotLeased.to_string(),
///     "no lease covers this tick: grant the generator a lease, or extend the one it has"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The clock is at or before the layout's epoch: it has not been set, or the epoch lies in the future.
    BeforeEpoch,
    /// The time field has ended. Unless the clock is wrong, no later call succeeds with this layout.
    Exhausted,
    /// The generator holds no lease, or has come to the end of its window.
    NotLeased,
    /// The clock is further behind the last id than lead and tolerance allow.
    ClockBehind {
        /// How far it is behind the last id, in ticks.
        ticks: u64,
    },
    /// All ids that the clock allows are given out.
    TickFull {
        /// In how many ticks there are ids again.
        ticks: u64,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BeforeEpoch => {
                f.write_str("the clock is at or before the layout's epoch: set the clock, or check the epoch")
            }
            Self::Exhausted => f.write_str(
                "the layout's time field has ended: a layout with more time bits or a later epoch is needed",
            ),
            Self::NotLeased => {
                f.write_str("no lease covers this tick: grant the generator a lease, or extend the one it has")
            }
            Self::ClockBehind { ticks } => {
                write!(
                    f,
                    "the clock is {ticks} ticks behind the last id: it was set back; ids go on when it has caught up"
                )
            }
            Self::TickFull { ticks } => write!(f, "all ids of this tick are given out: try again in {ticks} ticks"),
        }
    }
}

impl core::error::Error for Refusal {}

/// Why a layout does not have what was asked of it.
///
/// ```
/// use monoflake_core::Layout;
/// assert_eq!(
///     Layout::DEFAULT.node(1024).unwrap_err().to_string(),
///     "node 1024 does not fit the layout: nodes are 0 to 1023"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// The widths sum to more than 63 bits, or time has none.
    Widths {
        /// Bits of time.
        time: u8,
        /// Bits of node.
        node: u8,
        /// Bits of sequence.
        sequence: u8,
    },
    /// A tick of no length, or of more than `u64::MAX` nanoseconds.
    Tick {
        /// The length asked for.
        tick: Duration,
    },
    /// The time field cannot hold this tick.
    TickOutOfRange {
        /// The tick asked for.
        tick: u64,
        /// The last that fits.
        last: u64,
    },
    /// The node field cannot hold this number.
    NodeOutOfRange {
        /// The number asked for.
        node: u64,
        /// The last that fits.
        last: u64,
    },
    /// The sequence field cannot hold this number.
    SequenceOutOfRange {
        /// The number asked for.
        sequence: u64,
        /// The last that fits.
        last: u64,
    },
    /// The id has bits above the layout's.
    IdTooWide {
        /// The id.
        id: Id,
        /// How many bits the layout has.
        bits: u8,
    },
    /// The node belongs to a layout with other widths, epoch or tick than the generator's.
    OtherLayout,
    /// The window holds no tick that the layout has.
    EmptyWindow {
        /// Its first tick.
        from: u64,
        /// One past its last tick.
        until: u64,
    },
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Widths { time, node, sequence } => write!(
                f,
                "a layout of {time}/{node}/{sequence} bits is impossible: time needs at least 1, all three together at most 63"
            ),
            Self::Tick { tick } => {
                write!(f, "a tick of {tick:?} is impossible: it is at least 1 ns and at most 584 years")
            }
            Self::TickOutOfRange { tick, last } => {
                write!(f, "tick {tick} does not fit the layout: ticks are 0 to {last}")
            }
            Self::NodeOutOfRange { node, last } => {
                write!(f, "node {node} does not fit the layout: nodes are 0 to {last}")
            }
            Self::SequenceOutOfRange { sequence, last } => {
                write!(f, "sequence {sequence} does not fit the layout: sequences are 0 to {last}")
            }
            Self::IdTooWide { id, bits } => {
                write!(f, "id {id} does not fit the layout's {bits} bits: it was made with another layout")
            }
            Self::OtherLayout => {
                f.write_str("the lease's node is of another layout than the generator: use one layout for both")
            }
            Self::EmptyWindow { from, until } => {
                write!(
                    f,
                    "a window from tick {from} until tick {until} holds no tick of the layout: grant one that does"
                )
            }
        }
    }
}

impl core::error::Error for LayoutError {}
