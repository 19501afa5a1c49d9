//! The one place that atomics come from: portable ones in a build, loom's under the models.
//!
//! Hidden and exempt from semver: it is public only so that the crates above take their atomics
//! from here too. `clippy.toml` forbids them everywhere else.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "this is the file that the lint sends everybody to"
)]

#[cfg(not(monoflake_loom))]
portable_atomic::cfg_no_atomic_64! {
    compile_error!(
        "this target has no 64-bit atomics: turn on monoflake-core's feature `critical-section` where it has no \
         compare-and-swap at all, and link an implementation; `fallback` where it has a narrower one"
    );
}

#[cfg(all(
    feature = "critical-section",
    not(feature = "fallback"),
    not(target_has_atomic = "64"),
    target_has_atomic = "ptr"
))]
compile_error!(
    "this target has a narrower compare-and-swap, and the critical section would not be used for 64 bits: turn on \
     monoflake-core's feature `fallback`, which is a spin lock, or on a single core, built with \
     `--cfg portable_atomic_unsafe_assume_single_core`, disables interrupts"
);

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
macro_rules! const_unless_loom {
    ($(#[$meta:meta])* $vis:vis const fn $($rest:tt)*) => {
        #[cfg(not(monoflake_loom))]
        $(#[$meta])* $vis const fn $($rest)*
        #[cfg(monoflake_loom)]
        $(#[$meta])* $vis fn $($rest)*
    };
}

pub(crate) use const_unless_loom;
