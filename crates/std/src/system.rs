//! The operating system's wall clock, as it is.

use monoflake_core::{Clock, Layout};

use crate::{wait::wait_for, wall::wall};

/// Reads [`SystemTime`](std::time::SystemTime) each time, and nothing else.
///
/// Costs some 25 ns a reading where [`TscClock`](crate::TscClock) costs 10, and nothing to start: right for a
/// short-lived process.
///
/// ```
/// use monoflake::{Generator, Layout, SystemClock};
///
/// let layout = Layout::DEFAULT;
/// let generator = Generator::new(layout.node(7)?, SystemClock::new(layout));
/// let id = generator.next()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    layout: Layout,
}

impl SystemClock {
    /// A clock that counts the ticks of this layout.
    pub const fn new(layout: Layout) -> Self {
        Self { layout }
    }
}

impl Clock for SystemClock {
    #[inline]
    fn now(&self) -> u64 {
        self.layout.tick_at(wall())
    }

    fn wait(&self, tick: u64) -> bool {
        wait_for(self, self.layout, self.now(), tick)
    }
}
