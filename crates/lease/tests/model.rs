//! The protocol against everything that clocks, pauses and networks do, by stateright: the very machine that runs.
//!
//! Two holders want one slot. Requests may arrive late, twice, or never; so may answers; a session may end at any moment,
//! a holder may die and start again at any moment, and every clock reads what it likes each time. A holder that has been
//! granted ticks may use any of them at any time, however late.
//!
//! **Nobody ever uses a tick of the slot that another has used.**
//!
//! In release builds only: `cargo test --release -p monoflake-lease --test model -- --nocapture`.
#![cfg(not(debug_assertions))]

use std::collections::{BTreeMap, BTreeSet};

use monoflake::Layout;
use monoflake_lease::{
    machine::{Answer, Command, Config, Machine, Now, Request},
    slot::{Claim, Slot, Version, View},
    store::StoreError,
};
use stateright::{Checker, Model, Property};

const LAYOUT: Layout = Layout::constant(40, 0, 20);
const WINDOW: u64 = 1;
/// Clocks read 1 to this.
const TICKS: u64 = 2;
/// What bounds the search: writes, requests under way, and lives.
const WRITES: u64 = 4;
const UNDER_WAY: usize = 2;
const LIVES: u8 = 3;
/// All histories of so many events, less one, from an unused slot and from one that is held.
const DEPTH: usize = 15;

type Life = u8;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Stored {
    version: Version,
    slot: Option<Slot>,
    claim: Option<Life>,
}

/// Whoever answers to a question of an earlier life, or to one that was given up, is not heard.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Question {
    holder: usize,
    life: Life,
    number: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Holder {
    machine: Machine,
    /// Its session is named after its life: a session that ends takes the life's claims with it.
    life: Life,
    session_over: bool,
    asked: u8,
    /// The question whose answer it waits for.
    waits: Option<Question>,
    /// The ticks that its generator may use.
    may_use: Option<(u64, u64)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    stored: Stored,
    holders: Vec<Holder>,
    requests: BTreeMap<Question, Request>,
    answers: BTreeMap<Question, Result<Answer, StoreError>>,
    used: BTreeMap<u64, Life>,
    lives: Life,
    twice: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Event {
    Wake { holder: usize, tick: u64 },
    Arrives { question: Question, again: bool },
    Answered { question: Question, tick: u64 },
    GivesUp { holder: usize, tick: u64 },
    Uses { holder: usize, tick: u64 },
    SessionEnds { holder: usize },
    StartsAgain { holder: usize },
    HandsBack { holder: usize },
}

struct Protocol;

fn machine(life: Life) -> Machine {
    // Ticks so short that all clocks read 0 ms: the comparison of clocks is not what is checked here.
    let layout = LAYOUT.with_tick(std::time::Duration::from_nanos(1)).expect("1 ns is possible");
    let config = Config {
        layout,
        nodes: 0..1,
        window_ticks: WINDOW,
        extend_every_ms: 0,
        retry_after_ms: 0,
        clock_bound_ms: u64::MAX,
        owner: String::new(),
    };
    Machine::new(config, life.into())
}

fn holder(life: Life) -> Holder {
    Holder { machine: machine(life), life, session_over: false, asked: 0, waits: None, may_use: None }
}

fn now(tick: u64) -> Now {
    Now { tick, boot_ms: 0 }
}

impl World {
    fn obey(&mut self, holder: usize, commands: Vec<Command>) {
        for command in commands {
            let this = &mut self.holders[holder];
            match command {
                Command::Grant(lease) => {
                    let from = this.may_use.map_or(lease.from, |(next, _)| next.max(lease.from));
                    this.may_use = Some((from, lease.until));
                }
                Command::Revoke => this.may_use = None,
                Command::Ask(request) => {
                    this.asked += 1;
                    let question = Question { holder, life: this.life, number: this.asked };
                    this.waits = Some(question.clone());
                    self.requests.insert(question, request);
                }
                Command::Sleep { .. } => {}
            }
        }
    }

    /// What the store does with a request, whoever still waits for the answer.
    fn serve(&mut self, question: &Question, request: Request) -> Result<Answer, StoreError> {
        let session = question.life;
        let asker = &self.holders[question.holder];
        let over = asker.life != session || asker.session_over;
        let stored = &mut self.stored;
        let (free, mine) = (stored.claim.is_none(), stored.claim == Some(session));
        let view = View {
            node: 0,
            version: stored.version,
            slot: stored.slot.clone(),
            claim: stored.claim.map(|life| Claim { mine: life == session, holder: String::new() }),
        };
        match request {
            // A survey opens a new session where the old one has ended.
            Request::Survey => {
                if asker.life == session {
                    self.holders[question.holder].session_over = false;
                }
                Ok(Answer::Survey(vec![view]))
            }
            Request::Read { .. } => Ok(Answer::View(view)),
            _ if over => Err(StoreError::SessionLost),
            Request::Acquire { seen, slot, .. } if free && seen == stored.version => {
                stored.claim = Some(session);
                Ok(Answer::Written(stored.write(slot)))
            }
            Request::Extend { seen, slot, .. } if mine && seen == stored.version => {
                Ok(Answer::Written(stored.write(slot)))
            }
            Request::Release { seen, slot, .. } if mine && seen == stored.version => {
                stored.claim = None;
                stored.write(slot);
                Ok(Answer::Released)
            }
            _ => Err(StoreError::Conflict),
        }
    }
}

impl Stored {
    fn write(&mut self, slot: Slot) -> Version {
        self.slot = Some(slot);
        self.version.0 += 1;
        self.version
    }
}

impl Model for Protocol {
    type State = World;
    type Action = Event;

    fn init_states(&self) -> Vec<World> {
        let unused = World {
            stored: Stored { version: Version::NONE, slot: None, claim: None },
            holders: vec![holder(0), holder(1)],
            requests: BTreeMap::new(),
            answers: BTreeMap::new(),
            used: BTreeMap::new(),
            lives: 2,
            twice: false,
        };
        let question = |number| Question { holder: 0, life: 0, number };
        let arrives = |number| Event::Arrives { question: question(number), again: false };
        let answered = |number| Event::Answered { question: question(number), tick: 1 };
        let takes = [Event::Wake { holder: 0, tick: 1 }, arrives(1), answered(1), arrives(2), answered(2)];
        let held = takes.into_iter().fold(unused.clone(), |world, event| {
            self.next_state(&world, event).expect("each of them changes something")
        });
        assert!(held.holders[0].may_use.is_some());
        vec![unused, held]
    }

    fn actions(&self, world: &World, events: &mut Vec<Event>) {
        for (number, this) in world.holders.iter().enumerate() {
            let holder = number;
            if this.waits.is_none() {
                events.extend((1..=TICKS).map(|tick| Event::Wake { holder, tick }));
                events.extend(this.may_use.map(|_| Event::HandsBack { holder }));
            } else {
                events.extend((1..=TICKS).map(|tick| Event::GivesUp { holder, tick }));
            }
            if let Some((from, until)) = this.may_use {
                events.extend((from..until).map(|tick| Event::Uses { holder, tick }));
            }
            events.push(Event::SessionEnds { holder });
            events.push(Event::StartsAgain { holder });
        }
        for question in world.requests.keys().cloned() {
            events.push(Event::Arrives { question: question.clone(), again: false });
            events.push(Event::Arrives { question, again: true });
        }
        for question in world.answers.keys() {
            if world.holders[question.holder].waits.as_ref() == Some(question) {
                events.extend((1..=TICKS).map(|tick| Event::Answered { question: question.clone(), tick }));
            }
        }
    }

    fn next_state(&self, world: &World, event: Event) -> Option<World> {
        let mut next = world.clone();
        match event {
            Event::Wake { holder, tick } => {
                let commands = next.holders[holder].machine.wake(now(tick));
                next.obey(holder, commands);
            }
            Event::Arrives { question, again } => {
                let request = next.requests.get(&question)?.clone();
                if !again {
                    next.requests.remove(&question);
                }
                let answer = next.serve(&question, request);
                if next.holders[question.holder].waits.as_ref() == Some(&question) {
                    next.answers.entry(question).or_insert(answer);
                }
            }
            Event::Answered { question, tick } => {
                let answer = next.answers.remove(&question)?;
                next.holders[question.holder].waits = None;
                let commands = next.holders[question.holder].machine.answer(now(tick), answer);
                next.obey(question.holder, commands);
            }
            Event::GivesUp { holder, tick } => {
                let question = next.holders[holder].waits.take()?;
                next.answers.remove(&question);
                let unknown = Err(StoreError::Unavailable(String::new()));
                let commands = next.holders[holder].machine.answer(now(tick), unknown);
                next.obey(holder, commands);
            }
            Event::Uses { holder, tick } => {
                let this = &mut next.holders[holder];
                let (_, until) = this.may_use?;
                this.may_use = Some((tick, until));
                next.twice |= *next.used.entry(tick).or_insert(this.life) != this.life;
            }
            Event::SessionEnds { holder } => {
                let life = next.holders[holder].life;
                next.holders[holder].session_over = true;
                if next.stored.claim == Some(life) {
                    next.stored.claim = None;
                }
            }
            Event::StartsAgain { holder: number } => {
                let life = next.lives;
                next.lives += 1;
                next.answers.retain(|question, _| question.holder != number);
                next.holders[number] = holder(life);
            }
            Event::HandsBack { holder } => {
                let (from, until) = next.holders[holder].may_use?;
                // The generator is retired first. Its first unused tick: after the one it used last.
                let used = (from..until).any(|tick| next.used.get(&tick) == Some(&next.holders[holder].life));
                let commands = next.holders[holder].machine.release(from + u64::from(used));
                next.holders[holder].may_use = None;
                next.obey(holder, commands);
            }
        }
        (next != *world).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("no tick is used by two", |_, world: &World| !world.twice),
            Property::sometimes("a slot changes hands", |_, world: &World| {
                world.used.values().collect::<BTreeSet<_>>().len() > 1
            }),
            Property::sometimes("a slot is handed back", |_, world: &World| {
                world.stored.claim.is_none() && world.stored.slot.as_ref().is_some_and(|slot| slot.fence < 3)
            }),
        ]
    }

    fn within_boundary(&self, world: &World) -> bool {
        world.stored.version.0 <= WRITES
            && world.requests.len() <= UNDER_WAY
            && world.lives <= LIVES
            && world.holders.iter().all(|holder| holder.asked <= 4)
    }
}

#[test]
fn no_tick_is_used_by_two_holders() {
    let checker = Protocol.checker().threads(2).target_max_depth(DEPTH).spawn_bfs().join();
    println!(
        "{} states, {} of them distinct, depth {}",
        checker.state_count(),
        checker.unique_state_count(),
        checker.max_depth()
    );
    checker.assert_properties();
}
