//! What a store must do. Each method is one request; each write is one transaction.

use std::{fmt, time::Duration};

use crate::slot::{Slot, Version, View};

/// Where slots are kept.
///
/// Every method returns in bounded time. An implementation MUST make each write one transaction that compares and
/// writes at once, durably before it returns, and MUST NOT answer [`StoreError::Unavailable`] as anything else: whether
/// such a write has happened, or will yet happen, is unknown.
pub trait Store: Send {
    /// All slots that have ever been written or are claimed. Opens a session if there is none.
    ///
    /// # Errors
    ///
    /// A store that cannot be read is never an empty one.
    fn survey(&mut self) -> Result<Vec<View>, StoreError>;

    /// One slot.
    ///
    /// # Errors
    ///
    /// As for [`survey`](Self::survey).
    fn read(&mut self, node: u64) -> Result<View, StoreError>;

    /// If the slot is unclaimed and as it was `seen`: claims it for the store's session and writes it.
    ///
    /// # Errors
    ///
    /// [`StoreError::Conflict`] if it was claimed or has changed.
    fn acquire(&mut self, node: u64, seen: Version, slot: &Slot) -> Result<Version, StoreError>;

    /// If the claim is of the store's own session and the slot is as it was `seen`: writes it.
    ///
    /// # Errors
    ///
    /// [`StoreError::Conflict`] if either is not so.
    fn extend(&mut self, node: u64, seen: Version, slot: &Slot) -> Result<Version, StoreError>;

    /// If the claim is of the store's own session and the slot is as it was `seen`: writes it and removes the claim.
    ///
    /// # Errors
    ///
    /// [`StoreError::Conflict`] if either is not so.
    fn release(&mut self, node: u64, seen: Version, slot: &Slot) -> Result<(), StoreError>;

    /// Keeps the session alive, and returns how long it is granted for from when this was asked; `None` if it lasts as
    /// long as the process.
    ///
    /// # Errors
    ///
    /// [`StoreError::SessionLost`] if it has ended: with it all its claims.
    fn renew(&mut self) -> Result<Option<Duration>, StoreError>;
}

/// Why a store did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreError {
    /// The comparison failed: the slot is another's, or has been written since it was read. Nothing was written.
    Conflict,
    /// The session has ended, and all its claims with it.
    SessionLost,
    /// No answer: a write may have happened, may yet happen, or never.
    Unavailable(String),
    /// What is stored cannot be understood; a person must look at it.
    Damaged(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict => f.write_str("the slot is held by another or has changed: another slot is taken"),
            Self::SessionLost => f.write_str("the store has ended the session: a new one is opened"),
            Self::Unavailable(why) => write!(f, "the store does not answer: {why}; it is asked again"),
            Self::Damaged(why) => write!(f, "what is stored is damaged: {why}"),
        }
    }
}

impl std::error::Error for StoreError {}
