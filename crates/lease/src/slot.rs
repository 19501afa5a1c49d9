//! A slot as a store keeps it: the fence that outlives every holder, and the claim that does not.

use std::fmt;

use monoflake::Layout;

/// What is stored of a slot for good.
///
/// **The fence is the first tick that nobody may have used yet.** It is written ahead of use. Only a retired holder
/// lowers it, to the exact tick.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The first tick that nobody may have used yet.
    pub fence: u64,
    /// The layout, epoch and tick that the fence is counted in.
    pub layout: Layout,
    /// Who wrote it last: host and process, for people.
    pub owner: String,
    /// How often the slot has changed hands.
    pub generation: u64,
    /// The writer's wall clock when it wrote, in milliseconds since the Unix epoch: what others' clocks are compared with.
    pub clock_ms: u64,
}

/// The proof that somebody holds a slot now. It ends with the session of whoever put it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// Whether it is this process's own session that put it.
    pub mine: bool,
    /// Who holds it: host and process, for people.
    pub holder: String,
}

/// Which write of a slot was read. Two writes never have the same, and a slot that was never written has
/// [`Version::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version(pub u64);

impl Version {
    /// Of a slot that has never been written.
    pub const NONE: Self = Self(0);
}

/// A slot as a store showed it at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// The slot's node number.
    pub node: u64,
    /// Which write this is.
    pub version: Version,
    /// What was written; none if nothing ever was.
    pub slot: Option<Slot>,
    /// Who holds it.
    pub claim: Option<Claim>,
}

impl View {
    /// A slot that nobody has used.
    pub const fn unused(node: u64) -> Self {
        Self { node, version: Version::NONE, slot: None, claim: None }
    }

    /// The first tick that nobody may have used yet.
    pub fn fence(&self) -> u64 {
        self.slot.as_ref().map_or(0, |slot| slot.fence)
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.holder)
    }
}
