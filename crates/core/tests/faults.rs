//! Faults that broke real generators, one test each, named after the fault. Ticks of 1 ms, layout 41/10/12, node 7.
//!
//! Those that live in a clock of the operating system are tested beside the clocks, in the crate `monoflake`.

mod preempted;

use std::{
    cell::RefCell,
    collections::HashSet,
    rc::Rc,
    sync::{Barrier, Mutex},
    thread,
};

use monoflake_core::{
    Clock, Generator, Id, Layout, LayoutError, ManualClock, Node, Parts, Refusal,
    sync::{AtomicU64, Ordering},
};
use preempted::{Preempted, Turn};

const LAYOUT: Layout = Layout::DEFAULT;
const NODE: Node = Node::constant(LAYOUT, 7);
const T: u64 = 60_000_000_000;
const HOUR: u64 = 3_600_000;

fn parts(id: Id) -> (u64, u64) {
    let Parts { tick, node, sequence } = LAYOUT.decode(id).unwrap();
    assert_eq!(node, 7);
    (tick, sequence)
}

fn is_rising(ids: &[Id]) -> bool {
    ids.is_sorted_by(|a, b| a < b)
}

/// twitter-archive/snowflake, issue 6: the refused call had already stored the clock's reading and reset the
/// sequence.
#[test]
fn state_damaged_by_a_refused_call() {
    let generator = Generator::new(NODE, ManualClock::new(T));
    for sequence in 0..3 {
        assert_eq!(generator.try_next().map(parts), Ok((T, sequence)));
    }
    generator.clock().set(T - HOUR);
    assert_eq!(generator.try_next(), Err(Refusal::ClockBehind { ticks: HOUR }));
    generator.clock().set(T);
    assert_eq!(generator.try_next().map(parts), Ok((T, 3)));
}

/// bwmarrin/snowflake, pull request 53; rs-snowflake has the same: a tick that comes again starts at sequence 0.
#[test]
fn small_step_back_repeats_ids() {
    let generator = Generator::new(NODE, ManualClock::new(T));
    let mut now = T;
    let mut ids = Vec::new();
    for n in 1..=3_000 {
        ids.push(generator.try_next().unwrap());
        now = if n == 1_500 { now - 5 } else { now + n % 2 };
        generator.clock().set(now);
    }
    assert!(is_rising(&ids));
}

/// callicoder's distributed id generator: the wait for the next tick ends as soon as the clock reads anything else.
#[test]
fn wait_loop_that_only_tests_different() {
    /// Reads an earlier tick after it was waited for.
    struct StepsBack(ManualClock);

    impl Clock for StepsBack {
        fn now(&self) -> u64 {
            self.0.now()
        }

        fn wait(&self, _: u64) -> bool {
            self.0.set(T);
            true
        }
    }

    let generator = Generator::new(NODE, StepsBack(ManualClock::new(T)));
    for _ in 0..10 {
        generator.try_next().unwrap();
    }
    generator.clock().0.set(T + 1);
    let highest = generator.try_reserve(4_096).unwrap().last().unwrap();
    assert_eq!(parts(highest), (T + 1, 4_095));

    assert!(matches!(generator.next(), Err(Refusal::TickFull { .. })), "no id where the clock is at or below the last");
    generator.clock().0.set(T + 2);
    let id = generator.next().unwrap();
    assert!(id > highest);
    assert_eq!(parts(id), (T + 2, 0));
}

/// aeron-io/agrona, issue 335: the caller spins for as long as the clock stands.
#[test]
fn stopped_clock_spins_for_ever() {
    struct Stopped {
        reads: AtomicU64,
    }

    impl Clock for Stopped {
        fn now(&self) -> u64 {
            self.reads.fetch_add(1, Ordering::Relaxed);
            T
        }
    }

    let generator = Generator::new(NODE, Stopped { reads: AtomicU64::new(0) });
    let mut ids = vec![Id::MIN; 4_097];
    assert_eq!(generator.fill(&mut ids), Err(Refusal::TickFull { ticks: 1 }));
    assert!(is_rising(&ids[..4_096]));
    assert_eq!(ids[4_096], Id::MIN);

    assert_eq!(generator.try_next(), Err(Refusal::TickFull { ticks: 1 }));
    assert_eq!(generator.next(), Err(Refusal::TickFull { ticks: 1 }));
    let reads = generator.clock().reads.load(Ordering::Relaxed);
    assert!(reads < 10_000_000, "the clock was read {reads} times");
}

/// sony/sonyflake: a caller sleeps out the step with the lock held, and everybody behind it too.
#[test]
fn long_step_back_blocks_everybody() {
    let generator = Generator::new(NODE, ManualClock::new(T));
    generator.try_next().unwrap();
    generator.clock().set(T - HOUR);

    let both = Barrier::new(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                both.wait();
                for _ in 0..300 {
                    assert_eq!(generator.next(), Err(Refusal::ClockBehind { ticks: HOUR }));
                }
            });
        }
    });
    generator.clock().set(T);
    assert_eq!(generator.next().map(parts), Ok((T, 1)));
}

/// RobThree/IdGen, issue 53: a clock that moves every 15 ms.
#[test]
fn coarse_clock() {
    let generator = Generator::new(NODE, ManualClock::new(T));
    let mut ids = Vec::new();
    for step in 0..20 {
        generator.clock().set(T + step * 16);
        let before = ids.len();
        ids.extend(std::iter::from_fn(|| generator.try_next().ok()).take(5_000));
        assert_eq!(ids.len() - before, 4_096, "ids of one reading");
    }
    assert!(is_rising(&ids));
}

/// yitter/IdGenerator: it counts roll-backs, and knows no more than four.
#[test]
fn five_roll_backs() {
    let generator = Generator::new(NODE, ManualClock::new(T));
    let mut ids = Vec::new();
    let mut now = T;
    for period in 1..=6 {
        while ids.len() < period * 5_000 {
            ids.extend((0..15).filter_map(|_| generator.try_next().ok()));
            now += 1;
            generator.clock().set(now);
        }
        now -= 100;
        generator.clock().set(now);
        assert!(matches!(generator.try_next(), Err(Refusal::ClockBehind { .. })));
    }
    assert!(is_rising(&ids));
}

/// uuid6/uuid6-ietf-draft, issue 92: a second that comes twice.
#[test]
fn leap_second() {
    // A second of tolerance bridges the step; the default refuses until the clock has caught up.
    for (tolerance, refused) in [(1_000, 0), (5, 994)] {
        let generator = Generator::new(NODE, ManualClock::new(T)).with_tolerance(tolerance);
        let mut ids = Vec::new();
        let mut refusals = 0;
        for tick in (T..T + 1_000).chain(T..T + 1_010) {
            generator.clock().set(tick);
            match generator.try_next() {
                Ok(id) => ids.push(id),
                Err(Refusal::ClockBehind { .. }) => refusals += 1,
                Err(other) => panic!("{other:?} at {tick}"),
            }
        }
        assert!(is_rising(&ids));
        assert_eq!((ids.len(), refusals), (2_010 - refused, refused));
    }
}

/// Meituan-Dianping/Leaf, issue 106; ferroid in a release build: the shifted time overflows into the sign, or wraps.
#[test]
fn time_field_runs_out() {
    let end = 1 << 41;
    let generator = Generator::new(NODE, ManualClock::new(end - 1));
    let last = generator.try_reserve(4_096).unwrap().last().unwrap();
    assert_eq!(parts(last), (end - 1, 4_095));
    assert_eq!(last.as_u64(), (1 << 63) - 1 - (1023 - 7) * 4_096);
    assert!(last.as_i64() > 0);

    for now in [end - 1, end, end + 1, end + 2, 1 << 42, (1 << 63) - 1, 1 << 63, u64::MAX, end - 1, end - 3] {
        generator.clock().set(now);
        assert_eq!(generator.try_next(), Err(Refusal::Exhausted), "at {now}");
        assert_eq!(generator.next(), Err(Refusal::Exhausted), "at {now}");
        assert_eq!(generator.try_reserve(usize::MAX).map(Iterator::count), Err(Refusal::Exhausted), "at {now}");
    }
}

/// snowid; uhlc's zero clock: an unset clock makes ids of tick 0, which a later start makes again.
#[test]
fn clock_at_or_before_the_epoch() {
    assert_eq!(LAYOUT.tick_at(std::time::Duration::ZERO), 0, "a wall clock of 1970");
    let generator = Generator::new(NODE, ManualClock::new(0)).with_lead(10);
    assert_eq!(generator.try_next(), Err(Refusal::BeforeEpoch));
    assert_eq!(generator.next(), Err(Refusal::BeforeEpoch));
    assert_eq!(generator.fill(&mut [Id::MIN]), Err(Refusal::BeforeEpoch));
    generator.clock().set(1);
    assert_eq!(generator.try_next().map(parts), Ok((1, 0)));
    generator.clock().set(0);
    assert_eq!(generator.try_next(), Err(Refusal::BeforeEpoch));
}

/// baidu/uid-generator, pull request 52; ferroid: a machine number is masked, and two machines share one.
#[test]
fn machine_number_out_of_range() {
    assert!(LAYOUT.node(1_023).is_ok());
    for node in [1_024, 1_024 + 7, 1 << 32, 1 << 63, u64::MAX] {
        assert_eq!(LAYOUT.node(node), Err(LayoutError::NodeOutOfRange { node, last: 1_023 }));
        let parts = Parts { tick: 1, node, sequence: 0 };
        assert_eq!(LAYOUT.encode(parts), Err(LayoutError::NodeOutOfRange { node, last: 1_023 }));
    }
}

/// yitter/IdGenerator's Go code: the machine number is shifted in 16 bits.
#[test]
fn shift_in_a_narrow_type() {
    for node in 0..1_024 {
        for tick in [1, T, LAYOUT.last_tick()] {
            let generator = Generator::new(LAYOUT.node(node).unwrap(), ManualClock::new(tick));
            let ids = generator.try_reserve(4_096).unwrap();
            for (sequence, id) in (0..).zip(ids) {
                assert_eq!(LAYOUT.decode(id), Ok(Parts { tick, node, sequence }));
            }
        }
    }
}

/// go-snowflake: time and sequence are two words, so an update between the two loads is lost.
#[test]
fn lost_update_between_two_words() {
    let generator = Preempted::generator(T - 100, |clock| Generator::new(NODE, clock));
    let first: Vec<Id> = {
        generator.clock().set(T);
        generator.try_reserve(5).unwrap().collect()
    };
    let others = Rc::new(RefCell::new(Vec::new()));
    let theirs = Rc::clone(&others);
    generator.clock().set(T - 100);
    generator.clock().preempt_with([
        Box::new(|generator: &Generator<Preempted>| generator.clock().set(T)) as Turn,
        // A has loaded `next`, { tick: T, sequence: 5 }, and is reading the clock: now others run into T + 1.
        Box::new(move |generator: &Generator<Preempted>| {
            theirs.borrow_mut().extend(generator.try_reserve(usize::MAX).unwrap());
            generator.clock().set(T + 1);
            theirs.borrow_mut().extend(generator.try_reserve(10).unwrap());
        }),
    ]);
    let a = generator.try_next().unwrap();
    assert!(generator.clock().all_happened());
    assert_eq!(parts(a), (T + 1, 10));

    let all: Vec<Id> = first.into_iter().chain(others.take()).chain([a]).collect();
    assert_eq!(all.len(), 4_096 + 10 + 1);
    assert!(is_rising(&all));
}

/// ferroid's async generators: a caller whose exchange was lost sleeps for a millisecond, though no tick is full.
#[test]
fn a_lost_exchange_turns_into_a_sleep() {
    /// Moves on with each reading, so that no tick is ever full; whoever waits for it is wrong.
    struct Moving(AtomicU64);

    impl Clock for Moving {
        fn now(&self) -> u64 {
            self.0.fetch_add(1, Ordering::SeqCst)
        }

        fn wait(&self, tick: u64) -> bool {
            panic!("waits for tick {tick}");
        }
    }

    let generator = Generator::new(NODE, Moving(AtomicU64::new(T)));
    let both = Barrier::new(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                both.wait();
                for _ in 0..200_000 {
                    generator.next().unwrap();
                }
            });
        }
    });
}

/// `idgen_rs`: a thread that was preempted between clock and state takes others' progress for a step of the clock.
#[test]
fn a_reader_of_a_stale_clock_panics() {
    /// Never steps back; but its readers lose the processor again and again before they have used what they read.
    struct Slow(AtomicU64);

    impl Clock for Slow {
        fn now(&self) -> u64 {
            let reading = self.0.fetch_add(1, Ordering::SeqCst);
            if reading.is_multiple_of(13) {
                thread::yield_now();
            }
            reading
        }
    }

    let generator = Generator::new(NODE, Slow(AtomicU64::new(T)));
    let all = Mutex::new(HashSet::new());
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                start.wait();
                let ids: Vec<Id> = (0..20_000).map(|_| generator.try_next().unwrap()).collect();
                assert!(is_rising(&ids));
                all.lock().unwrap().extend(ids);
            });
        }
    });
    assert_eq!(all.into_inner().unwrap().len(), 8 * 20_000);
}
