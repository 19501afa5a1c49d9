//! Bytes as a history of one generator, compared with the oracle at every step.
#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use monoflake_core::Layout;

#[path = "../../crates/core/tests/oracle/history.rs"]
mod history;
#[path = "../../crates/core/tests/oracle/mod.rs"]
mod oracle;

use history::{History, Op, Setup, Tick};

/// The oracle's list is plain, and so is its time to search it.
const MOST_OPS: usize = 200;

fn tick(bytes: &mut Unstructured) -> Result<Tick> {
    Ok(match bytes.int_in_range(0..=3)? {
        0 => Tick::At(bytes.arbitrary()?),
        1 => Tick::At(u64::from(bytes.arbitrary::<u8>()?)),
        2 => Tick::BeforeEnd(bytes.arbitrary()?),
        _ => Tick::FromNow(bytes.arbitrary()?),
    })
}

fn span(bytes: &mut Unstructured) -> Result<u32> {
    Ok(if bytes.ratio(7, 8)? { u32::from(bytes.arbitrary::<u8>()?) } else { bytes.arbitrary()? })
}

fn setup(bytes: &mut Unstructured) -> Result<Setup> {
    let time = bytes.int_in_range(1..=63)?;
    let node = bytes.int_in_range(0..=63 - time)?;
    let sequence = bytes.int_in_range(0..=63 - time - node)?;
    let layout = Layout::constant(time, node, sequence);
    Ok(Setup {
        layout,
        node: if bytes.ratio(3, 4)? { Some(bytes.int_in_range(0..=layout.node_count() - 1)?) } else { None },
        lead: span(bytes)?,
        tolerance: span(bytes)?,
        spread_bits: bytes.arbitrary()?,
        clock_moves: bytes.arbitrary()?,
        now: tick(bytes)?,
    })
}

fn op(bytes: &mut Unstructured, setup: &Setup) -> Result<Op> {
    Ok(match bytes.int_in_range(0..=7)? {
        0 => Op::SetClock(tick(bytes)?),
        1 => Op::TryNext,
        2 => Op::Next,
        3 => {
            let n = if bytes.arbitrary()? { bytes.arbitrary()? } else { usize::from(bytes.arbitrary::<u8>()?) };
            // The oracle walks tick by tick: no batch without end where the lead is long.
            Op::TryReserve(if setup.lead > 255 { n.min(100) } else { n })
        }
        4 => Op::Fill(bytes.arbitrary()?),
        5 => Op::Grant {
            node: bytes.int_in_range(0..=setup.layout.node_count() - 1)?,
            from: tick(bytes)?,
            until: tick(bytes)?,
        },
        6 => Op::Revoke,
        _ => Op::Retire,
    })
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Unstructured::new(bytes);
    let Ok(setup) = setup(&mut bytes) else { return };
    let mut ops = Vec::new();
    while !bytes.is_empty() && ops.len() < MOST_OPS {
        let Ok(op) = op(&mut bytes, &setup) else { break };
        ops.push(op);
    }
    History::run(setup, ops);
});
