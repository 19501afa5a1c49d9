//! Random histories of one generator against the oracle: jumping clocks, leases that come and go, every layout.

#[path = "oracle/history.rs"]
mod history;
mod oracle;

use history::{History, Op, Setup, Tick};
use monoflake_core::{Generator, Layout, LayoutError, Lease, ManualClock, Parts};
use proptest::prelude::*;

/// The widest layouts in each direction, some tiny ones that fill and end quickly, and all the others.
fn layouts() -> impl Strategy<Value = Layout> {
    let widest = prop::sample::select(vec![(62, 0, 1), (1, 0, 62), (1, 62, 0), (41, 22, 0), (63, 0, 0), (41, 10, 12)]);
    let tiny = (1_u8..5, 0_u8..3, 0_u8..4);
    let any = (1_u8..=63)
        .prop_flat_map(|time| (Just(time), 0..=63 - time))
        .prop_flat_map(|(time, node)| (Just(time), Just(node), 0..=63 - time - node));
    prop_oneof![widest, tiny, any].prop_map(|(time, node, sequence)| Layout::constant(time, node, sequence))
}

fn ticks() -> impl Strategy<Value = Tick> {
    prop_oneof![
        4 => (-12_i8..12).prop_map(Tick::FromNow),
        1 => any::<i8>().prop_map(Tick::FromNow),
        2 => (0_u64..8).prop_map(Tick::At),
        2 => (0_u8..4).prop_map(Tick::BeforeEnd),
        1 => prop_oneof![any::<u64>(), Just(u64::MAX), Just(1 << 63), Just((1 << 63) - 1)].prop_map(Tick::At),
    ]
}

/// No batch without end beside the longest leads: the oracle walks tick by tick.
fn ops(layout: Layout, lead: u32) -> impl Strategy<Value = Op> {
    let most = if lead > 8 { 100 } else { usize::MAX };
    let node = 0..layout.node_count();
    prop_oneof![
        4 => ticks().prop_map(Op::SetClock),
        4 => Just(Op::TryNext),
        1 => Just(Op::Next),
        3 => prop_oneof![0_usize..10, 4_000_usize..9_000, any::<usize>(), Just(usize::MAX)]
            .prop_map(move |n| Op::TryReserve(n.min(most))),
        2 => any::<u8>().prop_map(Op::Fill),
        2 => (node, ticks(), ticks()).prop_map(|(node, from, until)| Op::Grant { node, from, until }),
        1 => Just(Op::Revoke),
        1 => Just(Op::Retire),
    ]
}

fn spans() -> impl Strategy<Value = u32> {
    prop_oneof![3 => 0_u32..3, 1 => 0_u32..200, 1 => Just(u32::MAX)]
}

fn setups() -> impl Strategy<Value = Setup> {
    (layouts(), spans(), spans(), prop_oneof![2 => Just(0_u8), 1 => 0_u8..70], any::<bool>(), ticks()).prop_flat_map(
        |(layout, lead, tolerance, spread_bits, clock_moves, now)| {
            prop::option::weighted(0.7, 0..layout.node_count()).prop_map(move |node| Setup {
                layout,
                node,
                lead,
                tolerance,
                spread_bits,
                clock_moves,
                now,
            })
        },
    )
}

fn histories() -> impl Strategy<Value = (Setup, Vec<Op>)> {
    setups().prop_flat_map(|setup| (Just(setup), prop::collection::vec(ops(setup.layout, setup.lead), 1..60)))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        max_shrink_iters: 2_000,
        max_flat_map_regens: 100, // the default searches for minutes
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_history_agrees_with_the_oracle((setup, ops) in histories()) {
        History::run(setup, ops);
    }

    #[test]
    fn parts_come_back_from_every_layout(
        (layout, tick, node, sequence) in layouts().prop_flat_map(|layout| (
            Just(layout), 0..=layout.last_tick(), 0..layout.node_count(), 0..layout.ids_per_tick(),
        ))
    ) {
        let parts = Parts { tick, node, sequence };
        prop_assert_eq!(layout.decode(layout.encode(parts).unwrap()), Ok(parts));
    }
}

#[test]
fn every_field_extreme_comes_back_from_every_layout() {
    let widths = (1..=63_u8).flat_map(|time| (0..=63 - time).map(move |node| (time, node)));
    for (time, node) in widths {
        for sequence in 0..=63 - time - node {
            let layout = Layout::constant(time, node, sequence);
            let (last, nodes, ids) = (layout.last_tick(), layout.node_count(), layout.ids_per_tick());
            for n in 0..8 {
                let pick = |bit: u8, most: u64| if n & bit == 0 { 0 } else { most };
                let parts = Parts { tick: pick(1, last), node: pick(2, nodes - 1), sequence: pick(4, ids - 1) };
                let id = layout.encode(parts).unwrap();
                assert!(id.as_u64() < 1 << (time + node + sequence));
                assert_eq!(layout.decode(id), Ok(parts), "{layout:?}");
            }
        }
    }
}

#[test]
fn ids_rise_over_a_change_of_node() {
    let generator = Generator::closed(Layout::DEFAULT, ManualClock::new(50));
    let lease = |node, until| Lease { node: Layout::DEFAULT.node(node).unwrap(), from: 0, until };

    generator.grant(lease(9, 60)).unwrap();
    let before = generator.try_next().unwrap();
    assert_eq!(generator.grant(lease(3, 60)), Err(LayoutError::EmptyWindow { from: 60, until: 60 }));
    generator.grant(lease(3, 100)).unwrap();
    // A lower node in the same tick would make lower ids; and a call in flight may use its tick up to 60.
    assert!(generator.try_next().is_err());
    generator.clock().set(60);
    let after = generator.try_next().unwrap();
    assert!(before < after, "{before} before {after}");
    assert_eq!(Layout::DEFAULT.decode(after), Ok(Parts { tick: 60, node: 3, sequence: 0 }));
}

#[test]
fn an_id_at_a_low_rate_falls_on_every_shard() {
    for stride in [1, 2, 3, 5, 7, 10, 16, 60, 100, 256, 500, 1_000, 4_096, 60_000] {
        let generator = Generator::new(Layout::DEFAULT.node(7).unwrap(), ManualClock::new(0)).with_spread(4);
        let mut shards = [0; 16];
        for n in 1..=1_000 {
            generator.clock().set(n * stride);
            let id = generator.try_next().unwrap().as_u64();
            shards[usize::try_from(id % 16).unwrap()] += 1;
        }
        // Evenly it would be 62 each.
        assert!(shards.iter().all(|count| *count >= 20), "every {stride} ticks: {shards:?}");
    }
}
