//! The generator: one counter, one permit, one clock.
//!
//! ```text
//! try_next    now = clock; permit = load; advance(rule(now, permit))  ->  id
//! refused?    the same with a clock reading taken after the load it is judged against
//! ```
//!
//! I1 is the counter's, I2 and I3 the permit's, I4 and I5 the layout's; here they are only put together.

use crossbeam_utils::CachePadded;

use crate::{
    Batch, Clock, Id, Layout, LayoutError, Lease, Node, Refusal,
    counter::Counter,
    permit::{Held, Permit},
    rule::{Grant, Rule},
    sync::const_unless_loom,
};

/// Makes ids that are unique among all generators with another node, and that rise.
///
/// All methods take `&self`; share it between threads by reference, in an `Arc`, or as a `static`:
///
/// ```
/// use monoflake_core::{Generator, Layout, ManualClock, Node};
///
/// static IDS: Generator<ManualClock> =
///     Generator::new(Node::constant(Layout::DEFAULT, 7), ManualClock::new(1_000));
///
/// let first = IDS.try_next().expect("a fresh generator");
/// let second = IDS.try_next().expect("4096 ids a tick");
/// assert!(second > first);
/// assert_eq!(Layout::DEFAULT.decode(first).map(|parts| parts.node), Ok(7));
/// ```
#[derive(Debug)]
pub struct Generator<C> {
    rule: Rule,
    clock: C,
    permit: Permit,
    /// On cache lines of its own: every call writes it. What stands before it is only read, so two threads wait
    /// for one line of each other's and not for two.
    counter: CachePadded<Counter>,
}

impl<C> Generator<C> {
    const_unless_loom! {
        const fn with_permit(layout: Layout, held: Held, clock: C) -> Self {
            let counter = CachePadded::new(Counter::new(held.packed()));
            Self { rule: Rule::new(layout), clock, permit: Permit::new(held), counter }
        }
    }

    const_unless_loom! {
        /// A generator for a node number that is known to be nobody else's.
        ///
        /// It knows nothing of ids that the node made before, in an earlier life of the process: where the clock may not
        /// have passed them yet, take [`closed`](Self::closed) and grant a [`Lease`] that begins above them.
        ///
        /// `clock` must count the ticks of `node.layout()`. One that counts another layout's makes ids of a wrong time, without
        /// an error.
        pub const fn new(node: Node, clock: C) -> Self {
            let layout = node.layout();
            Self::with_permit(layout, Held::pack(layout.end_tick(), node), clock)
        }
    }

    const_unless_loom! {
        /// A generator that refuses with [`Refusal::NotLeased`] until it is granted a lease.
        ///
        /// ```
        /// use monoflake_core::{Generator, Layout, Lease, ManualClock, Refusal};
        ///
        /// let generator = Generator::closed(Layout::DEFAULT, ManualClock::new(1_000));
        /// assert_eq!(generator.try_next(), Err(Refusal::NotLeased));
        ///
        /// generator.grant(Lease { node: Layout::DEFAULT.node(7)?, from: 900, until: 4_000 })?;
        /// assert!(generator.try_next().is_ok());
        /// # Ok::<(), monoflake_core::LayoutError>(())
        /// ```
        pub const fn closed(layout: Layout, clock: C) -> Self {
            Self::with_permit(layout, Held::CLOSED, clock)
        }
    }

    const_unless_loom! {
        /// Lets ids run up to this many ticks ahead of the clock when a tick is full (default 0).
        ///
        /// With the [tolerance](Self::with_tolerance), for a clock that steps back, that is how far an id's time may be
        /// ahead of the clock.
        ///
        /// ```
        /// use monoflake_core::{Generator, Layout, ManualClock, Refusal};
        ///
        /// let node = Layout::new(41, 22, 0)?.node(7)?; // one id a tick
        /// let generator = Generator::new(node, ManualClock::new(1)).with_lead(1);
        /// assert!(generator.try_next().is_ok());
        /// assert!(generator.try_next().is_ok());
        /// assert_eq!(generator.try_next(), Err(Refusal::TickFull { ticks: 1 }));
        /// # Ok::<(), monoflake_core::LayoutError>(())
        /// ```
        #[must_use]
        pub const fn with_lead(mut self, ticks: u32) -> Self {
            self.rule = self.rule.with_lead(ticks);
            self
        }
    }

    const_unless_loom! {
        /// Lets the clock fall this many ticks behind the last id before ids are refused with
        /// [`Refusal::ClockBehind`] (default 5 ms, in ticks rounded up).
        ///
        /// ```
        /// use monoflake_core::{Generator, Layout, ManualClock, Refusal};
        ///
        /// let generator = Generator::new(Layout::DEFAULT.node(7)?, ManualClock::new(1_000)).with_tolerance(2);
        /// let first = generator.try_next().expect("a fresh generator");
        /// generator.clock().set(998);
        /// assert!(generator.try_next().is_ok_and(|id| id > first));
        /// generator.clock().set(997);
        /// assert_eq!(generator.try_next(), Err(Refusal::ClockBehind { ticks: 3 }));
        /// # Ok::<(), monoflake_core::LayoutError>(())
        /// ```
        #[must_use]
        pub const fn with_tolerance(mut self, ticks: u32) -> Self {
            self.rule = self.rule.with_tolerance(ticks);
            self
        }
    }

    const_unless_loom! {
        /// Starts each new tick at a sequence number that is a hash of the tick, below `2^bits` (default 0 bits).
        ///
        /// Without it, ids made at a low rate all have sequence 0, and `id % shards` is always the same
        /// shard. Ids still rise; on average `2^(bits - 1)` numbers of each tick go unused. More bits than the
        /// sequence has, or 32, count as that many.
        ///
        /// ```
        /// use monoflake_core::{Generator, Layout, ManualClock};
        ///
        /// let generator = Generator::new(Layout::DEFAULT.node(7)?, ManualClock::new(1)).with_spread(4);
        /// let id = generator.try_next().expect("a fresh generator");
        /// assert!(Layout::DEFAULT.decode(id)?.sequence < 16);
        /// # Ok::<(), monoflake_core::LayoutError>(())
        /// ```
        #[must_use]
        pub const fn with_spread(mut self, bits: u8) -> Self {
            self.rule = self.rule.with_spread(bits);
            self
        }
    }

    /// The layout of its ids.
    ///
    /// ```
    /// # use monoflake_core::{Generator, Layout, ManualClock};
    /// assert_eq!(Generator::closed(Layout::TWITTER, ManualClock::new(1)).layout(), Layout::TWITTER);
    /// ```
    pub const fn layout(&self) -> Layout {
        self.rule.layout
    }

    /// The clock it reads.
    ///
    /// ```
    /// # use monoflake_core::{Clock, Generator, Layout, ManualClock};
    /// assert_eq!(Generator::closed(Layout::DEFAULT, ManualClock::new(2)).clock().now(), 2);
    /// ```
    pub const fn clock(&self) -> &C {
        &self.clock
    }

    /// Lets the generator use the ticks `from..until` of a node, in place of what it could use before.
    ///
    /// It may be running: calls in flight finish within the lease that they began with. Ids go on rising over a change of
    /// node, so a new node's ids begin only where all ticks granted before have ended. `grant`, [`revoke`](Self::revoke)
    /// and [`retire`](Self::retire) are to be called by one thread at a time: a grant that overlaps a retirement may
    /// open the generator after it.
    ///
    /// # Errors
    ///
    /// [`LayoutError::OtherLayout`] if the node is of another layout than the generator,
    /// [`LayoutError::EmptyWindow`] if no tick of the layout is left in `from..until`, or none above those granted on another
    /// node: a generator made with [`new`](Self::new) keeps its node. Nothing has changed then.
    ///
    /// ```
    /// use monoflake_core::{Generator, Layout, Lease, ManualClock};
    ///
    /// let layout = Layout::DEFAULT;
    /// let generator = Generator::closed(layout, ManualClock::new(1_000));
    /// generator.grant(Lease { node: layout.node(9)?, from: 900, until: 2_000 })?;
    /// generator.grant(Lease { node: layout.node(9)?, from: 900, until: 3_000 })?; // an extension
    /// let id = generator.try_next().expect("leased");
    ///
    /// generator.grant(Lease { node: layout.node(3)?, from: 900, until: 6_000 })?; // another node
    /// generator.clock().set(3_000);
    /// assert!(generator.try_next().expect("leased") > id);
    /// # Ok::<(), monoflake_core::LayoutError>(())
    /// ```
    pub fn grant(&self, lease: Lease) -> Result<(), LayoutError> {
        let layout = self.layout();
        let Lease { node, from, until } = lease;
        if node.layout() != layout {
            return Err(LayoutError::OtherLayout);
        }
        let from = from.max(Permit::earliest(&self.counter, node));
        let until = until.min(layout.end_tick());
        if from >= until {
            return Err(LayoutError::EmptyWindow { from, until: lease.until });
        }
        self.permit.grant(&self.counter, node, from, until);
        Ok(())
    }

    /// Closes the generator: calls that begin from now on refuse with [`Refusal::NotLeased`].
    ///
    /// A call in flight may still finish within its lease; [`retire`](Self::retire) stops these too.
    ///
    /// ```
    /// use monoflake_core::{Generator, Layout, ManualClock, Refusal};
    ///
    /// let generator = Generator::new(Layout::DEFAULT.node(7)?, ManualClock::new(1_000));
    /// generator.revoke();
    /// assert_eq!(generator.try_next(), Err(Refusal::NotLeased));
    /// # Ok::<(), monoflake_core::LayoutError>(())
    /// ```
    pub fn revoke(&self) {
        self.permit.revoke();
    }

    /// Closes the generator, also for calls in flight, and returns the first tick that it has never used: exactly.
    ///
    /// That tick is what the next holder of the node may start from. This generator goes on only with a later lease, above
    /// all that it was ever granted.
    ///
    /// ```
    /// use monoflake_core::{Generator, Layout, Lease, ManualClock, Refusal};
    ///
    /// let generator = Generator::closed(Layout::DEFAULT, ManualClock::new(1_000));
    /// generator.grant(Lease { node: Layout::DEFAULT.node(7)?, from: 900, until: 4_000 })?;
    /// generator.try_next().expect("leased");
    /// assert_eq!(generator.retire(), 1_001);
    /// assert_eq!(generator.try_next(), Err(Refusal::NotLeased));
    /// # Ok::<(), monoflake_core::LayoutError>(())
    /// ```
    pub fn retire(&self) -> u64 {
        let first_unused = self.permit.retire(&self.counter, self.layout());
        // A tick that was begun counts as used.
        self.layout().tick_from(first_unused)
    }
}

impl<C: Clock> Generator<C> {
    /// The next id, if there is one now. Never blocks.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] that says why there is none, and where it can, when there will be.
    ///
    /// ```
    /// use monoflake_core::{Generator, Layout, ManualClock};
    ///
    /// let generator = Generator::new(Layout::DEFAULT.node(7)?, ManualClock::new(1_000));
    /// assert!(generator.try_next().is_ok());
    /// # Ok::<(), monoflake_core::LayoutError>(())
    /// ```
    #[inline(always)]
    pub fn try_next(&self) -> Result<Id, Refusal> {
        let (grant, held) = self.take(1)?;
        Ok(self.layout().stamp(grant.start, held.node(self.layout())))
    }

    /// The next id, waiting while the tick is full.
    ///
    /// Waits for at most `tolerance + lead + 1` ticks in all, each time as the clock's [`wait`](Clock::wait) does: those of
    /// `monoflake` sleep, and take no longer than that and what the scheduler adds, also if the clock stands still.
    ///
    /// # Errors
    ///
    /// A [`Refusal`]; [`Refusal::TickFull`] only if the clock stands still, or if others took each tick's
    /// ids first for that long.
    ///
    /// ```
    /// use monoflake_core::{Generator, Layout, ManualClock};
    ///
    /// let generator = Generator::new(Layout::DEFAULT.node(7)?, ManualClock::new(1));
    /// assert!(generator.next().is_ok());
    /// # Ok::<(), monoflake_core::LayoutError>(())
    /// ```
    #[inline]
    pub fn next(&self) -> Result<Id, Refusal> {
        match self.try_next() {
            Err(Refusal::TickFull { ticks }) => self.wait_next(ticks),
            done => done,
        }
    }

    /// Reserves up to `n` ids at once: at least one (unless `n` is 0), as many as the clock and the lease allow.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if it could reserve none.
    ///
    /// ```
    /// use monoflake_core::{Generator, Layout, ManualClock};
    ///
    /// let generator = Generator::new(Layout::DEFAULT.node(7)?, ManualClock::new(1_000));
    /// let batch = generator.try_reserve(10_000).expect("the tick is fresh");
    /// assert_eq!(batch.len(), 4_096);
    /// # Ok::<(), monoflake_core::LayoutError>(())
    /// ```
    #[inline(always)]
    pub fn try_reserve(&self, n: usize) -> Result<Batch, Refusal> {
        if n == 0 {
            return Ok(Batch::empty(self.layout()));
        }
        let (grant, held) = self.take(n as u64)?;
        Ok(Batch::new(grant, self.layout(), held.node(self.layout())))
    }

    /// Fills the slice with ids, across as many ticks as that takes, in rising order.
    ///
    /// # Errors
    ///
    /// The first [`Refusal`] that waiting did not cure, under the rule of [`next`](Self::next) for each
    /// wait. Part of the slice may have been written; those ids are lost, never made again.
    ///
    /// ```
    /// use monoflake_core::{Generator, Id, Layout, ManualClock};
    ///
    /// let generator = Generator::new(Layout::DEFAULT.node(7)?, ManualClock::new(1));
    /// let mut ids = [Id::MIN; 100];
    /// generator.fill(&mut ids).expect("a tick has 4096");
    /// assert!(ids.is_sorted_by(|a, b| a < b));
    /// # Ok::<(), monoflake_core::LayoutError>(())
    /// ```
    pub fn fill(&self, mut ids: &mut [Id]) -> Result<(), Refusal> {
        let (mut patience, mut waited) = (self.rule.patience(), true);
        while !ids.is_empty() {
            match self.try_reserve(ids.len()) {
                Ok(batch) => {
                    (patience, waited) = (self.rule.patience(), true);
                    let (head, tail) = ids.split_at_mut(batch.len());
                    head.iter_mut().zip(batch).for_each(|(slot, id)| *slot = id);
                    ids = tail;
                }
                Err(refusal) if waited => waited = self.wait_out(refusal, &mut patience),
                Err(refusal) => return Err(refusal),
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn take(&self, n: u64) -> Result<(Grant, Held), Refusal> {
        // The clock before the load: the shorter the time from the load to the exchange, the fewer fail.
        let now = self.clock.now();
        let held = self.permit.load();
        let until = held.until(self.layout());
        match self.counter.advance(|next| self.rule.grant(next, now, until, n).ok_or(())) {
            Ok(grant) => Ok((grant, held)),
            Err(()) => self.take_or_refuse(n),
        }
    }

    /// A thread that was preempted between clock and load holds an old reading, and others may have
    /// moved on by many ticks: that is no step of the clock. Here the clock is read after the load.
    #[cold]
    #[inline(never)]
    fn take_or_refuse(&self, n: u64) -> Result<(Grant, Held), Refusal> {
        let mut held = self.permit.load();
        let grant = self.counter.advance(|next| {
            // Read anew too: a refusal is not decided on a permit that has been replaced.
            held = self.permit.load();
            self.rule.decide(next, self.clock.now(), held.until(self.layout()), n)
        })?;
        Ok((grant, held))
    }

    #[cold]
    #[inline(never)]
    fn wait_next(&self, ticks: u64) -> Result<Id, Refusal> {
        let mut patience = self.rule.patience();
        let mut refusal = Refusal::TickFull { ticks };
        loop {
            let waited = self.wait_out(refusal, &mut patience);
            match self.try_next() {
                Err(again) if waited => refusal = again,
                done => return done,
            }
        }
    }

    /// Waits while the tick is full, spending from `patience`. False where there is nothing to wait for, or no patience
    /// left, or the clock gave up: then one more try says how things stand now.
    fn wait_out(&self, refusal: Refusal, patience: &mut u64) -> bool {
        let Refusal::TickFull { ticks } = refusal else { return false };
        let Some(left) = patience.checked_sub(ticks) else { return false };
        *patience = left;
        // The clock may have moved on since the refusal, so that less is left to wait; a grant or a batch may have
        // raised the counter far, but this call waits no longer than it was told.
        let free = self.layout().tick_of(self.counter.next()).saturating_sub(self.rule.lead());
        self.clock.wait(free.min(self.clock.now().saturating_add(ticks)))
    }
}
