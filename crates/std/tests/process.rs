//! What is true of the whole process: its threads, and what a fork does to the clocks.

#[cfg(target_os = "linux")]
fn main() {
    use monoflake::{CachedClock, Generator, Layout, SystemClock, TscClock};

    let layout = Layout::DEFAULT;
    let node = layout.node(7).unwrap();
    let system = Generator::new(node, SystemClock::new(layout));
    let tsc = Generator::new(node, TscClock::new(layout));
    assert!(system.next().is_ok() && tsc.next().is_ok());
    assert_eq!(threads(), 1);
    println!("test no_thread_unless_asked_for ... ok");

    let cached = Generator::new(node, CachedClock::new(layout).unwrap());
    assert!(cached.next().is_ok());
    assert_eq!(threads(), 2);

    unset_clock_source_dies_with_fork(&system, &tsc, cached);
    assert!(soon(|| threads() == 1), "the clock's thread has outlived its clock");
    println!("test cached_clock_stops_when_dropped ... ok");
}

/// ferroid's ticker thread stays with the parent, and a child spins for ever on a clock that stands still.
///
/// What a child must *not* do is go on with its parent's node number: it would make its parent's ids. Here it
/// does, to show that each call comes back.
#[cfg(target_os = "linux")]
fn unset_clock_source_dies_with_fork(
    system: &monoflake::Generator<monoflake::SystemClock>,
    tsc: &monoflake::Generator<monoflake::TscClock>,
    cached: monoflake::Generator<monoflake::CachedClock>,
) {
    use fork::{Fork, fork, waitpid};
    use monoflake::Refusal;

    match fork().expect("a second process") {
        Fork::Child => {
            let goes_on = (0..10_000).all(|_| system.next().is_ok() && tsc.next().is_ok());
            // What is left of this tick, then a refusal at once from the call that does not wait; the one that
            // waits reads the time itself.
            let refusal = (0..10_000).find_map(|_| cached.try_next().err());
            let refuses = matches!(refusal, Some(Refusal::TickFull { .. }));
            let waits = (0..10_000).all(|_| cached.next().is_ok());
            drop(cached); // must not wait for, nor miss, a thread that is not there
            std::process::exit(i32::from(!(goes_on && refuses && waits)));
        }
        Fork::Parent(child) => {
            let status = waitpid(child).expect("the child ends");
            assert_eq!(status, 0, "each call of the child comes back");
            assert!(cached.next().is_ok(), "the parent's clock goes on");
            drop(cached);
            println!("test unset_clock_source_dies_with_fork ... ok");
        }
    }
}

#[cfg(target_os = "linux")]
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// A thread that has been joined may still be listed for a moment.
#[cfg(target_os = "linux")]
fn soon(condition: impl Fn() -> bool) -> bool {
    (0..1_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        condition()
    })
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("threads are counted in /proc: nothing to test on this system");
}
