//! The lease: what a generator may use, in the words of whoever grants it.

use crate::Node;

/// A node, and the ticks `from..until` in which its holder may make ids.
///
/// ```
/// use monoflake_core::{Layout, Lease};
///
/// let lease = Lease { node: Layout::DEFAULT.node(7)?, from: 1_000, until: 4_000 };
/// assert_eq!(lease.until - lease.from, 3_000);
/// # Ok::<(), monoflake_core::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The node.
    pub node: Node,
    /// The first tick that may be used.
    pub from: u64,
    /// The first tick that may not be used any more.
    pub until: u64,
}
