//! The format: which bits of an id mean what, for ids of any origin.
//!
//! ```text
//! 0 | time | node | sequence       most
//! 0 | time | sequence | node       sonyflake
//! ```
//!
//! A [`Layout`] says how ids are *made*; a format only how they are *read*, so it also covers what nothing here
//! makes: another order of the fields, a node that is shown in two halves. A field of no bits is a field that the
//! format does not have.

use monoflake::{Id, Layout};

use crate::{args::Scale, layout::named_or_widths};

/// The bits `low..low + bits` of an id.
#[derive(Clone, Copy, Debug)]
struct Field {
    low: u8,
    bits: u8,
}

/// How the 10 bits of a node are shown once more, as two numbers of 5 bits.
#[derive(Clone, Copy, Debug)]
enum Split {
    Whole,
    DatacenterWorker,
    WorkerProcess,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    time: Field,
    node: Field,
    sequence: Field,
    split: Split,
    epoch_ms: u64,
    tick_ms: u64,
}

/// What an id says: when it was made, and the rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded {
    pub(crate) id: Id,
    pub(crate) timestamp_ms: u64,
    pub(crate) origin: Origin,
}

/// Who made an id, and which of its moment it is; `None` where the format has no such field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) node: Option<u64>,
    pub(crate) sequence: Option<u64>,
    pub(crate) datacenter: Option<u64>,
    pub(crate) worker: Option<u64>,
    pub(crate) process: Option<u64>,
}

const KNOWN: [(&str, Format); 7] = [
    ("default", Format::of(Layout::DEFAULT)),
    ("twitter", Format::of(Layout::TWITTER).split(Split::DatacenterWorker)),
    ("discord", Format::of(Layout::DISCORD).split(Split::WorkerProcess)),
    ("instagram", INSTAGRAM),
    ("sonyflake", SONYFLAKE),
    ("mastodon", Format::node_first(48, 0, 16)),
    ("javascript", Format::of(Layout::JAVASCRIPT)),
];

/// A bit wider than an id here can be: half of its time is out of reach, from the year 2046 on.
const INSTAGRAM: Format = Format { epoch_ms: 1_314_220_021_721, ..Format::node_first(41, 13, 10) };

/// 39 bits of 10 ms since 2014-09-01T00:00:00Z, and the sequence before the node.
const SONYFLAKE: Format = Format {
    time: Field { low: 24, bits: 39 },
    sequence: Field { low: 16, bits: 8 },
    node: Field { low: 0, bits: 16 },
    split: Split::Whole,
    epoch_ms: 1_409_529_600_000,
    tick_ms: 10,
};

pub(crate) fn parse(text: &str) -> Result<Format, String> {
    named_or_widths("a format", &KNOWN, text)
}

impl Format {
    /// Milliseconds since 1970, in fields of these widths.
    const fn node_first(time: u8, node: u8, sequence: u8) -> Self {
        Self {
            time: Field { low: node + sequence, bits: time },
            node: Field { low: sequence, bits: node },
            sequence: Field { low: 0, bits: sequence },
            split: Split::Whole,
            epoch_ms: 0,
            tick_ms: 1,
        }
    }

    const fn of(layout: Layout) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "a tick is at most 2^64 ns")]
        let tick_ms = layout.tick().as_millis() as u64;
        let widths = Self::node_first(layout.time_bits(), layout.node_bits(), layout.sequence_bits());
        Self { epoch_ms: layout.epoch_ms(), tick_ms, ..widths }
    }

    const fn split(mut self, split: Split) -> Self {
        self.split = split;
        self
    }

    /// The format with the epoch and tick that were asked for.
    pub(crate) fn scaled(mut self, scale: Scale) -> Self {
        self.epoch_ms = scale.epoch_ms.unwrap_or(self.epoch_ms);
        self.tick_ms = scale.tick_ms.map_or(self.tick_ms, u64::from);
        self
    }

    /// What `id` says in this format; an error where it cannot be of this format.
    pub(crate) fn decode(&self, id: Id) -> Result<Decoded, String> {
        let bits = self.time.low + self.time.bits;
        if id.as_u64().checked_shr(bits.into()).is_some_and(|above| above != 0) {
            return Err(format!("id {id} does not fit the format's {bits} bits: it was made in another, see --format"));
        }
        let tick = self.time.of(id.as_u64()).unwrap_or(0);
        let timestamp_ms = tick.checked_mul(self.tick_ms).and_then(|ms| ms.checked_add(self.epoch_ms));
        let timestamp_ms = timestamp_ms.ok_or_else(|| {
            format!(
                "the time of id {id} is above 2^64 ms: --epoch-ms, --tick-ms or --format is not what it was made with"
            )
        })?;
        Ok(Decoded { id, timestamp_ms, origin: self.origin(id.as_u64()) })
    }

    /// The greatest value of each field there is: which columns to show, and how wide.
    pub(crate) fn greatest(&self) -> Origin {
        self.origin(u64::MAX)
    }

    fn origin(&self, id: u64) -> Origin {
        let node = self.node.of(id);
        let (high, low) = (node.map(|node| node >> 5), node.map(|node| node & 31));
        let (datacenter, worker, process) = match self.split {
            Split::Whole => (None, None, None),
            Split::DatacenterWorker => (high, low, None),
            Split::WorkerProcess => (None, high, low),
        };
        Origin { node, sequence: self.sequence.of(id), datacenter, worker, process }
    }
}

impl From<Layout> for Format {
    fn from(layout: Layout) -> Self {
        Self::of(layout)
    }
}

impl Field {
    fn of(self, id: u64) -> Option<u64> {
        (self.bits > 0).then(|| id >> self.low & ((1 << self.bits) - 1))
    }
}
