//! The real program, run as a user runs it: arguments and input in, output and exit status out.

mod decode;
mod help;
mod id;
mod run;
