//! 64-bit, time-sortable, unique ids, made in the caller's process at the speed of reading the clock.
//!
//! ```
//! use std::sync::LazyLock;
//! use monoflake::{Generator, Id, Layout, Node, Refusal, TscClock};
//!
//! static IDS: LazyLock<Generator<TscClock>> = LazyLock::new(|| {
//!     let node = Node::constant(Layout::DEFAULT, 7); // a number that no other process has
//!     Generator::new(node, TscClock::new(Layout::DEFAULT))
//! });
//!
//! fn new_order_id() -> Result<Id, Refusal> {
//!     IDS.next()
//! }
//!
//! let (first, second) = (new_order_id()?, new_order_id()?);
//! assert!(first < second);
//! # Ok::<(), Refusal>(())
//! ```
//!
//! The generator, its guarantees and its layout come from the crate [`monoflake_core`], all of which is here too.
//! This crate adds time: [`TscClock`] (take this one), [`SystemClock`] (nothing to start), [`CachedClock`] (a
//! thread keeps the time), and [`StepWatch`], which sees when the wall clock is set.
//!
//! # Features
//!
//! * `serde`: ids as numbers, or with `#[serde(with = "monoflake::text")]` as text, which JavaScript reads exactly.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod anchor;
mod anchored;
mod cached;
mod step;
mod system;
mod tsc;
mod wait;
mod wall;

pub use cached::CachedClock;
#[cfg(feature = "serde")]
pub use monoflake_core::text;
#[doc(inline)]
pub use monoflake_core::{
    Batch, Clock, Generator, Id, IdError, Layout, LayoutError, Lease, ManualClock, Node, Parts, Refusal,
};
pub use step::{Step, StepWatch};
pub use system::SystemClock;
pub use tsc::TscClock;

/// The code in the README and the documents runs as tests where they are: not in a package.
#[cfg(all(doctest, monoflake_documents))]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/clocks.md")]
    struct Clocks;
    #[doc = include_str!("../../../docs/guarantees.md")]
    struct Guarantees;
    #[doc = include_str!("../../../docs/decisions.md")]
    struct Decisions;
    #[doc = include_str!("../../../docs/benchmarks.md")]
    struct Benchmarks;
    #[doc = include_str!("../../../docs/leases.md")]
    struct Leases;
}
