//! Why the program stops before its work is done, and with which exit status.

use std::io;

/// A message is one line: what was wrong, with the value, and what would be right.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Nobody reads standard output any more, as under `| head`: nothing is wrong.
    ReaderGone,
    /// It could not be done now.
    Failed(String),
    /// The command line or the input is wrong: the same call will always fail.
    Usage(String),
}

impl Stop {
    /// What an error of standard output means.
    #[allow(clippy::needless_pass_by_value, reason = "the argument of `map_err`")]
    pub(crate) fn output(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ReaderGone
        } else {
            Self::Failed(format!("cannot write to standard output: {error}"))
        }
    }

    pub(crate) const fn status(&self) -> u8 {
        match self {
            Self::ReaderGone => 0,
            Self::Failed(_) => 1,
            Self::Usage(_) => 2,
        }
    }

    pub(crate) fn message(&self) -> Option<&str> {
        match self {
            Self::ReaderGone => None,
            Self::Failed(message) | Self::Usage(message) => Some(message),
        }
    }
}
