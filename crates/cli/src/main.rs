//! The `monoflake` program: arguments in, verbs called, exit status out.
//!
//! ```text
//! 0  done; also if the reader of standard output has gone
//! 1  could not: ids are refused for now, or input or output failed
//! 2  the command line or the input is wrong
//! ```
//!
//! Kept here for all verbs: standard output carries results only, and a failure is one line on standard error.

mod args;
mod decode;
mod format;
mod id;
mod layout;
mod rows;
mod stop;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

use crate::stop::Stop;

/// Makes and reads 64-bit, time-sortable, unique ids (Snowflake).
#[derive(Debug, Parser)]
#[command(
    name = "monoflake",
    version,
    bin_name = "monoflake",
    max_term_width = 80,
    arg_required_else_help = false,
    after_help = "\
An id is one number made of three: the time at which it was made, the node
(machine) that made it, and a sequence number within that moment. So ids sort by
time, and nodes with different numbers never make the same one.

Examples:
  monoflake id --node 7                      make one id as node 7
  monoflake id --node 7 -n 1000 > ids.txt    make a thousand, in rising order
  monoflake decode 175928847299117063 --format discord
                                             what does this id say?
  monoflake id --node 7 | monoflake decode   make one and read it

'monoflake help id' and 'monoflake help decode' tell the rest.

Exit status: 0 done; 1 it could not be done now (the clock, input or output);
2 the command line or the input is wrong. The reason is one line on standard
error."
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Id(id::Args),
    Decode(decode::Args),
}

fn main() -> ExitCode {
    let Err(stop) = run() else { return ExitCode::SUCCESS };
    if let Some(message) = stop.message() {
        // With standard error gone as well, the status is all that is left to say.
        let _ = writeln!(io::stderr(), "error: {message}");
    }
    ExitCode::from(stop.status())
}

fn run() -> Result<(), Stop> {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => return Err(Stop::Usage(args::one_line(error))),
        Err(help) => return print(&help.render().to_string()),
    };
    match cli.verb {
        Verb::Id(args) => id::run(&args),
        Verb::Decode(args) => decode::run(&args),
    }
}

fn print(text: &str) -> Result<(), Stop> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Stop::output)
}
