//! Real threads on one generator: distinct ids that rise for each caller, also while leases come and go.

use std::{sync::Barrier, thread};

use monoflake_core::{
    Clock, Generator, Id, Layout, Lease, ManualClock, Parts, Refusal,
    sync::{AtomicBool, AtomicU64, Ordering},
};

const LAYOUT: Layout = Layout::DEFAULT;
const T: u64 = 1_000;
const TENURES: u64 = 200;
const WINDOW: u64 = 100;

/// Moves on when it is told to.
struct Pushed(AtomicU64);

impl Pushed {
    fn push(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Clock for Pushed {
    fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

fn assert_distinct(mut ids: Vec<Id>) {
    ids.sort_unstable();
    assert!(ids.is_sorted_by(|a, b| a < b), "an id was made twice");
}

#[test]
fn ids_are_distinct_and_rise_for_every_thread() {
    const THREADS: usize = 4;
    const IDS: usize = 60_000;
    let generator = Generator::new(LAYOUT.node(7).unwrap(), Pushed(AtomicU64::new(T)));
    let start = Barrier::new(THREADS);
    let take = |thread: usize| {
        let mut ids = Vec::with_capacity(IDS + 100);
        start.wait();
        while ids.len() < IDS {
            // Half of them one by one, half in batches, which cross each other.
            let took = match thread % 2 {
                0 => generator.try_next().map(|id| ids.push(id)),
                _ => generator.try_reserve(ids.len() % 100 + 1).map(|batch| ids.extend(batch)),
            };
            match took {
                Ok(()) => {}
                Err(Refusal::TickFull { .. }) => generator.clock().push(),
                Err(other) => panic!("{other:?}"),
            }
        }
        assert!(ids.is_sorted_by(|a, b| a < b), "ids of one caller");
        ids
    };
    let all = thread::scope(|scope| {
        let takers: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || take(thread))).collect();
        takers.into_iter().flat_map(|taker| taker.join().unwrap()).collect()
    });
    assert_distinct(all);
}

#[test]
fn batches_are_exact_beside_parallel_single_calls() {
    let layout = Layout::constant(41, 2, 20);
    let generator = Generator::new(layout.node(1).unwrap(), ManualClock::new(T));
    let stop = AtomicBool::new(false);
    let all = thread::scope(|scope| {
        let single = scope.spawn(|| {
            let until_stopped = |_: &Id| !stop.load(Ordering::Relaxed);
            std::iter::from_fn(|| generator.try_next().ok()).take_while(until_stopped).collect::<Vec<_>>()
        });
        let mut all = Vec::new();
        for _ in 0..50 {
            let mut ids = vec![Id::MIN; 4_096];
            generator.fill(&mut ids).unwrap();
            assert!(ids.is_sorted_by(|a, b| a < b));
            all.extend(ids);
        }
        stop.store(true, Ordering::Relaxed);
        all.extend(single.join().unwrap());
        all
    });
    assert_distinct(all);
}

/// Every lease has a node of its own, so that an id tells which one it was made under.
#[test]
fn every_id_lies_in_its_lease_and_below_what_retire_gave_back() {
    let generator = Generator::closed(LAYOUT, ManualClock::new(T));
    let (stop, made) = (AtomicBool::new(false), AtomicU64::new(0));
    let take = || {
        let mut ids = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            ids.extend(generator.try_reserve(3).into_iter().flatten());
            made.store(ids.len() as u64, Ordering::Relaxed);
        }
        ids
    };
    let (windows, ids) = thread::scope(|scope| {
        let takers = [scope.spawn(take), scope.spawn(take)];
        let windows: Vec<_> = (0..TENURES).map(|node| one_tenure(&generator, node, &made)).collect();
        stop.store(true, Ordering::Relaxed);
        (windows, takers.map(|taker| taker.join().unwrap()).concat())
    });
    assert!(ids.len() > 1_000, "only {} ids", ids.len());
    assert!(windows.iter().all(|(from, first_unused)| (*from..=from + WINDOW).contains(first_unused)));
    for id in &ids {
        let Parts { tick, node, .. } = LAYOUT.decode(*id).unwrap();
        let (from, first_unused) = windows[usize::try_from(node).unwrap()];
        assert!(tick >= from, "{id} lies before its lease, which began at {from}");
        assert!(tick < first_unused, "{id} lies in tick {tick}; retire had said that {first_unused} was unused");
    }
    assert_distinct(ids);
}

/// Grants, lets time pass, extends, lets time pass, sometimes revokes first, retires; returns the ticks it may have used.
fn one_tenure(generator: &Generator<ManualClock>, node: u64, made: &AtomicU64) -> (u64, u64) {
    let from = T + node * 2 * WINDOW;
    let lease = |until| Lease { node: LAYOUT.node(node).unwrap(), from, until };
    generator.clock().set(from);
    generator.grant(lease(from + WINDOW / 2)).unwrap();
    for tick in from..from + WINDOW / 2 {
        generator.clock().set(tick);
        std::hint::spin_loop();
    }
    generator.grant(lease(from + WINDOW)).unwrap();
    generator.clock().set(from + WINDOW / 2);
    // Until the others are seen at work, but not for ever.
    let before = made.load(Ordering::Relaxed);
    for _ in 0..100 {
        if made.load(Ordering::Relaxed) != before {
            break;
        }
        thread::yield_now();
    }
    if node.is_multiple_of(3) {
        generator.revoke();
    }
    let first_unused = generator.retire();
    // What is left of the window passes too, and must stay unused.
    for tick in from + WINDOW / 2..from + WINDOW {
        generator.clock().set(tick);
        std::hint::spin_loop();
    }
    (from, first_unused)
}
