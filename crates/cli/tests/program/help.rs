//! The help, the version, and what is no verb.

use std::ffi::OsStr;

use crate::run::{Run, assert_says, program, run, shell};

const HELPS: [&[&str]; 4] = [&["--help"], &["id", "--help"], &["decode", "--help"], &["help", "decode"]];

#[test]
fn help_fits_80_columns() {
    for args in HELPS {
        for line in run(args).good().lines() {
            assert!(line.chars().count() <= 80, "{args:?}: {line}");
        }
    }
}

#[test]
fn the_examples_of_the_help_run() {
    let mut examples = 0;
    for args in &HELPS[..3] {
        let help = run(args).good();
        for line in help.split("Examples:\n").nth(1).expect("examples at the end").lines() {
            let Some(example) = line.strip_prefix("  monoflake ") else { continue };
            let command = example.split("  ").next().expect("a command before its explanation");
            let output =
                shell(&format!("cd \"${{TMPDIR:-/tmp}}\"; monoflake {}", command.replace("ids.txt", "/dev/null")));
            assert!(output.stdout.is_empty() == command.contains('>'), "{command}: {output:?}");
            output.good();
            examples += 1;
        }
    }
    assert_eq!(examples, 12);
}

#[test]
fn the_help_names_every_layout_and_format_that_there_is() {
    for (help, args) in [("id", &["id", "--node", "1", "--layout", "?"][..]), ("decode", &["decode", "--format", "?"])]
    {
        let refusal = run(args).refused(2);
        let names = refusal.split(" is ").nth(1).and_then(|text| text.split(", or").next()).expect("a list of names");
        let help = run(&[help, "--help"]).good();
        assert!(names.split(", ").count() >= 4, "{refusal}");
        for name in names.split(", ") {
            assert!(help.lines().any(|line| line.starts_with(&format!("  {name} "))), "{name} is missing:\n{help}");
        }
    }
}

#[test]
fn version_is_the_packages() {
    let expected = concat!("monoflake ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(run(&["--version"]).good(), expected);
    assert_eq!(run(&["-V"]).good(), expected);
}

#[test]
fn help_obeys_the_rules_of_output() {
    assert_eq!(shell("monoflake --help | true").good(), "");
    if cfg!(target_os = "linux") {
        assert_says(&shell("monoflake --help > /dev/full").refused(1), &["standard output"]);
    }
}

#[test]
fn what_is_no_verb_is_refused_in_one_line() {
    assert_says(&run(&[]).refused(2), &["id", "decode", "--help"]);
    assert_says(&run(&[""]).refused(2), &["''"]);
    assert_says(&run(&["decod"]).refused(2), &["'decod'", "'decode'"]);
    assert_says(&run(&["--", "id"]).refused(2), &["id"]);
    assert_says(&run(&["-n", "1"]).refused(2), &["'-n'"]);
}

#[test]
fn hostile_arguments_stay_in_their_line() {
    for hostile in ["x\n\nUsage: no", "\x1b[31mred", "\u{202e}olleh", "\u{7f}", &"9".repeat(100_000), "--\n", "-\x07"] {
        for args in [&[hostile][..], &["decode", hostile], &["id", "--node", hostile], &["id", "--node", "7", hostile]]
        {
            let line = run(args).refused(2);
            assert!(!line.contains('\u{202e}'), "{line}");
        }
    }
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8_are_told() {
    use std::os::unix::ffi::OsStrExt;

    for option in [&["id", "--node"][..], &["decode"], &["decode", "--format"]] {
        let output = program().args(option).arg(OsStr::from_bytes(b"12\xff")).output().expect("the program starts");
        assert_says(&Run::from(output).refused(2), &["'12\\xff'", "UTF-8"]);
    }
}
