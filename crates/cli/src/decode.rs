//! `monoflake decode`: says what ids say.
//!
//! Ids come as arguments, or one a line on standard input; then as a stream: of the input, no more than
//! one buffer and one line are held, and what can be shown is shown before the next read may block.

use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, Write};

use monoflake::Id;

use crate::{
    args::{self, shown},
    format::{self, Format},
    rows::Rows,
    stop::Stop,
};

/// Shows what is in an id: time, node, sequence
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without ID, ids are read from standard input, one a line, and shown as they
come; empty lines are skipped. The first line that is not an id ends the run; the error says which.

An id does not say which format it is of: read with the wrong one, it gives a
wrong time, and no error.

Formats:
  default      41/10/12  epoch 2025-01-01T00:00:00Z
  twitter      41/10/12  epoch 2010-11-04T01:42:54.657Z; datacenter and worker
  discord      41/10/12  epoch 2015-01-01T00:00:00Z; worker and process
  instagram    41/13/10  epoch 2011-08-24T21:07:01.721Z; the node is the shard;
                         64 bits, readable until 2046
  sonyflake    39/16/8   epoch 2014-09-01T00:00:00Z; 10 ms, sequence before node
  mastodon     48/0/16   epoch 1970-01-01T00:00:00Z; no node
  javascript   41/3/9    epoch 2025-01-01T00:00:00Z
  T/N/S                  bits of time, node and sequence, at most 63 together;
                         epoch 1970 unless --epoch-ms is given

JSON: one object a line, with these keys in this order: id, id_str, timestamp_ms
(since 1970), datetime (UTC; null after the year 9999), machine_id, sequence,
datacenter_id, worker_id, process_id (null where the format has no such field).
Read id_str where numbers are not exact above 2^53, as in JavaScript.

Examples:
  monoflake decode 175928847299117063 --format discord
  monoflake decode 314948827708654619 --format sonyflake --json
  monoflake decode 7102577116159582209 --format 41/10/12
  monoflake id --node 7 -n 3 | monoflake decode")]
pub(crate) struct Args {
    /// The ids; from standard input if there are none here
    #[arg(value_name = "ID", value_parser = parse_id, allow_negative_numbers = true)]
    ids: Vec<Id>,

    /// How an id is divided: a name or T/N/S, see below
    #[arg(long, visible_alias = "layout", default_value = "default", value_parser = format::parse)]
    format: Format,

    #[command(flatten)]
    scale: args::Scale,

    /// Writes JSON, one object a line
    #[arg(long)]
    json: bool,
}

/// The longest line, with its end. An id has at most 19 digits; the rest is for showing what came instead.
const LINE_BYTES: u64 = 256;

const INPUT_BYTES: usize = 64 * 1024;

fn parse_id(text: &str) -> Result<Id, String> {
    text.parse().map_err(|error: monoflake::IdError| error.to_string())
}

pub(crate) fn run(args: &Args) -> Result<(), Stop> {
    let format = args.format.scaled(args.scale);
    let mut rows = Rows::new(format, args.json, BufWriter::new(io::stdout().lock()));
    let decoded = if args.ids.is_empty() {
        decode_lines(io::stdin().lock(), &format, &mut rows)
    } else {
        args.ids.iter().try_for_each(|id| rows.write(&format.decode(*id).map_err(Stop::Usage)?))
    };
    // What came before an error is shown, too.
    let flushed = rows.flush();
    decoded.and(flushed)
}

fn decode_lines(input: impl Read + IsTerminal, format: &Format, rows: &mut Rows<impl Write>) -> Result<(), Stop> {
    if input.is_terminal() {
        let _ = writeln!(io::stderr(), "reading ids from the terminal, one a line; Ctrl-D ends");
    }
    let mut input = BufReader::with_capacity(INPUT_BYTES, input);
    let mut line = Vec::new();
    for number in 1_u64.. {
        if !input.buffer().contains(&b'\n') {
            rows.flush()?;
        }
        line.clear();
        let read = input.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line);
        if read.map_err(|error| Stop::Failed(format!("cannot read standard input: {error}")))? == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let decoded = id_of_line(&line).and_then(|id| format.decode(id));
        rows.write(&decoded.map_err(|error| Stop::Usage(format!("line {number}: {error}")))?)?;
    }
    Ok(())
}

fn id_of_line(line: &[u8]) -> Result<Id, String> {
    let text = line.strip_suffix(b"\n").map_or(line, |text| text.strip_suffix(b"\r").unwrap_or(text));
    let shown = || shown(text);
    if line.len() as u64 == LINE_BYTES && text.len() == line.len() {
        return Err(format!("'{}' goes on past {LINE_BYTES} bytes: an id has at most 19 digits", shown()));
    }
    let text = str::from_utf8(text)
        .map_err(|_| format!("'{}' is not UTF-8 text: an id is written in the digits 0 to 9", shown()))?;
    parse_id(text).map_err(|error| format!("invalid id '{}': {error}", shown()))
}
