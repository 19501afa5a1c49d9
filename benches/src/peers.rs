//! Other crates, each in the best real layout that it has: time enough for decades, and as many sequence
//! bits as it allows, so that the ceiling binds as little as may be.

use std::{sync::Mutex, thread};

use ferroid::{
    define_snowflake_id,
    generator::AtomicSnowflakeGenerator,
    id::SnowflakeTwitterId,
    time::{MonotonicClock, TWITTER_EPOCH},
};
use snowdon::{Epoch, Generator, Layout};
use snowid::{SnowID, SnowIDConfig};

use crate::{
    contestant::{Batch, Contestant, insist, one},
    ours::BATCH,
};

mod wide {
    #![allow(missing_docs, reason = "the macro's")]
    super::define_snowflake_id!(
        /// 42/0/22.
        FerroidWide, u64,
        reserved: 0,
        timestamp: 42,
        machine_id: 0,
        sequence: 22
    );
}
use wide::FerroidWide;

/// ferroid, lets the scheduler choose when another thread came first.
pub fn ferroid_yield() -> Box<dyn Contestant> {
    let generator = AtomicSnowflakeGenerator::<FerroidWide, _>::new(0, MonotonicClock::<1>::default());
    one!(generator, |generator| generator.next_id(|_| thread::yield_now()).to_raw())
}

/// ferroid, spins when another thread came first.
pub fn ferroid_spin() -> Box<dyn Contestant> {
    let generator = AtomicSnowflakeGenerator::<FerroidWide, _>::new(0, MonotonicClock::<1>::default());
    one!(generator, |generator| generator.next_id(|_| std::hint::spin_loop()).to_raw())
}

/// ferroid at 41/10/12, yields at the ceiling.
pub fn ferroid_saturated() -> Box<dyn Contestant> {
    let clock = MonotonicClock::<1>::with_epoch(TWITTER_EPOCH);
    let generator = AtomicSnowflakeGenerator::<SnowflakeTwitterId, _>::new(1, clock);
    one!(generator, |generator| generator.next_id(|_| thread::yield_now()).to_raw())
}

fn snowflake_me_with(time: u8, machine: u8, sequence: u8) -> snowflake_me::Snowflake {
    snowflake_me::Snowflake::builder()
        .bit_len_time(time)
        .bit_len_data_center_id(machine)
        .bit_len_machine_id(machine)
        .bit_len_sequence(sequence)
        // 31 bits of milliseconds last 24 days, so its widest sequence needs a late start.
        .start_time(now_ms() - 60_000)
        .machine_id(&|| Ok(1))
        .data_center_id(&|| Ok(1))
        .finalize()
        .expect("the widths sum to 63")
}

/// `snowflake_me` at 31/5/5/22.
pub fn snowflake_me() -> Box<dyn Contestant> {
    let generator = snowflake_me_with(31, 5, 22);
    one!(generator, |generator| insist!(generator.next_id()).as_u64())
}

/// `snowflake_me`'s batch.
pub fn snowflake_me_batch() -> Box<dyn Contestant> {
    let generator = snowflake_me_with(31, 5, 22);
    Box::new(Batch {
        empty: Vec::new(),
        fill: move |ids: &mut Vec<snowflake_me::SnowflakeId>| {
            ids.clear();
            generator.next_ids_into(BATCH, ids).expect("the clock goes on");
            ids.len()
        },
    })
}

/// `snowflake_me` at 41/5/5/12, waits at the ceiling.
pub fn snowflake_me_saturated() -> Box<dyn Contestant> {
    let generator = snowflake_me_with(41, 5, 12);
    one!(generator, |generator| insist!(generator.next_id()).as_u64())
}

/// snowid with its fewest node bits, 42/6/16: 65,536 ids a millisecond.
fn snowid_wide() -> SnowID {
    let config = SnowIDConfig::builder().node_bits(6).expect("6 to 16 are allowed").build();
    SnowID::with_config(1, config).expect("the node fits")
}

/// snowid: `try_generate`, because `generate` takes from the future without bound.
pub fn snowid() -> Box<dyn Contestant> {
    let generator = snowid_wide();
    one!(generator, |generator| insist!(generator.try_generate()))
}

/// snowid's batch. Its ceiling binds: 15.3 ns an id.
pub fn snowid_batch() -> Box<dyn Contestant> {
    let generator = snowid_wide();
    Box::new(Batch {
        empty: vec![0; BATCH],
        fill: move |ids: &mut Vec<u64>| {
            insist!(match generator.try_generate_batch(ids) {
                0 => Err(()),
                made => Ok(made),
            })
        },
    })
}

#[derive(Debug)]
struct SnowdonWide;

impl Layout for SnowdonWide {
    fn construct_snowflake(timestamp: u64, sequence_number: u64) -> u64 {
        timestamp << 22 | sequence_number
    }

    fn timestamp(input: u64) -> u64 {
        input >> 22
    }

    fn exceeds_timestamp(input: u64) -> bool {
        input >= 1 << 41
    }

    fn sequence_number(input: u64) -> u64 {
        input & ((1 << 22) - 1)
    }

    fn exceeds_sequence_number(input: u64) -> bool {
        input >= 1 << 22
    }

    fn is_valid_snowflake(input: u64) -> bool {
        input >> 63 == 0
    }
}

impl Epoch for SnowdonWide {
    fn millis_since_unix() -> u64 {
        1_735_689_600_000
    }
}

/// snowdon, lock-free, 41/22; its caller spins.
pub fn snowdon() -> Box<dyn Contestant> {
    let generator = Generator::<SnowdonWide, SnowdonWide>::default();
    one!(generator, |generator| insist!(generator.generate()).into_inner())
}

/// rs-snowflake in a mutex, 42/5/5/12 only: its ceiling binds, 244 ns an id.
pub fn rs_snowflake() -> Box<dyn Contestant> {
    let generator = Mutex::new(snowflake::SnowflakeIdGenerator::new(1, 1));
    one!(generator, |generator| generator
        .lock()
        .expect("nobody panics in the section")
        .real_time_generate()
        .cast_unsigned())
}

/// sonyflake, 39/8/16 in 10 ms only: its ceiling binds, 39 µs an id.
pub fn sonyflake() -> Box<dyn Contestant> {
    let generator =
        sonyflake::Sonyflake::builder().machine_id(&|| Ok(1)).finalize().expect("the machine number is given");
    one!(generator, |generator| generator.next_id().expect("the clock goes on").to_u64())
}

/// UUID version 7, with the `fast-rng` feature.
pub fn uuid_v7() -> Box<dyn Contestant> {
    one!((), |_nothing| uuid::Uuid::now_v7().as_u64_pair().1)
}

/// ULID, monotonic, in a mutex.
pub fn ulid() -> Box<dyn Contestant> {
    let generator = Mutex::new(ulid::Generator::new());
    one!(generator, |generator| {
        let mut generator = generator.lock().expect("nobody panics in the section");
        low_half(generator.generate().unwrap_or_else(ulid::Overflow::commit_overflow_increment).0)
    })
}

#[allow(clippy::cast_possible_truncation, reason = "the half that differs from id to id")]
fn low_half(id: u128) -> u64 {
    id as u64
}

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
