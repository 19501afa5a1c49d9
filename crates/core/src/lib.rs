//! 64-bit, time-sortable, unique ids, made in the caller's process at the speed of reading the clock.
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
//!
//! # Features
//!
//! * `serde`: ids as numbers, or with `#[serde(with = "monoflake_core::text")]` as text, which JavaScript reads exactly.
//! * `critical-section`: 64-bit atomics for targets without any compare-and-swap; the program links an implementation.
//! * `fallback`: 64-bit atomics for targets with only narrower ones, through a spin lock, which an interrupt must not use; on a
//!   single core, built with `--cfg portable_atomic_unsafe_assume_single_core`, by disabling interrupts.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod batch;
mod clock;
mod counter;
mod error;
mod generator;
mod id;
mod layout;
mod lease;
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
pub use generator::Generator;
pub use id::{Id, IdError};
pub use layout::{Layout, Parts};
pub use lease::Lease;
pub use node::Node;

/// The code in the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
