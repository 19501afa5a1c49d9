//! A caller that is preempted: the clock is the one place where foreign code runs inside a call, so others' calls
//! are made from there, one after another, and no schedule is left to luck.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::{Rc, Weak},
};

use monoflake_core::{Clock, Generator, ManualClock};

/// What others do while one reading of the clock is under way.
pub(crate) type Turn = Box<dyn FnOnce(&Generator<Preempted>)>;

/// Each reading is taken first; then the next turn happens; then the reading, by now stale, is returned.
pub(crate) struct Preempted {
    tick: ManualClock,
    turns: RefCell<VecDeque<Turn>>,
    in_turn: Cell<bool>,
    waited_for: Cell<Option<u64>>,
    generator: Weak<Generator<Self>>,
}

impl Preempted {
    /// The generator that `make` builds around such a clock.
    pub(crate) fn generator(tick: u64, make: impl FnOnce(Self) -> Generator<Self>) -> Rc<Generator<Self>> {
        Rc::new_cyclic(|generator| {
            make(Self {
                tick: ManualClock::new(tick),
                turns: RefCell::default(),
                in_turn: Cell::default(),
                waited_for: Cell::default(),
                generator: generator.clone(),
            })
        })
    }

    pub(crate) fn set(&self, tick: u64) {
        self.tick.set(tick);
    }

    /// These happen during the next readings, one in each.
    pub(crate) fn preempt_with(&self, turns: impl IntoIterator<Item = Turn>) {
        self.turns.borrow_mut().extend(turns);
    }

    /// Whether every turn has happened: if not, the call took another way than the test thinks.
    pub(crate) fn all_happened(&self) -> bool {
        self.turns.borrow().is_empty()
    }

    /// The latest tick that was ever waited for.
    pub(crate) fn waited_for(&self) -> Option<u64> {
        self.waited_for.get()
    }
}

impl Clock for Preempted {
    fn now(&self) -> u64 {
        let reading = self.tick.now();
        if !self.in_turn.get()
            && let Some(turn) = { self.turns.borrow_mut().pop_front() }
        {
            self.in_turn.set(true);
            turn(&self.generator.upgrade().expect("it is being called"));
            self.in_turn.set(false);
        }
        reading
    }

    fn wait(&self, tick: u64) -> bool {
        self.waited_for.set(self.waited_for.get().max(Some(tick)));
        false
    }
}
