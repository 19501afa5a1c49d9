//! What the programs among the benches are asked, and where they write what they found.

use std::{fs, io, path::PathBuf, thread};

use serde::Serialize;

/// What the command line asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only see that it runs: `--quick`, or `--test` as criterion has it.
    pub quick: bool,
    /// Write the data there: `--json FILE`.
    pub json: Option<PathBuf>,
}

impl Options {
    /// From the arguments after the program's name.
    ///
    /// # Errors
    ///
    /// A sentence about the first argument that means nothing.
    pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--quick" | "--test" => options.quick = true,
                "--json" => options.json = Some(args.next().ok_or("--json needs the name of a file")?.into()),
                "--bench" => {} // cargo says it to every bench
                other => return Err(format!("{other} means nothing here: --quick, --json FILE")),
            }
        }
        Ok(options)
    }

    /// Writes the data, with the machine that it was measured on, if a file was named.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self, data: impl Serialize) -> io::Result<()> {
        let Some(path) = &self.json else { return Ok(()) };
        let mut text = serde_json::to_string_pretty(&Report { machine: Machine::this(), data })?;
        text.push('\n');
        fs::write(path, text)
    }
}

#[derive(Serialize)]
struct Report<T> {
    machine: Machine,
    #[serde(flatten)]
    data: T,
}

#[derive(Serialize)]
struct Machine {
    cpu: String,
    cores: usize,
}

impl Machine {
    fn this() -> Self {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("unknown");
        Self {
            cpu: model.trim_start_matches([' ', '\t', ':']).to_owned(),
            cores: thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Options;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_say_how_and_where() {
        let options = Options { quick: true, json: Some("a.json".into()) };
        assert_eq!(parse("--bench --test --json a.json"), Ok(options));
        assert_eq!(parse(""), Ok(Options::default()));
    }

    #[test]
    fn an_unknown_argument_is_not_passed_over() {
        assert!(parse("--quikc").is_err());
        assert!(parse("--json").is_err());
    }
}
