//! Time that a thread of the clock's own stores once a tick.

use std::{
    io, mem, process,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use monoflake_core::{
    Clock, Layout,
    sync::{AtomicBool, AtomicU64, Ordering},
};

use crate::{SystemClock, wait::wait_for, wall::wall};

/// The least time between two refreshes: what a sleeping thread can keep.
const SHORTEST: Duration = Duration::from_micros(100);

/// The most time between two refreshes, whatever the tick: a correction of the wall clock is followed in this time.
const LONGEST: Duration = Duration::from_millis(100);

/// A clock that costs one load to read, because a thread stores the wall clock's tick into memory.
///
/// The thread runs once a tick (at most every 0.1 ms), from the making of the clock to its drop. Ids lag
/// behind the wall clock by what the scheduler adds to that; a call that waits for a tick does not depend on the
/// thread. After `fork` a child has no such thread, and the clock moves only when a call waits: a child makes a
/// clock of its own.
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
    /// The process that the thread is in.
    process: u32,
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
            thread::Builder::new().name("monoflake-clock".into()).spawn(move || refreshed.keep_fresh(layout))?;
        Ok(Self { layout, shared, thread: Some(thread), process: process::id() })
    }
}

impl Shared {
    /// Stores the tick that runs, and says when the next begins.
    fn refresh(&self, layout: Layout) -> Duration {
        // Ordering: Relaxed, here and in the exchange. A reader needs the number alone, and may see it late.
        let before = self.tick.load(Ordering::Relaxed);
        let now = wall();
        let tick = layout.tick_at(now);
        // Only over what stood there before the wall clock was read: a thread that is kept from running here must
        // not set back what others have stored since.
        let _ = self.tick.compare_exchange(before, tick, Ordering::Relaxed, Ordering::Relaxed);
        layout.time_of(tick.saturating_add(1)).saturating_sub(now)
    }

    fn keep_fresh(&self, layout: Layout) {
        // Ordering: Relaxed. The unpark in `drop` comes after the store, and `park_timeout` synchronizes with it.
        while !self.stopped.load(Ordering::Relaxed) {
            thread::park_timeout(self.refresh(layout).clamp(SHORTEST, LONGEST));
        }
    }
}

impl Clock for CachedClock {
    #[inline]
    fn now(&self) -> u64 {
        // Ordering: Relaxed, see `refresh`.
        self.shared.tick.load(Ordering::Relaxed)
    }

    fn wait(&self, tick: u64) -> bool {
        // The thread may be kept from running: who waits reads the wall clock for all.
        // From the tick that its caller has read, though: the wall clock may have been set back since it was stored.
        let reached = wait_for(&SystemClock::new(self.layout), self.layout, self.now(), tick);
        self.shared.refresh(self.layout);
        reached
    }
}

impl Drop for CachedClock {
    fn drop(&mut self) {
        // Ordering: Relaxed, see `keep_fresh`.
        self.shared.stopped.store(true, Ordering::Relaxed);
        let Some(thread) = self.thread.take() else { return };
        if self.process != process::id() {
            // A forked child: there is no thread here, and both to join and to detach it would fail.
            mem::forget(thread);
            return;
        }
        thread.thread().unpark();
        // It can neither panic nor block.
        let _ = thread.join();
    }
}
