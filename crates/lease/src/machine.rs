//! The lease protocol as a state machine without I/O: answers and a time in, commands out.
//!
//! ```text
//!          survey            acquire                    extend, each third of a window
//! Idle  ----------> Looking ---------> Acquiring ----> Held <-----------------------> Extending
//!  ^                   | none free        | conflict     ^                              |   | no answer
//!  +-------------------+------------------+              | still mine                   |   v
//!  ^                                                     +----------------------------- | Rereading
//!  +------ revoke ------- conflict, session lost, not mine any more <-------------------+---+
//! ```
//!
//! Invariants kept here:
//!
//! * I6: what is written as a fence is never below the fence that was read with the version it is compared with; but for
//!   the hand-back of a retired holder.
//! * I7: the generator is granted only `from..until` where `until` is a fence whose write was *answered*, and `from` the
//!   fence that stood before this holder came.
//! * I8: every state leads back to `Held` when the store answers.
//!
//! Time comes in twice: ticks of the wall clock, which only say how far ahead a fence is written, and milliseconds
//! since boot, which decide when to ask again and when to close.

mod choose;

use monoflake::{Layout, Lease, Node};

use crate::{
    slot::{Slot, Version, View},
    store::StoreError,
};

/// One moment, on both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Now {
    /// The wall clock in ticks of the layout. 0 if it is not to be trusted: then no fence is written from it.
    pub tick: u64,
    /// Milliseconds since boot, suspend included.
    pub boot_ms: u64,
}

/// What the protocol is set to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// The layout whose nodes are leased.
    pub layout: Layout,
    /// The node numbers that may be taken, from the first to before the last.
    pub nodes: std::ops::Range<u64>,
    /// How far ahead of the clock fences are written, in ticks.
    pub window_ticks: u64,
    /// How often a fence is extended; a third of the window's time.
    pub extend_every_ms: u64,
    /// How long to wait before asking a store again that had nothing free or did not answer.
    pub retry_after_ms: u64,
    /// By how much this clock may differ from those of the live holders when a slot is taken.
    pub clock_bound_ms: u64,
    /// Who we are, for people.
    pub owner: String,
}

/// What is to be asked of the store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// [`Store::survey`](crate::store::Store::survey)
    Survey,
    /// [`Store::read`](crate::store::Store::read)
    Read {
        /// The slot.
        node: u64,
    },
    /// [`Store::acquire`](crate::store::Store::acquire)
    Acquire {
        /// The slot.
        node: u64,
        /// The version it is compared with.
        seen: Version,
        /// What is written.
        slot: Slot,
    },
    /// [`Store::extend`](crate::store::Store::extend)
    Extend {
        /// The slot.
        node: u64,
        /// The version it is compared with.
        seen: Version,
        /// What is written.
        slot: Slot,
    },
    /// [`Store::release`](crate::store::Store::release)
    Release {
        /// The slot.
        node: u64,
        /// The version it is compared with.
        seen: Version,
        /// What is written.
        slot: Slot,
    },
}

/// What the store answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// To [`Request::Survey`].
    Survey(Vec<View>),
    /// To [`Request::Read`].
    View(View),
    /// To [`Request::Acquire`] and [`Request::Extend`].
    Written(Version),
    /// To [`Request::Release`].
    Released,
}

/// What is to be done, in this order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Give the generator this lease.
    Grant(Lease),
    /// Close the generator.
    Revoke,
    /// Ask the store, and bring the answer to [`Machine::answer`].
    Ask(Request),
    /// Nothing to do until then: [`Machine::wake`].
    Sleep {
        /// In milliseconds since boot.
        until_boot_ms: u64,
    },
}

/// Why no slot is held.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// Nothing has been asked yet.
    Starting,
    /// The slot is another's, or was written by another.
    Lost,
    /// The store has ended the session, or could not be asked for as long as the session was granted for.
    SessionOver,
    /// The store did not answer.
    Unavailable(String),
    /// What is stored cannot be understood.
    Damaged(String),
    /// All slots are claimed, or have fences too far ahead of the clock.
    NoneFree {
        /// Claimed by others.
        claimed: u64,
        /// Free, but with a fence further ahead than a window.
        ahead: u64,
    },
    /// A slot was written in another layout, epoch or tick.
    OtherLayout {
        /// The slot.
        node: u64,
    },
    /// The clock is not to be trusted, or is before the epoch.
    ClockUntrusted,
    /// The clock differs from that of a live holder.
    ClockOff {
        /// The slot of that holder.
        node: u64,
        /// How far we are ahead of it; negative if behind.
        ahead_ms: i64,
    },
    /// It was asked to stop.
    Stopped,
}

/// A slot in our hands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Tenure {
    node: Node,
    /// The fence that stood when we came.
    from: u64,
    version: Version,
    /// What is stored, as far as an answer has told.
    slot: Slot,
    extend_at_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    Idle {
        retry_at_ms: u64,
    },
    Looking,
    Acquiring {
        tenure: Tenure,
    },
    Held(Tenure),
    /// With what was asked to be written.
    Extending(Tenure, Slot),
    /// An answer did not arrive, or the session's time is over: whose is the slot?
    Rereading {
        tenure: Tenure,
        retry_at_ms: Option<u64>,
    },
    Releasing,
}

/// The protocol of one holder. At most one request is under way at a time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Machine {
    config: Config,
    state: State,
    reason: Reason,
    /// When the session is over unless it is renewed, in milliseconds since boot.
    deadline_ms: Option<u64>,
    /// Chooses among slots that are alike.
    random: u64,
}

impl Machine {
    /// A holder that holds nothing yet; `random` is to differ between holders.
    pub fn new(config: Config, random: u64) -> Self {
        let state = State::Idle { retry_at_ms: 0 };
        Self { config, state, reason: Reason::Starting, deadline_ms: None, random: random | 1 }
    }

    /// Why nothing is held; none if something is.
    pub fn reason(&self) -> Option<&Reason> {
        (!matches!(self.state, State::Held(_) | State::Extending(..))).then_some(&self.reason)
    }

    /// The session was renewed: `asked_boot_ms` is when that was *asked*, `ttl_ms` what was granted.
    pub fn renewed(&mut self, asked_boot_ms: u64, ttl_ms: Option<u64>) {
        self.deadline_ms = ttl_ms.map(|ttl_ms| asked_boot_ms.saturating_add(ttl_ms));
    }

    /// Time has passed, and no request is under way.
    pub fn wake(&mut self, now: Now) -> Vec<Command> {
        if let State::Held(tenure) = &self.state
            && self.deadline_ms.is_some_and(|deadline_ms| now.boot_ms >= deadline_ms)
        {
            let tenure = tenure.clone();
            self.reason = Reason::SessionOver;
            self.state = State::Rereading { tenure, retry_at_ms: Some(now.boot_ms) };
            let mut commands = vec![Command::Revoke];
            commands.extend(self.wake(now));
            return commands;
        }
        match self.state.clone() {
            State::Idle { retry_at_ms } if now.boot_ms >= retry_at_ms => self.look(),
            State::Idle { retry_at_ms } => vec![Command::Sleep { until_boot_ms: retry_at_ms }],
            State::Held(tenure) if now.boot_ms >= tenure.extend_at_ms => self.extend(now, tenure),
            State::Held(tenure) => vec![Command::Sleep { until_boot_ms: tenure.extend_at_ms }],
            State::Rereading { tenure, retry_at_ms: Some(at_ms) } if now.boot_ms >= at_ms => self.reread(tenure),
            State::Rereading { retry_at_ms: Some(at_ms), .. } => vec![Command::Sleep { until_boot_ms: at_ms }],
            State::Looking
            | State::Acquiring { .. }
            | State::Extending(..)
            | State::Rereading { .. }
            | State::Releasing => vec![],
        }
    }

    /// The store has answered the request under way.
    pub fn answer(&mut self, now: Now, answer: Result<Answer, StoreError>) -> Vec<Command> {
        match (self.state.clone(), answer) {
            (State::Looking, Ok(Answer::Survey(views))) => self.choose(now, &views),
            (State::Acquiring { tenure }, Ok(Answer::Written(version))) => self.hold(now, tenure, version),
            (State::Acquiring { .. }, Err(StoreError::Conflict)) => self.look(),
            (State::Extending(tenure, slot), Ok(Answer::Written(version))) => {
                self.hold(now, Tenure { slot, ..tenure }, version)
            }
            (State::Extending(tenure, _), Err(StoreError::Unavailable(why))) => {
                self.reason = Reason::Unavailable(why);
                self.reread(tenure)
            }
            (State::Rereading { tenure, .. }, Ok(Answer::View(view))) => self.recognize(now, &tenure, view),
            (State::Rereading { tenure, .. }, Err(StoreError::Unavailable(why))) => {
                self.reason = Reason::Unavailable(why);
                let at_ms = now.boot_ms.saturating_add(self.config.retry_after_ms);
                self.state = State::Rereading { tenure, retry_at_ms: Some(at_ms) };
                vec![Command::Sleep { until_boot_ms: at_ms }]
            }
            (State::Extending(..) | State::Rereading { .. }, Err(error)) => {
                self.reason = reason_of(error);
                let mut commands = vec![Command::Revoke];
                commands.extend(self.look());
                commands
            }
            (State::Releasing, _) => self.idle(now, Reason::Stopped),
            (_, Err(error)) => self.idle(now, reason_of(error)),
            // An answer to another question: the keeper asks one at a time, so this is none of ours.
            (_, Ok(_)) => vec![],
        }
    }

    /// Hands the slot back: `first_unused` is what the *retired* generator has said. Nothing if none is held for sure.
    pub fn release(&mut self, first_unused: u64) -> Vec<Command> {
        let State::Held(tenure) = self.state.clone() else { return vec![] };
        self.state = State::Releasing;
        let slot = Slot { fence: first_unused.max(tenure.from), ..tenure.slot };
        vec![Command::Ask(Request::Release { node: tenure.node.number(), seen: tenure.version, slot })]
    }

    fn look(&mut self) -> Vec<Command> {
        self.state = State::Looking;
        vec![Command::Ask(Request::Survey)]
    }

    fn idle(&mut self, now: Now, reason: Reason) -> Vec<Command> {
        self.reason = reason;
        let retry_at_ms = now.boot_ms.saturating_add(self.config.retry_after_ms);
        self.state = State::Idle { retry_at_ms };
        vec![Command::Sleep { until_boot_ms: retry_at_ms }]
    }

    fn reread(&mut self, tenure: Tenure) -> Vec<Command> {
        let node = tenure.node.number();
        self.state = State::Rereading { tenure, retry_at_ms: None };
        vec![Command::Ask(Request::Read { node })]
    }

    /// A write of ours was answered: from now on its fence binds all others.
    fn hold(&mut self, now: Now, tenure: Tenure, version: Version) -> Vec<Command> {
        let extend_at_ms = now.boot_ms.saturating_add(self.config.extend_every_ms);
        let lease = Lease { node: tenure.node, from: tenure.from, until: tenure.slot.fence };
        self.state = State::Held(Tenure { version, extend_at_ms, ..tenure });
        vec![Command::Grant(lease), Command::Sleep { until_boot_ms: extend_at_ms }]
    }

    fn recognize(&mut self, now: Now, tenure: &Tenure, view: View) -> Vec<Command> {
        let ours = view.claim.as_ref().is_some_and(|claim| claim.mine);
        match view.slot {
            Some(slot) if ours => self.extend(now, Tenure { version: view.version, slot, ..tenure.clone() }),
            _ => {
                self.reason = Reason::Lost;
                let mut commands = vec![Command::Revoke];
                commands.extend(self.look());
                commands
            }
        }
    }

    fn extend(&mut self, now: Now, tenure: Tenure) -> Vec<Command> {
        let ahead = now.tick.saturating_add(self.config.window_ticks);
        if now.tick == 0 {
            // Nothing is written from a clock that is not to be trusted; what was granted runs out by itself.
            let extend_at_ms = now.boot_ms.saturating_add(self.config.extend_every_ms);
            self.state = State::Held(Tenure { extend_at_ms, ..tenure });
            return vec![Command::Sleep { until_boot_ms: extend_at_ms }];
        }
        // A clock that stepped back never lowers a fence: the old one is still in use.
        let slot = Slot { fence: tenure.slot.fence.max(ahead), ..self.sign(now, tenure.slot.generation) };
        let request = Request::Extend { node: tenure.node.number(), seen: tenure.version, slot: slot.clone() };
        self.state = State::Extending(tenure, slot);
        vec![Command::Ask(request)]
    }
}

impl Machine {
    /// What a first write of this slot would make of it.
    fn tenure(&self, view: &View) -> Option<Tenure> {
        let node = self.config.layout.node(view.node).ok()?;
        let generation = view.slot.as_ref().map_or(0, |slot| slot.generation);
        let slot = Slot { fence: view.fence(), generation, ..self.unsigned() };
        Some(Tenure { node, from: view.fence(), version: view.version, slot, extend_at_ms: 0 })
    }

    #[allow(clippy::needless_pass_by_value, reason = "it goes into the state")]
    fn acquire(&mut self, now: Now, tenure: Tenure) -> Vec<Command> {
        let fence = tenure.from.max(now.tick).saturating_add(self.config.window_ticks);
        let slot = Slot { fence, ..self.sign(now, tenure.slot.generation + 1) };
        let request = Request::Acquire { node: tenure.node.number(), seen: tenure.version, slot: slot.clone() };
        self.state = State::Acquiring { tenure: Tenure { slot, ..tenure } };
        vec![Command::Ask(request)]
    }

    fn sign(&self, now: Now, generation: u64) -> Slot {
        let clock_ms = self.config.layout.timestamp_ms(now.tick);
        Slot { generation, clock_ms, ..self.unsigned() }
    }

    fn unsigned(&self) -> Slot {
        Slot { fence: 0, layout: self.config.layout, owner: self.config.owner.clone(), generation: 0, clock_ms: 0 }
    }

    /// Marsaglia's xorshift64; the state is never 0.
    fn draw(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }
}

fn reason_of(error: StoreError) -> Reason {
    match error {
        StoreError::Conflict => Reason::Lost,
        StoreError::SessionLost => Reason::SessionOver,
        StoreError::Unavailable(why) => Reason::Unavailable(why),
        StoreError::Damaged(why) => Reason::Damaged(why),
    }
}
