//! The node: a node number that is known to fit its layout.

use core::fmt;

use crate::{Layout, LayoutError};

/// A node of a layout: a number that fits.
///
/// That it *fits* is checked here; that nobody else uses it is the caller's promise, or a lease's.
///
/// ```
/// use monoflake_core::{Layout, Node};
///
/// const NODE: Node = Node::constant(Layout::DEFAULT, 7);
/// assert_eq!(Layout::DEFAULT.node(7), Ok(NODE));
/// assert_eq!(NODE.number(), 7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    layout: Layout,
    number: u64,
}

impl Node {
    /// The node of `layout` with this number.
    ///
    /// # Errors
    ///
    /// [`LayoutError::NodeOutOfRange`] if the layout has no such node. It is never masked.
    pub const fn new(layout: Layout, number: u64) -> Result<Self, LayoutError> {
        if number >= layout.node_count() {
            return Err(LayoutError::NodeOutOfRange { node: number, last: layout.node_count() - 1 });
        }
        Ok(Self { layout, number })
    }

    /// [`new`](Self::new) for constants: what it refuses does not compile.
    ///
    /// # Panics
    ///
    /// Outside a constant, where [`new`](Self::new) is an error.
    ///
    /// ```compile_fail
    /// use monoflake_core::{Layout, Node};
    /// const NONE: Node = Node::constant(Layout::DEFAULT, 1024);
    /// assert_eq!(NONE.number(), 1024);
    /// ```
    pub const fn constant(layout: Layout, number: u64) -> Self {
        match Self::new(layout, number) {
            Ok(node) => node,
            Err(_) => panic!("the layout has no node with this number"),
        }
    }

    /// The node number.
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// The layout that it is a number of.
    pub const fn layout(&self) -> Layout {
        self.layout
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number.fmt(f)
    }
}
