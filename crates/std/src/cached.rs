//! Time that a thread of the clock's own stores once a tick.

use std::{
    io,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use monoflake_core::{
    Clock, Layout,
    sync::{AtomicBool, AtomicU64, Ordering},
};

use crate::{wait::wait_for, wall::wall};

/// The least time between two refreshes: what a sleeping thread can keep.
const SHORTEST: Duration = Duration::from_micros(100);

/// How long the refreshing thread may be kept from running before a waiting call gives up.
const GRACE: Duration = Duration::from_millis(10);

/// A clock that costs one load to read, because a thread stores the wall clock's tick into memory.
///
/// The thread runs once a tick (at most every 0.1 ms), from the making of the clock to its drop. Ids lag
/// behind the wall clock by what the scheduler adds to that. After `fork` a child has no such thread: the
/// clock stands still there and calls refuse with `TickFull`, in bounded time. A child makes a clock of its own.
///
/// ```
/// use monoflake::{CachedClock, Generator, Layout};
///
/// let layout = Layout::DEFAULT;
/// let generator = Generator::new(layout.node(7)?, CachedClock::new(layout)?);
/// let id = generator.next()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CachedClock {
    layout: Layout,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    tick: AtomicU64,
    stopped: AtomicBool,
}

impl CachedClock {
    /// A clock that counts the ticks of this layout, and its thread.
    ///
    /// # Errors
    ///
    /// What the operating system says if it has no thread to give.
    pub fn new(layout: Layout) -> io::Result<Self> {
        let tick = AtomicU64::new(layout.tick_at(wall()));
        let shared = Arc::new(Shared { tick, stopped: AtomicBool::new(false) });
        let refreshed = Arc::clone(&shared);
        let thread =
            thread::Builder::new().name("monoflake-clock".into()).spawn(move || refresh(layout, &refreshed))?;
        Ok(Self { layout, shared, thread: Some(thread) })
    }
}

fn refresh(layout: Layout, shared: &Shared) {
    // Ordering: Relaxed. The unpark in `drop` comes after the store, and `park_timeout` synchronizes with it.
    while !shared.stopped.load(Ordering::Relaxed) {
        let now = wall();
        let tick = layout.tick_at(now);
        // Ordering: Relaxed. A reader needs the number alone, and may see it late.
        shared.tick.store(tick, Ordering::Relaxed);
        let next = layout.time_of(tick.saturating_add(1));
        thread::park_timeout(next.saturating_sub(now).clamp(SHORTEST, LONGEST));
    }
}

/// The most time between two refreshes, whatever the tick: a correction of the wall clock is followed in this time.
const LONGEST: Duration = Duration::from_millis(100);

impl Clock for CachedClock {
    #[inline]
    fn now(&self) -> u64 {
        // Ordering: Relaxed, see `refresh`.
        self.shared.tick.load(Ordering::Relaxed)
    }

    fn wait(&self, tick: u64) -> bool {
        wait_for(self, self.layout, tick, GRACE)
    }
}

impl Drop for CachedClock {
    fn drop(&mut self) {
        // Ordering: Relaxed, see `refresh`.
        self.shared.stopped.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It can neither panic nor block.
            let _ = thread.join();
        }
    }
}
