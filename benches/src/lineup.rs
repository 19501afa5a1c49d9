//! Who takes part, and under which name.

use monoflake::{SystemClock, TscClock};
use serde::Serialize;

use crate::{contestant::Contestant, floors, ours, peers, plain};

/// What a contestant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// What no generator can cost less than.
    Floor,
    /// Monoflake.
    Ours,
    /// The plain algorithm under a mutex.
    Plain,
    /// Another crate.
    Peer,
}

impl Kind {
    /// In lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Ours => "ours",
            Self::Plain => "plain",
            Self::Peer => "peer",
        }
    }
}

/// A contestant's name, and how to make a fresh one.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its kind.
    pub kind: Kind,
    /// As in the tables.
    pub name: &'static str,
    /// A fresh one.
    pub make: fn() -> Box<dyn Contestant>,
}

const fn entry(kind: Kind, name: &'static str, make: fn() -> Box<dyn Contestant>) -> Entry {
    Entry { kind, name, make }
}

/// One id a call, the ceiling not binding where it can be helped.
pub const LINEUP: &[Entry] = &[
    entry(Kind::Floor, "fetch_add", floors::fetch_add),
    entry(Kind::Floor, "load + compare_exchange", floors::exchange),
    entry(Kind::Floor, "raw counter", floors::raw_counter),
    entry(Kind::Floor, "raw counter + compare_exchange", floors::counter_and_exchange),
    entry(Kind::Floor, "raw counter + exchange, by branch", floors::counter_and_exchange_predicted),
    entry(Kind::Floor, "SystemTime::now", floors::system_time),
    entry(Kind::Ours, "CachedClock", ours::cached_clock),
    entry(Kind::Ours, "TscClock", ours::tsc),
    entry(Kind::Ours, "SystemClock", ours::system_clock),
    entry(Kind::Plain, "std Mutex, SystemTime inside", plain::std_inside),
    entry(Kind::Plain, "std Mutex, SystemTime before", plain::std_outside),
    entry(Kind::Plain, "std Mutex, counter before", plain::std_counter),
    entry(Kind::Plain, "parking_lot, SystemTime inside", plain::parking_lot_inside),
    entry(Kind::Plain, "parking_lot, SystemTime before", plain::parking_lot_outside),
    entry(Kind::Plain, "parking_lot, counter before", plain::parking_lot_counter),
    entry(Kind::Peer, "ferroid, yield", peers::ferroid_yield),
    entry(Kind::Peer, "ferroid, spin", peers::ferroid_spin),
    entry(Kind::Peer, "snowflake_me", peers::snowflake_me),
    entry(Kind::Peer, "snowid", peers::snowid),
    entry(Kind::Peer, "snowdon", peers::snowdon),
    entry(Kind::Peer, "ulid", peers::ulid),
    entry(Kind::Peer, "uuid v7", peers::uuid_v7),
    entry(Kind::Peer, "rs-snowflake", peers::rs_snowflake),
    entry(Kind::Peer, "sonyflake", peers::sonyflake),
];

/// 1024 ids a call, into a slice.
pub const BATCHES: &[Entry] = &[
    entry(Kind::Ours, "try_reserve", ours::reserve),
    entry(Kind::Ours, "fill", ours::fill),
    entry(Kind::Peer, "snowflake_me", peers::snowflake_me_batch),
    entry(Kind::Peer, "snowid", peers::snowid_batch),
];

/// 12 bits of sequence, ticks of 1 ms: the ceiling binds.
pub const AT_THE_CEILING: &[Entry] = &[
    entry(Kind::Ours, "TscClock", || ours::saturated(TscClock::new)),
    entry(Kind::Ours, "SystemClock", || ours::saturated(SystemClock::new)),
    entry(Kind::Ours, "CachedClock", || ours::saturated(ours::cached)),
    entry(Kind::Plain, "std Mutex, SystemTime inside", plain::saturated),
    entry(Kind::Peer, "ferroid, yield", peers::ferroid_saturated),
    entry(Kind::Peer, "snowflake_me", peers::snowflake_me_saturated),
    entry(Kind::Peer, "rs-snowflake", peers::rs_snowflake),
];

/// Whose tail is measured: the ends of the field, and who is near.
pub const TAILS: &[Entry] = &[
    entry(Kind::Floor, "nothing (the timing itself)", floors::nothing),
    entry(Kind::Floor, "load + compare_exchange", floors::exchange),
    entry(Kind::Floor, "raw counter + compare_exchange", floors::counter_and_exchange),
    entry(Kind::Ours, "TscClock", ours::tsc),
    entry(Kind::Ours, "CachedClock", ours::cached_clock),
    entry(Kind::Plain, "std Mutex, SystemTime inside", plain::std_inside),
    entry(Kind::Plain, "parking_lot, SystemTime before", plain::parking_lot_outside),
    entry(Kind::Peer, "ferroid, yield", peers::ferroid_yield),
    entry(Kind::Peer, "ferroid, spin", peers::ferroid_spin),
    entry(Kind::Peer, "snowflake_me", peers::snowflake_me),
];
