//! A history: operations on one generator and on the oracle at once, which must agree at every step.
//!
//! Checked beside the oracle: no id twice, ids rise (I1), a tick lies below the `until` of its permit and the node
//! is the permit's (I2), `retire` is exact (I3), every id decodes to its parts and encodes back (I4), ids are
//! below 2^63 (I5), and a refusal leaves the generator as it was (I8).

use std::{cell::Cell, collections::HashSet, fmt};

use monoflake_core::{Clock, Generator, Id, Layout, LayoutError, Lease, ManualClock, Parts, Refusal};

use super::oracle::{No, Oracle, Run};

/// A tick, said in a way that hits the edges.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tick {
    At(u64),
    /// This many ticks before the first that the time field cannot hold.
    BeforeEnd(u8),
    /// Relative to the clock's reading.
    FromNow(i8),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    SetClock(Tick),
    TryNext,
    Next,
    TryReserve(usize),
    Fill(u8),
    Grant { node: u64, from: Tick, until: Tick },
    Revoke,
    Retire,
}

/// How the generator is set up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    pub(crate) layout: Layout,
    /// Closed if there is none.
    pub(crate) node: Option<u64>,
    pub(crate) lead: u32,
    pub(crate) tolerance: u32,
    pub(crate) spread_bits: u8,
    /// Whether the clock moves on when it is waited for; else it gives up at once.
    pub(crate) clock_moves: bool,
    pub(crate) now: Tick,
}

/// A clock that stands where it was put, and waits without spinning.
struct ScriptClock {
    tick: ManualClock,
    moves: bool,
    waits: Cell<u32>,
}

impl Clock for ScriptClock {
    fn now(&self) -> u64 {
        self.tick.now()
    }

    fn wait(&self, tick: u64) -> bool {
        assert!(tick > self.now(), "waits for tick {tick}, which has come");
        self.waits.set(self.waits.get() + 1);
        assert!(self.waits.get() < 100_000, "waits on and on");
        if self.moves {
            self.tick.set(tick);
        }
        self.moves
    }
}

/// Shows the tick only: waiting is no change of the generator.
impl fmt::Debug for ScriptClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tick.fmt(f)
    }
}

#[derive(Clone)]
struct Permit {
    node: u64,
    until: u64,
}

/// What the oracle says to a call that may wait.
#[derive(Debug)]
struct Answer {
    runs: Vec<Run>,
    /// Why there are not more, if there should be.
    no: Option<No>,
    /// The clock's reading afterwards.
    now: u64,
}

pub(crate) struct History {
    setup: Setup,
    generator: Generator<ScriptClock>,
    oracle: Oracle,
    permit: Option<Permit>,
    /// The node that was granted last, and the highest `until` ever granted.
    granted: Option<Permit>,
    seen: HashSet<Id>,
    last: Option<(Parts, Id)>,
}

impl History {
    /// Runs all of it; panics where generator and oracle part.
    pub(crate) fn run(setup: Setup, ops: impl IntoIterator<Item = Op>) {
        let mut history = Self::new(setup);
        for op in ops {
            history.step(op);
        }
    }

    fn new(setup: Setup) -> Self {
        let Setup { layout, node, lead, tolerance, spread_bits, clock_moves, now } = setup;
        let clock =
            ScriptClock { tick: ManualClock::new(resolve(layout, 0, now)), moves: clock_moves, waits: Cell::new(0) };
        let until = layout.last_tick() + 1;
        let permit = node.map(|node| Permit { node, until });
        let generator = match node {
            Some(node) => Generator::new(layout.node(node).expect("in range"), clock),
            None => Generator::closed(layout, clock),
        };
        Self {
            setup,
            generator: generator.with_lead(lead).with_tolerance(tolerance).with_spread(spread_bits),
            oracle: Oracle::new(layout.time_bits(), layout.sequence_bits(), lead.into(), tolerance.into()),
            granted: permit.clone(),
            permit,
            seen: HashSet::new(),
            last: None,
        }
    }

    fn step(&mut self, op: Op) {
        match op {
            Op::SetClock(tick) => self.generator.clock().tick.set(self.resolve(tick)),
            Op::TryNext => self.compare(1, false, |generator| generator.try_next().map(|id| vec![id])),
            Op::Next => self.compare(1, true, |generator| generator.next().map(|id| vec![id])),
            Op::TryReserve(n) => self.reserve(n),
            Op::Fill(n) => self.compare(n.into(), true, |generator| {
                let mut ids = vec![Id::MIN; n.into()];
                generator.fill(&mut ids).map(|()| ids)
            }),
            Op::Grant { node, from, until } => self.grant(node, self.resolve(from), self.resolve(until)),
            Op::Revoke => {
                self.generator.revoke();
                self.permit = None;
            }
            Op::Retire => {
                let first_unused = self.generator.retire();
                assert_eq!(first_unused, self.oracle.retire(self.granted.as_ref().map_or(0, |permit| permit.until)));
                assert!(self.last.is_none_or(|(parts, _)| parts.tick < first_unused));
                self.permit = None;
            }
        }
    }

    /// Asks both for exactly `n` ids at once or, with `waits`, in as many ticks as it takes.
    fn compare(&mut self, n: u64, waits: bool, ask: impl FnOnce(&Generator<ScriptClock>) -> Result<Vec<Id>, Refusal>) {
        let now = self.generator.clock().now();
        let before = format!("{:?}", self.generator);
        let said = ask(&self.generator);
        let right = self.ask_oracle(now, n, waits);
        match (said, right.no) {
            (Ok(ids), None) => self.check_all(&ids, &right.runs),
            (Err(refusal), Some(reason)) => {
                assert_eq!(no(refusal), reason);
                if right.runs.is_empty() && now == right.now {
                    assert_eq!(format!("{:?}", self.generator), before, "refused with {refusal:?}, but changed");
                }
            }
            (said, _) => panic!("said {said:?}, right is {right:?}"),
        }
        assert_eq!(self.generator.clock().now(), right.now);
    }

    fn ask_oracle(&mut self, now: u64, n: u64, waits: bool) -> Answer {
        let mut answer = Answer { runs: Vec::new(), no: None, now };
        loop {
            let left = n - answer.runs.iter().map(count).sum::<u64>();
            if left == 0 {
                return answer;
            }
            match self.oracle.take(answer.now, self.offset(answer.now), self.until(), left) {
                Ok(more) => answer.runs.extend(more),
                Err(No::TickFull { ticks }) if waits && self.setup.clock_moves => answer.now += ticks,
                Err(no) => return Answer { no: Some(no), ..answer },
            }
        }
    }

    fn reserve(&mut self, n: usize) {
        let before = format!("{:?}", self.generator);
        let said = self.generator.try_reserve(n);
        if n == 0 {
            assert_eq!(said.map(|batch| batch.len()), Ok(0));
            assert_eq!(format!("{:?}", self.generator), before);
            return;
        }
        let now = self.generator.clock().now();
        match (said, self.oracle.take(now, self.offset(now), self.until(), n as u64)) {
            (Ok(batch), Ok(runs)) => {
                assert_eq!(batch.len() as u64, runs.iter().map(count).sum::<u64>());
                let exact = batch.len() <= 300;
                let ids: Vec<Id> = batch.take(300).collect(); // the widest have 2^62
                if exact { self.check_all(&ids, &runs) } else { self.check_first(&ids, &runs) }
            }
            (Err(refusal), Err(right)) => {
                assert_eq!(no(refusal), right);
                assert_eq!(format!("{:?}", self.generator), before, "refused with {refusal:?}, but changed");
            }
            (said, right) => panic!("said {said:?}, right is {right:?}"),
        }
    }

    fn grant(&mut self, node: u64, from: u64, until: u64) {
        let layout = self.setup.layout;
        let said = self.generator.grant(Lease { node: layout.node(node).expect("in range"), from, until });
        let end = until.min(layout.last_tick() + 1);
        // Another node's ticks begin where all granted before have ended.
        let horizon = self.granted.as_ref().map_or(0, |permit| permit.until);
        let other = self.granted.as_ref().is_some_and(|permit| permit.node != node);
        let from = if other { from.max(horizon) } else { from };
        if from >= end {
            assert_eq!(said, Err(LayoutError::EmptyWindow { from, until }));
            return;
        }
        assert_eq!(said, Ok(()));
        self.oracle.raise(from);
        self.permit = Some(Permit { node, until: end });
        self.granted = Some(Permit { node, until: end.max(horizon) });
    }

    fn check_all(&mut self, ids: &[Id], runs: &[Run]) {
        assert_eq!(ids.len() as u64, runs.iter().map(count).sum::<u64>());
        self.check_first(ids, runs);
    }

    fn check_first(&mut self, ids: &[Id], runs: &[Run]) {
        let pairs = runs.iter().flat_map(|run| (run.first..=run.last).map(|sequence| (run.tick, sequence)));
        if ids.is_empty() {
            return;
        }
        let Permit { node, until } = *self.permit.as_ref().expect("ids come from a permit");
        for (id, (tick, sequence)) in ids.iter().zip(pairs) {
            let parts = Parts { tick, node, sequence };
            assert_eq!(self.setup.layout.decode(*id), Ok(parts));
            assert_eq!(self.setup.layout.encode(parts), Ok(*id));
            assert!(tick < until, "tick {tick} of a window until {until}");
            assert!(*id <= Id::MAX);
            assert!(self.seen.insert(*id), "{id} was made twice");
            assert!(self.last.is_none_or(|(_, last)| last < *id), "{id} after {:?}", self.last);
            self.last = Some((parts, *id));
        }
    }

    fn until(&self) -> u64 {
        self.permit.as_ref().map_or(0, |permit| permit.until)
    }

    /// Where the spread starts a tick, as a fresh generator of the same kind shows it.
    fn offset(&self, now: u64) -> u64 {
        let layout = self.setup.layout;
        let node = layout.node(0).expect("in range");
        let fresh = Generator::new(node, ManualClock::new(now)).with_spread(self.setup.spread_bits);
        let offset = fresh.try_next().map_or(0, |id| layout.decode(id).expect("its own layout").sequence);
        let bits = self.setup.spread_bits.min(layout.sequence_bits()).min(32);
        assert!(offset < 1 << bits, "{offset} is spread over more than {bits} bits");
        offset
    }

    fn resolve(&self, tick: Tick) -> u64 {
        resolve(self.setup.layout, self.generator.clock().now(), tick)
    }
}

fn resolve(layout: Layout, now: u64, tick: Tick) -> u64 {
    match tick {
        Tick::At(tick) => tick,
        Tick::BeforeEnd(ticks) => (layout.last_tick() + 1).saturating_sub(ticks.into()),
        Tick::FromNow(ticks) => now.saturating_add_signed(ticks.into()),
    }
}

fn count(run: &Run) -> u64 {
    run.last - run.first + 1
}

fn no(refusal: Refusal) -> No {
    match refusal {
        Refusal::BeforeEpoch => No::BeforeEpoch,
        Refusal::Exhausted => No::Exhausted,
        Refusal::NotLeased => No::NotLeased,
        Refusal::ClockBehind { ticks } => No::ClockBehind { ticks },
        Refusal::TickFull { ticks } => No::TickFull { ticks },
        other => panic!("{other:?} is not one of the oracle's answers"),
    }
}
