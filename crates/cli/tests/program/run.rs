//! Runs the program and says what came out.

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: Option<i32>,
}

/// The program with these arguments, and nothing on standard input.
pub(crate) fn run(args: &[&str]) -> Run {
    run_with(args, b"")
}

/// The program with these arguments and this standard input.
pub(crate) fn run_with(args: &[&str], input: &[u8]) -> Run {
    let mut child = program().args(args).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // Beside the reading of the output, or two full pipes wait for each other. The program may end without
    // reading all of it.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the input was written or refused");
    output.into()
}

/// A line of shell in which `monoflake` is the program.
pub(crate) fn shell(line: &str) -> Run {
    let path = std::path::Path::new(env!("CARGO_BIN_EXE_monoflake")).parent().expect("a directory").display();
    let line = format!("PATH={path}:$PATH; {line}");
    Command::new("sh").args(["-c", &line]).env_remove("COLUMNS").output().expect("a shell").into()
}

/// The program with pipes on all sides.
pub(crate) fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_monoflake"));
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).env_remove("COLUMNS");
    program
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("all that is written is UTF-8");
        Self { stdout: text(output.stdout), stderr: text(output.stderr), status: output.status.code() }
    }
}

impl Run {
    /// What a good run wrote.
    #[track_caller]
    pub(crate) fn good(self) -> String {
        assert_eq!((self.status, self.stderr.as_str()), (Some(0), ""), "{self:?}");
        self.stdout
    }

    /// The one line that a run with no output at all failed with.
    #[track_caller]
    pub(crate) fn refused(self, status: i32) -> String {
        assert_eq!(self.stdout, "", "{self:?}");
        self.stopped(status).1
    }

    /// What a run wrote before it failed, and the one line that it failed with.
    #[track_caller]
    pub(crate) fn stopped(self, status: i32) -> (String, String) {
        assert_eq!(self.status, Some(status), "{self:?}");
        let line = self.stderr.strip_prefix("error: ").and_then(|line| line.strip_suffix('\n'));
        let line = line.unwrap_or_else(|| panic!("not `error: ...` and the end of a line: {self:?}"));
        assert!(!line.contains(char::is_control), "not one clean line: {self:?}");
        assert!(line.len() < 300, "too long to read: {self:?}");
        (self.stdout, line.to_owned())
    }
}

/// That a line says all of this.
#[track_caller]
pub(crate) fn assert_says(line: &str, parts: &[&str]) {
    for part in parts {
        assert!(line.contains(part), "{part:?} is missing in: {line}");
    }
}
