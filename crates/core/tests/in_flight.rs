//! Calls in flight: what a call may still do while others grant, revoke, retire and move on beside it.

mod preempted;

use monoflake_core::{Generator, Id, Layout, Lease, Node, Refusal};
use preempted::{Preempted, Turn};

const LAYOUT: Layout = Layout::DEFAULT;
const NODE: Node = Node::constant(LAYOUT, 7);
const T: u64 = 1_000;

fn nothing() -> Turn {
    Box::new(|_| ())
}

fn tick(id: Id) -> u64 {
    LAYOUT.decode(id).unwrap().tick
}

/// I3, for every earlier permit that a call may still hold: the one in force, a revoked one, one that was replaced.
#[test]
fn no_call_in_flight_uses_a_tick_that_retire_gave_back() {
    let ways: [fn(&Generator<Preempted>); 3] =
        [|_| (), Generator::revoke, |generator| generator.grant(Lease { node: NODE, from: T, until: T + 1 }).unwrap()];
    for before in ways {
        let generator = Preempted::generator(T - 500, |clock| Generator::closed(LAYOUT, clock));
        generator.grant(Lease { node: NODE, from: T, until: T + 3_000 }).unwrap();
        generator.clock().preempt_with([
            // The first reading is behind the lease, so that the call goes on where the clock is read after the loads.
            Box::new(|generator: &Generator<Preempted>| generator.clock().set(T)) as Turn,
            Box::new(move |generator: &Generator<Preempted>| {
                before(generator);
                assert_eq!(generator.retire(), T);
            }),
        ]);
        assert_eq!(generator.try_next(), Err(Refusal::NotLeased));
        assert!(generator.clock().all_happened());
    }
}

/// I2: a call that began under one permit finishes with its node and below its `until`, or takes the new one.
#[test]
fn a_call_in_flight_never_mixes_two_permits() {
    // The old node's window ends at T + 10; the new one's ticks begin there at the earliest.
    for (from, until) in [(T + 10, T + 11), (T + 50, T + 100), (T - 50, T + 100)] {
        // Before the call loads anything; and after it has loaded both the counter and the permit.
        for first_reading in [T, T - 500] {
            let generator = Preempted::generator(first_reading, |clock| Generator::closed(LAYOUT, clock));
            generator.grant(Lease { node: LAYOUT.node(1).unwrap(), from: T - 10, until: T + 10 }).unwrap();
            let other = LAYOUT.node(2).unwrap();
            let catch_up: Turn = Box::new(|generator| generator.clock().set(T));
            let grant: Turn = Box::new(move |generator| {
                generator.clock().set(from.max(T + 10));
                generator.grant(Lease { node: other, from, until }).unwrap();
            });
            let turns = if first_reading == T { vec![grant] } else { vec![catch_up, grant] };
            generator.clock().preempt_with(turns);
            let parts = LAYOUT.decode(generator.try_next().unwrap()).unwrap();
            let window = if parts.node == 1 { T - 10..T + 10 } else { from.max(T + 10)..until };
            assert!(window.contains(&parts.tick), "{parts:?} lies outside {window:?}");
            assert!(generator.clock().all_happened());
        }
    }
}

/// A call never waits longer than `tolerance + lead + 1` ticks, also if the counter is raised while it makes up its mind.
#[test]
fn a_raise_beside_a_waiting_call_does_not_prolong_its_wait() {
    let raises: [fn(&Generator<Preempted>); 2] = [
        |generator| {
            generator.retire();
        },
        |generator| {
            generator.grant(Lease { node: NODE, from: T + 3_600_000, until: T + 7_200_000 }).unwrap();
        },
    ];
    for raise in raises {
        let generator = Preempted::generator(T, |clock| Generator::new(NODE, clock).with_lead(2).with_tolerance(5));
        assert_eq!(generator.try_reserve(3 * 4_096).map(|batch| batch.len()), Ok(3 * 4_096));
        generator.clock().preempt_with([nothing(), Box::new(raise) as Turn]);
        assert!(generator.next().is_err());
        assert!(generator.clock().all_happened());
        let waited_for = generator.clock().waited_for();
        assert!(waited_for <= Some(T + 5 + 2 + 1), "at tick {T} it waited for {waited_for:?}");
    }
}

/// The reading that decides is the one taken after the load: others' progress is no step of the clock.
#[test]
fn a_stale_reading_is_no_step_of_the_clock() {
    let generator = Preempted::generator(T, |clock| Generator::new(NODE, clock).with_tolerance(0));
    let mut highest = Id::MIN;
    for round in 0..10 {
        generator.clock().preempt_with((1..=round).map(|turn| {
            Box::new(move |generator: &Generator<Preempted>| {
                generator.clock().set(T + round * 1_000 + turn * 50);
                generator.try_next().unwrap();
            }) as Turn
        }));
        let id = generator.try_next().unwrap_or_else(|refusal| panic!("round {round}: {refusal:?}"));
        assert!(id > highest && tick(id) <= T + round * 1_000 + round * 50);
        assert!(generator.clock().all_happened());
        highest = id;
    }
}
