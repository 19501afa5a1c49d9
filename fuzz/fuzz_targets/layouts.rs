//! Any widths and any parts: decode undoes encode, and an error is exactly the one that arithmetic in 128 bits says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use monoflake_core::{Id, Layout, LayoutError, Parts};

/// The id by its definition: each field weighs as much as all values of the fields to its right.
fn id_of(widths: [u8; 3], parts: Parts) -> Result<u64, LayoutError> {
    let [times, nodes, sequences] = widths.map(|bits| 1_u128 << bits);
    let Parts { tick, node, sequence } = parts;
    let last = |values: u128| u64::try_from(values - 1).expect("at most 63 bits");
    if u128::from(tick) >= times {
        return Err(LayoutError::TickOutOfRange { tick, last: last(times) });
    }
    if u128::from(node) >= nodes {
        return Err(LayoutError::NodeOutOfRange { node, last: last(nodes) });
    }
    if u128::from(sequence) >= sequences {
        return Err(LayoutError::SequenceOutOfRange { sequence, last: last(sequences) });
    }
    let id = (u128::from(tick) * nodes + u128::from(node)) * sequences + u128::from(sequence);
    Ok(u64::try_from(id).expect("at most 63 bits"))
}

fn parts_of(widths: [u8; 3], id: u64) -> Option<Parts> {
    let [times, nodes, sequences] = widths.map(|bits| 1_u128 << bits);
    let id = u128::from(id);
    let [tick, node, sequence] = [id / sequences / nodes, id / sequences % nodes, id % sequences];
    let narrow = |field| u64::try_from(field).expect("part of an id");
    (tick < times).then(|| Parts { tick: narrow(tick), node: narrow(node), sequence: narrow(sequence) })
}

fuzz_target!(|input: ([u8; 3], [u64; 3], [u8; 3], u64)| {
    let (widths, fields, narrowed, number) = input;
    let [time, node, sequence] = widths;
    let sum: u32 = widths.iter().map(|bits| u32::from(*bits)).sum();
    let layout = match Layout::new(time, node, sequence) {
        Ok(layout) => layout,
        Err(error) => {
            assert!(time == 0 || sum > 63, "{widths:?} fit");
            assert_eq!(error, LayoutError::Widths { time, node, sequence });
            return;
        }
    };
    assert!(time >= 1 && sum <= 63, "{widths:?} do not fit");

    // Numbers of every length: most of 64 random bits fit no field.
    let [tick, node, sequence] = [0, 1, 2].map(|n| fields[n] >> (narrowed[n] % 64));
    let parts = Parts { tick, node, sequence };
    let id = layout.encode(parts);
    assert_eq!(id.map(Id::as_u64), id_of(widths, parts));
    if let Ok(id) = id {
        assert_eq!(layout.decode(id), Ok(parts));
    }
    assert_eq!(layout.node(node).map(|node| node.number()).ok(), (node < layout.node_count()).then_some(node));

    let Ok(id) = Id::try_from(number) else {
        assert!(number >= 1 << 63);
        return;
    };
    match parts_of(widths, number) {
        Some(parts) => {
            assert_eq!(layout.decode(id), Ok(parts));
            assert_eq!(layout.encode(parts), Ok(id));
        }
        None => {
            let bits = u8::try_from(sum).expect("at most 63");
            assert_eq!(layout.decode(id), Err(LayoutError::IdTooWide { id, bits }));
        }
    }
});
