//! The one place that atomics come from: portable ones in a build, loom's under the models.
//!
//! Hidden and exempt from semver: it is public only so that the crates above take their atomics
//! from here too. `clippy.toml` forbids them everywhere else.
#![allow(clippy::disallowed_types)]

pub use core::sync::atomic::Ordering;

#[cfg(monoflake_loom)]
pub use loom::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU64, fence},
};

#[cfg(not(monoflake_loom))]
pub use {
    core::hint::spin_loop,
    portable_atomic::{AtomicBool, AtomicU64, fence},
};

/// Makes constructors `const`, except under loom, whose atomics register themselves when made.
#[doc(hidden)]
#[macro_export]
macro_rules! const_unless_loom {
    ($(#[$meta:meta])* $vis:vis const fn $($rest:tt)*) => {
        #[cfg(not(monoflake_loom))]
        $(#[$meta])* $vis const fn $($rest)*
        #[cfg(monoflake_loom)]
        $(#[$meta])* $vis fn $($rest)*
    };
}
