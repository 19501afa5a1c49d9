//! `monoflake id`: makes ids.
//!
//! Nothing is kept from run to run, so that two runs of one node never repeat an id rests on the clock:
//!
//! ```text
//! run 1   started in tick 5, may use 6..      last id in tick 8, ends when the clock reads 9
//! run 2                                                          starts in tick 9 or later, may use 10..
//! ```
//!
//! The start in the next tick is what keeps them apart, also where run 1 was killed; the wait at the end
//! covers ids that went on while the clock stepped back a little. What this cannot cover, and `--help` says so:
//! two runs of one node at the same time, and a clock that is set back between runs.

use std::{
    io::{self, Write},
    num::NonZeroU64,
};

use monoflake::{Clock, Generator, Id, Layout, LayoutError, Lease, Node, Refusal, SystemClock};

use crate::{args, layout, stop::Stop};

/// Makes ids, one a line, in rising order
#[derive(Debug, clap::Args)]
#[command(after_help = "\
With --node you promise that nobody else makes ids with this number and layout
at the same time. Two runs at the same time with one number DO make the same
ids. Runs one after another never do, unless the clock is set back meanwhile:
a run uses no tick (millisecond) that had begun before it started, and ends when
the last one it used is over.

Layouts:
  default      41/10/12  nodes 0 to 1023, 4096 ids a millisecond, 2025 to 2094
  twitter      41/10/12  epoch 2010-11-04T01:42:54.657Z
  discord      41/10/12  epoch 2015-01-01T00:00:00Z
  javascript   41/3/9    exact as a JavaScript number; nodes 0 to 7, 512 ids a
                         millisecond, 2025 to 2094
  T/N/S                  bits of time, node and sequence, at most 63 together;
                         epoch 1970 unless --epoch-ms is given

Examples:
  monoflake id --node 7
  monoflake id --node 7 -n 1000000 > ids.txt
  monoflake id --node 0 --layout javascript
  monoflake id --node 3 --layout 39/16/8 --tick-ms 10 --epoch-ms 1735689600000")]
pub(crate) struct Args {
    /// Node number, used by nobody else at the same time
    #[arg(long, value_name = "N", value_parser = node_number, allow_negative_numbers = true)]
    node: u64,

    /// How many ids
    #[arg(short = 'n', long, alias = "n", default_value = "1", value_parser = args::positive, allow_negative_numbers = true)]
    count: NonZeroU64,

    /// How an id is divided: a name or T/N/S, see below
    #[arg(long, default_value = "default", value_parser = layout::parse)]
    layout: Layout,

    #[command(flatten)]
    scale: args::Scale,
}

/// The longest tick: a run begins and ends by waiting for the next one.
const LONGEST_TICK_MS: u64 = 1000;

/// The most ids that are held at once.
const CHUNK: usize = 4096;

/// The most ticks that ids can be ahead of the clock unless it was set back: the 5 ms that a generator tolerates,
/// at 1 ms each, and the one that is not over yet.
const SETTLE_TICKS: u64 = 6;

fn node_number(text: &str) -> Result<u64, String> {
    args::number(text).map_err(|_| "a node is a whole number, in digits only".to_owned())
}

pub(crate) fn run(args: &Args) -> Result<(), Stop> {
    if let Some(tick_ms) = args.scale.tick_ms.filter(|tick_ms| tick_ms.get() > LONGEST_TICK_MS) {
        return Err(Stop::Usage(format!(
            "--tick-ms {tick_ms} is too long here: a run waits for the next tick, so 1 to {LONGEST_TICK_MS} are allowed"
        )));
    }
    let usage = |error: LayoutError| Stop::Usage(error.to_string());
    let layout = layout::scaled(args.layout, args.scale).map_err(usage)?;
    let node = layout.node(args.node).map_err(usage)?;
    make(node, SystemClock::new(layout), args.count.get(), &mut io::stdout().lock())
}

fn make(node: Node, clock: impl Clock, count: u64, out: &mut impl Write) -> Result<(), Stop> {
    let (generator, from) = start(node, clock)?;
    let written = write_ids(&generator, count, out);
    // Also when writing failed: some ids may have been read.
    settle(&generator, from).and(written)
}

/// A generator that uses only ticks which begin from now on, and the first of them.
fn start<C: Clock>(node: Node, clock: C) -> Result<(Generator<C>, u64), Stop> {
    let layout = node.layout();
    let now = clock.now();
    if now == 0 {
        return Err(refused(layout, Refusal::BeforeEpoch));
    }
    if now >= layout.last_tick() {
        return Err(refused(layout, Refusal::Exhausted));
    }
    let lease = Lease { node, from: now + 1, until: u64::MAX };
    let generator = Generator::closed(layout, clock);
    generator.grant(lease).map_err(|error| Stop::Failed(error.to_string()))?;
    Ok((generator, lease.from))
}

/// One write a chunk, and a chunk is at most a tick's ids: nothing that is made waits long to be seen.
fn write_ids(generator: &Generator<impl Clock>, count: u64, out: &mut impl Write) -> Result<(), Stop> {
    let at_most = |ids: u64| usize::try_from(ids).map_or(CHUNK, |ids| ids.min(CHUNK));
    let mut ids = vec![Id::MIN; at_most(count.min(generator.layout().ids_per_tick()))];
    let mut text = Vec::new();
    let mut left = count;
    while left > 0 {
        let size = at_most(left).min(ids.len());
        let chunk = &mut ids[..size];
        generator.fill(chunk).map_err(|refusal| refused(generator.layout(), refusal))?;
        text.clear();
        chunk.iter().try_for_each(|id| writeln!(text, "{id}")).map_err(Stop::output)?;
        out.write_all(&text).map_err(Stop::output)?;
        left -= size as u64;
    }
    out.flush().map_err(Stop::output)
}

/// Lets the last tick that was used end, if any was.
fn settle(generator: &Generator<impl Clock>, from: u64) -> Result<(), Stop> {
    let clock = generator.clock();
    let first_unused = generator.retire();
    if first_unused <= from {
        return Ok(());
    }
    let left = first_unused.saturating_sub(clock.now());
    if left <= SETTLE_TICKS && clock.wait(first_unused) {
        return Ok(());
    }
    Err(Stop::Failed(format!(
        "the clock was set back and is {left} ticks before the end of the last id's tick: until it has passed that, \
         another run with this node may repeat ids"
    )))
}

fn refused(layout: Layout, refusal: Refusal) -> Stop {
    let (time, node, sequence) = (layout.time_bits(), layout.node_bits(), layout.sequence_bits());
    let (epoch_ms, tick_ms) = (layout.epoch_ms(), layout.tick().as_millis());
    Stop::Failed(format!("{refusal} (layout {time}/{node}/{sequence}, --epoch-ms {epoch_ms}, --tick-ms {tick_ms})"))
}

#[cfg(test)]
mod tests {
    use monoflake::ManualClock;

    use super::*;

    fn node() -> Node {
        Node::constant(Layout::DEFAULT, 7)
    }

    fn tick_of(id: &str) -> u64 {
        Layout::DEFAULT.decode(id.parse().expect("an id")).expect("of this layout").tick
    }

    #[test]
    fn no_tick_that_had_begun_is_used() {
        let clock = ManualClock::new(1_000);
        let (generator, from) = start(node(), &clock).expect("a good clock");
        assert_eq!(from, 1_001);
        assert!(matches!(generator.try_next(), Err(Refusal::TickFull { ticks: 1 })));

        clock.set(1_001);
        let mut out = Vec::new();
        write_ids(&generator, 1, &mut out).expect("the next tick has begun");
        assert_eq!(tick_of(str::from_utf8(&out).expect("text").trim()), 1_001);
    }

    /// Time passes on this clock exactly when somebody waits for it.
    struct Patient(ManualClock);

    impl Clock for Patient {
        fn now(&self) -> u64 {
            self.0.now()
        }

        fn wait(&self, tick: u64) -> bool {
            self.0.set(tick);
            true
        }
    }

    /// A reader that sets the clock when it has read something.
    struct Setter<'a>(&'a Patient, u64, io::Result<()>);

    impl Write for Setter<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.0.set(self.1);
            std::mem::replace(&mut self.2, Ok(())).map(|()| bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_run_ends_when_the_tick_of_its_last_id_is_over() {
        for gone in [Ok(()), Err(io::ErrorKind::BrokenPipe.into())] {
            let clock = Patient(ManualClock::new(1_000));
            // Back below the tick of the id, as far as a generator tolerates.
            let mut reader = Setter(&clock, 998, gone);
            let done = make(node(), &clock, 1, &mut reader);
            assert!(matches!(done, Ok(()) | Err(Stop::ReaderGone)), "{done:?}");
            assert_eq!(clock.now(), 1_002, "the id is of tick 1001");
        }
    }

    #[test]
    fn a_clock_set_back_by_much_is_told_and_not_waited_for() {
        for gone in [Ok(()), Err(io::ErrorKind::BrokenPipe.into())] {
            let clock = Patient(ManualClock::new(5_000));
            let mut reader = Setter(&clock, 1_000, gone);
            let Err(Stop::Failed(message)) = make(node(), &clock, 1, &mut reader) else {
                panic!("ids may repeat, and nothing was said")
            };
            assert!(message.contains("4002 ticks"), "{message}");
            assert_eq!(clock.now(), 1_000, "it was not waited for");
        }
    }

    /// The clock stands still: nothing is made, and that is what is said.
    #[test]
    fn a_refusal_is_not_hidden_by_what_follows_it() {
        let clock = ManualClock::new(5_000);
        let Err(Stop::Failed(message)) = make(node(), &clock, 1, &mut Vec::new()) else {
            panic!("no id can be made, and nothing was said")
        };
        assert!(message.contains("all ids of this tick"), "{message}");
    }

    #[test]
    fn the_last_tick_of_a_layout_is_not_run_past() {
        let layout = Layout::constant(10, 10, 12);
        let node = layout.node(7).expect("one of 1024");
        for now in [layout.last_tick(), layout.last_tick() + 1, u64::MAX] {
            let stop = start(node, ManualClock::new(now)).expect_err("no tick is left");
            assert!(stop.message().is_some_and(|message| message.contains("has ended")), "at {now}");
        }
        assert!(start(node, ManualClock::new(layout.last_tick() - 1)).is_ok());
    }
}
