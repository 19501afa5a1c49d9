//! std.
