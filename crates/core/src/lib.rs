//! 64-bit, time-sortable, unique ids, made in the caller's process at memory speed.
//!
//! ```text
//! id = 0 | time | node | sequence
//! ```
//!
//! This is the core: no std, no allocation, no lock, no unsafe code. Most programs want the crate `monoflake`,
//! which adds clocks and re-exports all of this.
//!
//! Read it in this order: `layout` (what an id is), `rule` (which ids may be given out: a pure function),
//! `counter` (the one compare-and-swap loop), `permit` (who may give them out), `generator` (these four put
//! together).
//!
//! ```
//! use monoflake_core::{Generator, Layout, ManualClock};
//!
//! let clock = ManualClock::new(1_000);
//! let generator = Generator::new(Layout::DEFAULT.node(7)?, &clock);
//! let id = generator.try_next().expect("a fresh generator");
//! let parts = Layout::DEFAULT.decode(id)?;
//! assert_eq!((parts.tick, parts.node, parts.sequence), (1_000, 7, 0));
//! # Ok::<(), monoflake_core::LayoutError>(())
//! ```
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod batch;
mod clock;
mod counter;
mod error;
mod generator;
mod id;
mod layout;
mod node;
mod permit;
mod rule;
#[doc(hidden)]
pub mod sync;
#[cfg(feature = "serde")]
pub mod text;

pub use batch::Batch;
pub use clock::{Clock, ManualClock};
pub use error::{LayoutError, Refusal};
pub use generator::{Generator, Lease};
pub use id::{Id, IdError};
pub use layout::{Layout, Parts};
pub use node::Node;

/// The code in the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
