//! The layout: how many bits time, node and sequence have, and what a tick is.
//!
//! ```text
//! id    0 | time | node | sequence      what is given out
//! word        0 | time  | sequence      what is counted: the node is put between the halves on the way out
//! ```
//!
//! Invariants kept here: I4 (no field ever changes another) and I5 (an id is in `0..2^63`): the
//! widths sum to at most 63, and every value is checked against its width before it is put in.

use core::time::Duration;

use crate::{Id, LayoutError, Node};

/// How an id is divided into time, node and sequence, and what its time counts.
///
/// A plain value: make it once, copy it everywhere. Every process that makes ids of one kind must
/// use the same layout, epoch and tick.
///
/// ```
/// use monoflake_core::Layout;
///
/// const ORDERS: Layout = Layout::constant(41, 10, 12).with_epoch_ms(1_577_836_800_000);
/// assert_eq!(ORDERS.node_count(), 1024);
/// assert_eq!(ORDERS.ids_per_tick(), 4096);
/// # Ok::<(), monoflake_core::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    pub(crate) time_bits: u8,
    pub(crate) node_bits: u8,
    pub(crate) sequence_bits: u8,
    epoch_ms: u64,
    tick_ns: u64,
}

/// What an id says, field by field; see [`Layout::decode`] and [`Layout::encode`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parts {
    /// Ticks since the layout's epoch.
    pub tick: u64,
    /// The node number.
    pub node: u64,
    /// The number within the tick.
    pub sequence: u64,
}

const MS_NS: u64 = 1_000_000;
const NS_PER_SECOND: u128 = 1_000_000_000;

impl Layout {
    /// 41 bits of milliseconds since 2025-01-01T00:00:00Z (until September 2094), 1024 nodes, 4096 ids a
    /// millisecond and node.
    pub const DEFAULT: Self = Self::constant(41, 10, 12).with_epoch_ms(1_735_689_600_000);

    /// The layout and epoch of Twitter's ids (2010-11-04T01:42:54.657Z).
    pub const TWITTER: Self = Self::constant(41, 10, 12).with_epoch_ms(1_288_834_974_657);

    /// The layout and epoch of Discord's ids (2015-01-01T00:00:00Z), with the whole machine field as node.
    pub const DISCORD: Self = Self::constant(41, 10, 12).with_epoch_ms(1_420_070_400_000);

    /// 53 bits in all, so that every id is exact as a JavaScript number: 8 nodes, 512 ids a millisecond and
    /// node, epoch as [`DEFAULT`](Self::DEFAULT).
    pub const JAVASCRIPT: Self = Self::constant(41, 3, 9).with_epoch_ms(1_735_689_600_000);

    /// A layout of these widths in bits, with ticks of 1 ms since the Unix epoch.
    ///
    /// # Errors
    ///
    /// [`LayoutError::Widths`] unless `time >= 1` and the three sum to at most 63.
    ///
    /// ```
    /// use monoflake_core::{Layout, LayoutError};
    ///
    /// assert!(Layout::new(39, 8, 16).is_ok());
    /// assert_eq!(Layout::new(41, 11, 12), Err(LayoutError::Widths { time: 41, node: 11, sequence: 12 }));
    /// ```
    pub const fn new(time: u8, node: u8, sequence: u8) -> Result<Self, LayoutError> {
        if time == 0 || time as u16 + node as u16 + sequence as u16 > 63 {
            return Err(LayoutError::Widths { time, node, sequence });
        }
        Ok(Self { time_bits: time, node_bits: node, sequence_bits: sequence, epoch_ms: 0, tick_ns: MS_NS })
    }

    /// [`new`](Self::new) for constants: what it refuses does not compile.
    ///
    /// # Panics
    ///
    /// Outside a constant, where [`new`](Self::new) is an error.
    ///
    /// ```
    /// const WIDE: monoflake_core::Layout = monoflake_core::Layout::constant(41, 0, 22);
    /// assert_eq!(WIDE.sequence_bits(), 22);
    /// ```
    ///
    /// ```compile_fail
    /// const TOO_WIDE: monoflake_core::Layout = monoflake_core::Layout::constant(41, 11, 12);
    /// assert_eq!(TOO_WIDE.sequence_bits(), 12);
    /// ```
    pub const fn constant(time: u8, node: u8, sequence: u8) -> Self {
        match Self::new(time, node, sequence) {
            Ok(layout) => layout,
            Err(_) => panic!("widths must sum to at most 63 bits, with at least one for time"),
        }
    }

    /// The same layout with its tick 0 at this many milliseconds since the Unix epoch.
    ///
    /// ```
    /// use monoflake_core::Layout;
    /// assert_eq!(Layout::constant(41, 10, 12).with_epoch_ms(1_288_834_974_657), Layout::TWITTER);
    /// ```
    #[must_use]
    pub const fn with_epoch_ms(mut self, epoch_ms: u64) -> Self {
        self.epoch_ms = epoch_ms;
        self
    }

    /// The same layout with ticks of this length.
    ///
    /// # Errors
    ///
    /// [`LayoutError::Tick`] if it is zero or above `u64::MAX` nanoseconds (584 years).
    ///
    /// ```
    /// use core::time::Duration;
    /// use monoflake_core::Layout;
    ///
    /// let layout = Layout::new(39, 16, 8)?.with_tick(Duration::from_millis(10))?;
    /// assert_eq!(layout.timestamp_ms(3), 30);
    /// assert!(layout.with_tick(Duration::ZERO).is_err());
    /// # Ok::<(), monoflake_core::LayoutError>(())
    /// ```
    pub const fn with_tick(mut self, tick: Duration) -> Result<Self, LayoutError> {
        let ns = tick.as_nanos();
        if ns == 0 || ns > u64::MAX as u128 {
            return Err(LayoutError::Tick { tick });
        }
        #[allow(clippy::cast_possible_truncation, reason = "checked above")]
        {
            self.tick_ns = ns as u64;
        }
        Ok(self)
    }

    /// Bits of time.
    ///
    /// ```
    /// assert_eq!(monoflake_core::Layout::DEFAULT.time_bits(), 41);
    /// ```
    pub const fn time_bits(&self) -> u8 {
        self.time_bits
    }

    /// Bits of the node number.
    ///
    /// ```
    /// assert_eq!(monoflake_core::Layout::DEFAULT.node_bits(), 10);
    /// ```
    pub const fn node_bits(&self) -> u8 {
        self.node_bits
    }

    /// Bits of the number within a tick.
    ///
    /// ```
    /// assert_eq!(monoflake_core::Layout::DEFAULT.sequence_bits(), 12);
    /// ```
    pub const fn sequence_bits(&self) -> u8 {
        self.sequence_bits
    }

    /// Milliseconds from the Unix epoch to tick 0.
    ///
    /// ```
    /// assert_eq!(monoflake_core::Layout::TWITTER.epoch_ms(), 1_288_834_974_657);
    /// ```
    pub const fn epoch_ms(&self) -> u64 {
        self.epoch_ms
    }

    /// The length of a tick.
    ///
    /// ```
    /// assert_eq!(monoflake_core::Layout::DEFAULT.tick(), core::time::Duration::from_millis(1));
    /// ```
    pub const fn tick(&self) -> Duration {
        Duration::from_nanos(self.tick_ns)
    }

    /// How many nodes there are; they are numbered from 0.
    ///
    /// ```
    /// assert_eq!(monoflake_core::Layout::JAVASCRIPT.node_count(), 8);
    /// ```
    pub const fn node_count(&self) -> u64 {
        1 << self.node_bits
    }

    /// How many ids one node has in a tick.
    ///
    /// ```
    /// assert_eq!(monoflake_core::Layout::JAVASCRIPT.ids_per_tick(), 512);
    /// ```
    pub const fn ids_per_tick(&self) -> u64 {
        1 << self.sequence_bits
    }

    /// The last tick that the time field can hold.
    ///
    /// ```
    /// assert_eq!(monoflake_core::Layout::DEFAULT.last_tick(), (1 << 41) - 1);
    /// ```
    pub const fn last_tick(&self) -> u64 {
        (1 << self.time_bits) - 1
    }

    /// The tick that runs at this time since the Unix epoch; 0 at or before the layout's epoch, and past
    /// [`last_tick`](Self::last_tick) where the time field has ended.
    ///
    /// ```
    /// use core::time::Duration;
    /// use monoflake_core::Layout;
    ///
    /// assert_eq!(Layout::DEFAULT.tick_at(Duration::from_millis(1_735_689_600_123)), 123);
    /// assert_eq!(Layout::DEFAULT.tick_at(Duration::ZERO), 0);
    /// ```
    pub const fn tick_at(&self, since_unix_epoch: Duration) -> u64 {
        let Some(since_epoch) = since_unix_epoch.checked_sub(Duration::from_millis(self.epoch_ms)) else {
            return 0;
        };
        let tick = since_epoch.as_nanos() / self.tick_ns as u128;
        #[allow(clippy::cast_possible_truncation, reason = "checked in the same expression")]
        if tick > u64::MAX as u128 { u64::MAX } else { tick as u64 }
    }

    /// The time since the Unix epoch at which this tick begins; `Duration::MAX` where that does not fit.
    ///
    /// ```
    /// use monoflake_core::Layout;
    ///
    /// let begin = Layout::DEFAULT.time_of(123);
    /// assert_eq!(begin.as_millis(), 1_735_689_600_123);
    /// assert_eq!(Layout::DEFAULT.tick_at(begin), 123);
    /// ```
    pub const fn time_of(&self, tick: u64) -> Duration {
        let ns = (tick as u128 * self.tick_ns as u128).saturating_add(self.epoch_ms as u128 * MS_NS as u128);
        let seconds = ns / NS_PER_SECOND;
        if seconds > u64::MAX as u128 {
            return Duration::MAX;
        }
        #[allow(clippy::cast_possible_truncation, reason = "the one is checked, the other below 10^9")]
        Duration::new(seconds as u64, (ns % NS_PER_SECOND) as u32)
    }

    /// Milliseconds since the Unix epoch at which this tick begins, rounded down; `u64::MAX` where that does
    /// not fit.
    ///
    /// ```
    /// use monoflake_core::Layout;
    /// assert_eq!(Layout::DISCORD.timestamp_ms(41_944_705_796), 1_462_015_105_796);
    /// ```
    pub const fn timestamp_ms(&self, tick: u64) -> u64 {
        let ms = self.time_of(tick).as_millis();
        #[allow(clippy::cast_possible_truncation, reason = "checked in the same expression")]
        if ms > u64::MAX as u128 { u64::MAX } else { ms as u64 }
    }

    /// The node with this number.
    ///
    /// # Errors
    ///
    /// [`LayoutError::NodeOutOfRange`] if the layout has no such node. It is never masked.
    ///
    /// ```
    /// use monoflake_core::{Layout, LayoutError};
    ///
    /// assert!(Layout::DEFAULT.node(1023).is_ok());
    /// assert_eq!(Layout::DEFAULT.node(1024), Err(LayoutError::NodeOutOfRange { node: 1024, last: 1023 }));
    /// ```
    pub const fn node(self, number: u64) -> Result<Node, LayoutError> {
        Node::new(self, number)
    }

    /// The id made of these parts.
    ///
    /// # Errors
    ///
    /// [`LayoutError::TickOutOfRange`], [`LayoutError::NodeOutOfRange`] or
    /// [`LayoutError::SequenceOutOfRange`] for the first part that its field cannot hold.
    ///
    /// ```
    /// use monoflake_core::{Layout, Parts};
    ///
    /// // The least id of a tick: where a query by time starts.
    /// let from = Layout::DEFAULT.encode(Parts { tick: 1_000, node: 0, sequence: 0 })?;
    /// assert_eq!(from.as_u64(), 1_000 << 22);
    /// # Ok::<(), monoflake_core::LayoutError>(())
    /// ```
    pub const fn encode(&self, parts: Parts) -> Result<Id, LayoutError> {
        let Parts { tick, node, sequence } = parts;
        if tick > self.last_tick() {
            return Err(LayoutError::TickOutOfRange { tick, last: self.last_tick() });
        }
        if node >= self.node_count() {
            return Err(LayoutError::NodeOutOfRange { node, last: self.node_count() - 1 });
        }
        if sequence >= self.ids_per_tick() {
            return Err(LayoutError::SequenceOutOfRange { sequence, last: self.ids_per_tick() - 1 });
        }
        Ok(self.stamp(self.word(tick) | sequence, node))
    }

    /// The parts of an id.
    ///
    /// # Errors
    ///
    /// [`LayoutError::IdTooWide`] if the id has bits above this layout's: it was made with another.
    ///
    /// ```
    /// use monoflake_core::{Id, Layout, Parts};
    ///
    /// let id: Id = "175928847299117063".parse().expect("canonical");
    /// let parts = Layout::DISCORD.decode(id)?;
    /// assert_eq!(parts, Parts { tick: 41_944_705_796, node: 32, sequence: 7 });
    /// # Ok::<(), monoflake_core::LayoutError>(())
    /// ```
    pub const fn decode(&self, id: Id) -> Result<Parts, LayoutError> {
        let bits = id.as_u64();
        let tick = bits >> (self.node_bits + self.sequence_bits);
        if tick > self.last_tick() {
            return Err(LayoutError::IdTooWide { id, bits: self.time_bits + self.node_bits + self.sequence_bits });
        }
        let node = (bits >> self.sequence_bits) & (self.node_count() - 1);
        Ok(Parts { tick, node, sequence: bits & (self.ids_per_tick() - 1) })
    }

    /// The first word of a tick. `tick` is at most twice the time field, so nothing is shifted out.
    #[inline(always)]
    pub(crate) const fn word(&self, tick: u64) -> u64 {
        tick << self.sequence_bits
    }

    #[inline(always)]
    pub(crate) const fn tick_of(&self, word: u64) -> u64 {
        word >> self.sequence_bits
    }

    /// The first tick that begins at or after `word`. `word` is at most `end_word`: no overflow.
    pub(crate) const fn tick_from(&self, word: u64) -> u64 {
        self.tick_of(word + (self.ids_per_tick() - 1))
    }

    /// One past the last tick.
    pub(crate) const fn end_tick(&self) -> u64 {
        1 << self.time_bits
    }

    /// One past the last word.
    pub(crate) const fn end_word(&self) -> u64 {
        self.word(self.end_tick())
    }

    /// Puts the node between the halves of the word: `{ tick, sequence }` to `{ tick, node, sequence }`.
    #[inline(always)]
    pub(crate) const fn stamp(&self, word: u64, node: u64) -> Id {
        let sequence = word & (self.ids_per_tick() - 1);
        Id::from_bits(((word - sequence) << self.node_bits) | (node << self.sequence_bits) | sequence)
    }

    /// No more ticks than the time field can tell apart.
    pub(crate) const fn saturate(&self, ticks: u32) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "taken only where it is below `ticks`")]
        if (ticks as u64) < self.last_tick() { ticks } else { self.last_tick() as u32 }
    }

    /// The least number of ticks that is at least this long.
    pub(crate) const fn ticks_in_ms(&self, ms: u32) -> u32 {
        let ticks = (ms as u64 * MS_NS).div_ceil(self.tick_ns);
        #[allow(clippy::cast_possible_truncation, reason = "checked in the same expression")]
        if ticks > u32::MAX as u64 { u32::MAX } else { ticks as u32 }
    }
}
