//! Node numbers that are safe whatever clocks, pauses and networks do: leased.
//!
//! For each **slot**, a node number that can be leased, a store holds two things. The **claim** says that somebody holds it now;
//! it ends with the holder's session and is for liveness only. The **fence** is the first tick that nobody may have used yet; it
//! outlives every claim, and safety rests on it alone: a holder makes ids only below the fence that it has itself
//! written, ahead of use, and the next holder begins at the fence it finds. So the windows of successive holders are
//! disjoint, and one that was paused for an hour goes on making ids that nobody else may make.

pub mod machine;
pub mod slot;
pub mod store;
