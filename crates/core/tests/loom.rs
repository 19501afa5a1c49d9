//! Every interleaving of a few calls: the loop and the permit, under loom.
//!
//! ```text
//! RUSTFLAGS="--cfg monoflake_loom" cargo test --release -p monoflake-core --test loom
//! ```
//!
//! What loom cannot show: it runs each thread's stores in program order, so the Release and Acquire of
//! the permit are argued where they stand. What it shows is every order of whole loads, stores and exchanges.
#![cfg(monoflake_loom)]

use loom::{sync::Arc, thread};
use monoflake_core::{Clock, Generator, Id, Layout, Lease, ManualClock, Node, Parts, Refusal};

/// Two ids a tick, so that ticks fill up within a model.
const TINY: Layout = Layout::constant(4, 2, 1);
const A: Node = Node::constant(TINY, 1);
const B: Node = Node::constant(TINY, 2);

fn parts(id: Id) -> Parts {
    TINY.decode(id).expect("made with this layout")
}

fn take<C: Clock>(generator: &Generator<C>, times: usize) -> Vec<Id> {
    (0..times).filter_map(|_| generator.try_next().ok()).collect()
}

fn assert_rising(ids: &[Id]) {
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
}

fn assert_distinct(mut ids: Vec<Id>) {
    ids.sort_unstable();
    assert_rising(&ids);
}

/// I1. Two callers, two ids each: none twice, each caller's rise, and who comes later gets more.
#[test]
fn i1_no_word_is_given_out_twice() {
    loom::model(|| {
        let generator = Arc::new(Generator::new(A, ManualClock::new(3)).with_lead(2));
        let other = Arc::clone(&generator);
        let taking = thread::spawn(move || take(&other, 2));
        let mut ids = take(&generator, 2);
        assert_rising(&ids);
        let others = taking.join().unwrap();
        assert_rising(&others);
        ids.extend(others);
        assert_eq!(ids.len(), 4, "a lost exchange never shows to the caller");
        let last = *ids.iter().max().unwrap();
        assert_distinct(ids);
        assert!(generator.try_next().unwrap() > last);
    });
}

/// I1 while the clock moves on under the callers.
#[test]
fn i1_holds_over_a_change_of_tick() {
    loom::model(|| {
        let generator = Arc::new(Generator::new(A, ManualClock::new(3)));
        let other = Arc::clone(&generator);
        let taking = thread::spawn(move || take(&other, 2));
        generator.clock().set(4);
        let mut ids = take(&generator, 2);
        assert_rising(&ids);
        let others = taking.join().unwrap();
        assert_rising(&others);
        ids.extend(others);
        assert_distinct(ids);
    });
}

/// I1 and I8 at the end of a tick: of three callers for two ids, exactly one is refused, and rightly.
#[test]
fn i1_a_full_tick_refuses_exactly_who_is_too_many() {
    loom::model(|| {
        let generator = Arc::new(Generator::new(A, ManualClock::new(3)));
        let callers: Vec<_> = (0..2)
            .map(|_| {
                let generator = Arc::clone(&generator);
                thread::spawn(move || generator.try_next())
            })
            .collect();
        let mut results = vec![generator.try_next()];
        results.extend(callers.into_iter().map(|caller| caller.join().unwrap()));
        let ids: Vec<Id> = results.iter().copied().filter_map(Result::ok).collect();
        assert_eq!(ids.len(), 2);
        assert_distinct(ids);
        assert!(results.contains(&Err(Refusal::TickFull { ticks: 1 })));
    });
}

/// I1 for batches beside single calls.
#[test]
fn i1_a_batch_is_nobody_elses() {
    loom::model(|| {
        let generator = Arc::new(Generator::new(A, ManualClock::new(3)).with_lead(1));
        let other = Arc::clone(&generator);
        let taking = thread::spawn(move || take(&other, 2));
        let mut ids: Vec<Id> = generator.try_reserve(2).into_iter().flatten().collect();
        assert_rising(&ids);
        ids.extend(taking.join().unwrap());
        assert_distinct(ids);
    });
}

/// I2. The node changes under a caller: an id of the old node lies below its window's end, one of the new
/// node at or above its window's beginning.
#[test]
fn i2_an_id_lies_in_the_window_of_its_node() {
    loom::model(|| {
        let generator = Arc::new(Generator::closed(TINY, ManualClock::new(4)).with_lead(3));
        generator.grant(Lease { node: A, from: 1, until: 5 }).unwrap();
        let other = Arc::clone(&generator);
        let taking = thread::spawn(move || take(&other, 2));
        generator.grant(Lease { node: B, from: 6, until: 8 }).unwrap();
        let mut ids = taking.join().unwrap();
        ids.extend(take(&generator, 1));
        assert_rising(&ids);
        for id in ids {
            let Parts { tick, node, .. } = parts(id);
            let window = if node == A.number() { 1..5 } else { 6..8 };
            assert!(window.contains(&tick), "tick {tick} on node {node}");
        }
    });
}

/// I1 over a change to a lower node: who comes later still gets more, whatever a call in flight does.
#[test]
fn i1_ids_rise_over_a_change_of_node() {
    loom::model(|| {
        let generator = Arc::new(Generator::closed(TINY, ManualClock::new(4)).with_lead(3));
        generator.grant(Lease { node: B, from: 1, until: 6 }).unwrap();
        let other = Arc::clone(&generator);
        let taking = thread::spawn(move || take(&other, 2));
        generator.grant(Lease { node: A, from: 1, until: 9 }).unwrap();
        let after = generator.try_next().unwrap();
        let others = taking.join().unwrap();
        assert_rising(&others);
        for id in others.iter().filter(|id| parts(**id).node == B.number()) {
            assert!(*id < after && parts(*id).tick < parts(after).tick, "{:?} beside {:?}", parts(*id), parts(after));
        }
        assert!(generator.try_next().unwrap() > others.into_iter().fold(after, Id::max));
    });
}

/// I3. Beside a call in flight, `retire` returns a tick that nobody uses afterwards.
#[test]
fn i3_retire_is_exact() {
    loom::model(|| {
        let generator = Arc::new(Generator::closed(TINY, ManualClock::new(4)).with_lead(3));
        generator.grant(Lease { node: A, from: 1, until: 9 }).unwrap();
        let other = Arc::clone(&generator);
        let taking = thread::spawn(move || take(&other, 2));
        let first_unused = generator.retire();
        assert_eq!(generator.try_next(), Err(Refusal::NotLeased));
        for id in taking.join().unwrap() {
            assert!(parts(id).tick < first_unused, "{id} at or above {first_unused}");
        }
    });
}

/// I3 where the permit that a call in flight holds is not the last one: revoked, or replaced.
#[test]
fn i3_retire_stops_calls_with_an_earlier_permit() {
    for revoked in [false, true] {
        loom::model(move || {
            let generator = Arc::new(Generator::closed(TINY, ManualClock::new(4)));
            generator.grant(Lease { node: A, from: 1, until: 9 }).unwrap();
            let other = Arc::clone(&generator);
            let taking = thread::spawn(move || take(&other, 1));
            if revoked {
                generator.revoke();
            } else {
                generator.grant(Lease { node: B, from: 1, until: 10 }).unwrap();
            }
            let first_unused = generator.retire();
            for id in taking.join().unwrap() {
                assert!(parts(id).tick < first_unused, "{id} at or above {first_unused}");
            }
        });
    }
}

/// I3 for the next holder: it starts at the tick returned, and the two windows share no id.
#[test]
fn i3_the_next_holder_repeats_nothing() {
    loom::model(|| {
        let generator = Arc::new(Generator::closed(TINY, ManualClock::new(4)));
        generator.grant(Lease { node: A, from: 1, until: 9 }).unwrap();
        let other = Arc::clone(&generator);
        let taking = thread::spawn(move || take(&other, 2));
        let from = generator.retire();
        let next_holder = Generator::closed(TINY, ManualClock::new(4)).with_lead(3);
        next_holder.grant(Lease { node: A, from, until: 9 }).unwrap();
        let mut ids = take(&next_holder, 2);
        assert!(!ids.is_empty());
        ids.extend(taking.join().unwrap());
        assert_distinct(ids);
    });
}

/// I2 and I3 where the generator gets the very same permit again, after another has held the node in between: a call in flight
/// that holds the old one cannot use the other's ticks.
#[test]
fn i3_the_same_permit_again_is_not_the_old_one() {
    for retired in [false, true] {
        loom::model(move || {
            let generator = Arc::new(Generator::closed(TINY, ManualClock::new(4)).with_lead(8));
            generator.grant(Lease { node: A, from: 1, until: 6 }).unwrap();
            let other = Arc::clone(&generator);
            let taking = thread::spawn(move || take(&other, 1));
            let first_unused = if retired { generator.retire() } else { 6 };
            if !retired {
                generator.revoke();
            }
            // The other holder uses the ticks from `first_unused` up to 8.
            generator.grant(Lease { node: A, from: 8, until: 9 }).unwrap();
            generator.grant(Lease { node: A, from: 8, until: 10 }).unwrap();
            for id in taking.join().unwrap() {
                let tick = parts(id).tick;
                assert!(tick < first_unused || tick >= 8, "tick {tick} was the other holder's: {first_unused}..8");
            }
        });
    }
}
