//! `monoflake decode`.

use std::{
    io::{BufRead, BufReader, Write},
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::run::{assert_says, program, run, run_with, shell};

const PUBLISHED: &str = include_str!("../cases/decode.csv");

/// A published id and what it must decode to.
#[derive(Debug)]
struct Case<'a> {
    format: &'a str,
    id: u64,
    epoch_ms: &'a str,
    timestamp_ms: u64,
    machine: Option<u64>,
    sequence: u64,
    source: &'a str,
}

fn published() -> Vec<Case<'static>> {
    let mut rows = PUBLISHED.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(rows.next(), Some("format,id,epoch_ms,timestamp_ms,machine,sequence,source"));
    let case = |row: &'static str| {
        let columns: Vec<_> = row.splitn(7, ',').collect();
        let &[format, id, epoch_ms, timestamp_ms, machine, sequence, source] = columns.as_slice() else {
            panic!("not seven columns: {row}")
        };
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{text:?} in {row}"));
        let machine = (!machine.is_empty()).then(|| number(machine));
        let (id, timestamp_ms, sequence) = (number(id), number(timestamp_ms), number(sequence));
        Case { format, id, epoch_ms, timestamp_ms, machine, sequence, source }
    };
    rows.map(case).collect()
}

fn json(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

fn decode_json(args: &[&str]) -> Value {
    json(&run(&[&["decode", "--json"], args].concat()).good())
}

/// `worker 1` in the text of a source.
fn named(source: &str, name: &str) -> Option<u64> {
    let mut words = source.split_whitespace().skip_while(|word| *word != name);
    words.nth(1)?.parse().ok()
}

#[test]
fn every_published_id_decodes_to_what_was_published() {
    let cases = published();
    assert_eq!(cases.len(), 11);
    let mut splits = 0;
    for case in cases {
        let id = case.id.to_string();
        let named_format = [id.as_str(), "--format", if case.format == "classic" { "41/10/12" } else { case.format }];
        let with_epoch = [&named_format[..], &["--epoch-ms", case.epoch_ms]].concat();
        let object = decode_json(&with_epoch);
        if case.format != "classic" {
            assert_eq!(decode_json(&named_format), object, "the format knows its epoch: {case:?}");
        }
        assert_eq!(object["id"], case.id, "{case:?}");
        assert_eq!(object["id_str"], id, "{case:?}");
        assert_eq!(object["timestamp_ms"], case.timestamp_ms, "{case:?}");
        assert_eq!(object["machine_id"].as_u64(), case.machine, "{case:?}");
        assert_eq!(object["machine_id"].is_null(), case.machine.is_none(), "{case:?}");
        assert_eq!(object["sequence"], case.sequence, "{case:?}");
        for name in ["datacenter", "worker", "process"] {
            if let Some(number) = named(case.source, name) {
                assert_eq!(object[format!("{name}_id")], number, "{case:?}");
                splits += 1;
            }
        }
    }
    assert_eq!(splits, 6);
}

#[test]
fn twitter_and_discord_show_their_machine_in_halves_and_others_do_not() {
    // 10 bits of machine: 0b11111_00000, and 2 as sequence.
    let id = ((0b11_1110_0000_u64 << 12) | 2).to_string();
    let halves = |format: &str| {
        let object = decode_json(&["--format", format, &id]);
        ["machine_id", "datacenter_id", "worker_id", "process_id"].map(|key| object[key].as_u64())
    };
    assert_eq!(halves("twitter"), [Some(992), Some(31), Some(0), None]);
    assert_eq!(halves("discord"), [Some(992), None, Some(31), Some(0)]);
    for format in ["default", "41/10/12"] {
        assert_eq!(halves(format), [Some(992), None, None, None]);
    }
    assert_eq!(halves("mastodon"), [None; 4]);
}

#[test]
fn the_json_has_its_keys_in_order_and_the_date_of_discords_example() {
    let expected = concat!(
        r#"{"id":175928847299117063,"id_str":"175928847299117063","timestamp_ms":1462015105796,"#,
        r#""datetime":"2016-04-30T11:18:25.796Z","machine_id":32,"sequence":7,"#,
        r#""datacenter_id":null,"worker_id":1,"process_id":0}"#,
        "\n"
    );
    assert_eq!(run(&["decode", "175928847299117063", "--format", "discord", "--json"]).good(), expected);
}

#[test]
fn dates_from_1970_to_the_end_of_9999_and_none_after() {
    let cases = [
        (0_u64, Some("1970-01-01T00:00:00.000Z")),
        (951_782_400_000, Some("2000-02-29T00:00:00.000Z")),
        (1_539_202_764_211, Some("2018-10-10T20:19:24.211Z")), // Twitter's example, `created_at`
        (253_402_300_799_999, Some("9999-12-31T23:59:59.999Z")),
        (253_402_300_800_000, None),
        (i64::MAX as u64, None),
    ];
    for (ms, expected) in cases {
        let object = decode_json(&["--format", "63/0/0", &ms.to_string()]);
        assert_eq!((object["timestamp_ms"].as_u64(), object["datetime"].as_str()), (Some(ms), expected));
        assert_eq!(object["datetime"].is_null(), expected.is_none());
    }
    let row = run(&["decode", "--format", "63/0/0", "9223372036854775807"]).good();
    assert!(row.ends_with(" 9223372036854775807 ms\n"), "{row}");
}

#[test]
fn epoch_and_tick_override_the_formats() {
    let object = decode_json(&["--format", "10/5/5", "--epoch-ms", "7", "--tick-ms", "1000", "3105"]);
    assert_eq!(
        (object["timestamp_ms"].as_u64(), &object["machine_id"], &object["sequence"]),
        (Some(3007), &1.into(), &1.into())
    );
    // Sonyflake's own tick is 10 ms.
    let id = (5_u64 << 24).to_string();
    assert_eq!(decode_json(&["--format", "sonyflake", "--epoch-ms", "0", &id])["timestamp_ms"], 50);
    assert_eq!(decode_json(&["--format", "sonyflake", "--epoch-ms", "0", "--tick-ms", "1", &id])["timestamp_ms"], 5);
}

#[test]
fn what_id_makes_decode_reads() {
    for format in ["default", "twitter", "discord", "javascript", "41/3/10"] {
        let line = format!("monoflake id --node 5 -n 2 --layout {format} | monoflake decode --json --format {format}");
        let objects: Vec<_> = shell(&line).good().lines().map(json).collect();
        let fields: Vec<_> = objects.iter().map(|object| (&object["machine_id"], &object["sequence"])).collect();
        assert_eq!(fields, [(&5.into(), &0.into()), (&5.into(), &1.into())], "{format}");
    }
}

#[test]
fn people_get_columns_that_line_up_in_80() {
    let table = run(&["decode", "--format", "twitter", "1050118621198921728", "0", "9223372036854775807"]).good();
    let expected = "                 ID                TIME (UTC) NODE DATACENTER WORKER SEQUENCE
1050118621198921728  2018-10-10T20:19:24.211Z  347         10     27        0
                  0  2010-11-04T01:42:54.657Z    0          0      0        0
9223372036854775807  2080-07-10T17:30:30.208Z 1023         31     31     4095
";
    assert_eq!(table, expected);

    for format in
        ["default", "discord", "instagram", "sonyflake", "mastodon", "javascript", "1/31/31", "32/31/0", "1/0/62"]
    {
        let table = run(&["decode", "--format", format, "4503599627370495", "0"]).good();
        let widths: Vec<_> = table.lines().map(str::len).collect();
        assert_eq!(widths, [widths[0]; 3], "{format}");
        assert!(widths[0] <= 80, "{format}");
    }
}

#[test]
fn a_stream_is_decoded_line_by_line() {
    let object = |line: &str| json(line)["id"].as_u64();
    for input in ["5\n6\n", "5\n6", "5\r\n6\r\n"] {
        let output = run_with(&["decode", "--json"], input.as_bytes()).good();
        assert_eq!(output.lines().map(object).collect::<Vec<_>>(), [Some(5), Some(6)], "{input:?}");
    }
    assert_eq!(run(&["decode"]).good(), "", "no ids, no header");
    assert_eq!(run(&["decode", "--"]).good(), "");

    let many = (0..100_000).map(|id| id.to_string()).collect::<Vec<_>>().join("\n");
    let output = run_with(&["decode", "--json"], many.as_bytes()).good();
    assert!(output.lines().map(object).eq((0..100_000).map(Some)));
}

#[test]
fn a_row_is_shown_before_the_next_line_has_come() {
    let mut child = program().args(["decode", "--json"]).spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let (rows, shown) = mpsc::channel();
    let reader = thread::spawn(move || output.lines().try_for_each(|row| rows.send(row.expect("a pipe"))));
    let id = || json(&shown.recv_timeout(Duration::from_secs(10)).expect("a row without more input"))["id"].as_u64();

    input.write_all(b"5\n").expect("it reads");
    assert_eq!(id(), Some(5));
    // Part of the next line has come, too, and must not hold back what came before.
    input.write_all(b"6\n7").expect("it reads");
    assert_eq!(id(), Some(6));
    drop(input);
    assert_eq!(id(), Some(7));
    reader.join().expect("no panic").expect("received");
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_bad_line_stops_the_stream_after_the_rows_before_it() {
    let cases: [(&[u8], &[&str]); 7] = [
        (b" 7", &["' 7'", "digits"]),
        (b"-5", &["'-5'", "digits"]),
        (b"007", &["'007'", "leading zeros"]),
        ("１".as_bytes(), &["'１'", "digits"]),
        (b"9223372036854775808", &["'9223372036854775808'", "9223372036854775807"]),
        (b"\xff\xfe7", &["\\xff\\xfe7", "UTF-8"]),
        (b"7\0\x1b[31m", &["7\\0", "digits"]),
    ];
    for (bad, parts) in cases {
        let input = [b"5\n6\n", bad, b"\n7\n"].concat();
        let (rows, line) = run_with(&["decode", "--json"], &input).stopped(2);
        assert_eq!(rows.lines().map(|row| json(row)["id"].as_u64()).collect::<Vec<_>>(), [Some(5), Some(6)]);
        assert_says(&line, parts);
        assert!(line.starts_with("line 3: "), "{line}");
    }
    // Empty lines are counted, and skipped.
    let (rows, line) = run_with(&["decode", "--json"], b"5\n\n  \r\n6\nx\n").stopped(2);
    assert_eq!(rows.lines().count(), 2);
    assert!(line.starts_with("line 5: "), "{line}");
    let (rows, line) = run_with(&["decode", "--format", "javascript"], b"5\n9007199254740992\n").stopped(2);
    assert_eq!(rows.lines().count(), 2, "header and row");
    assert_says(&line, &["line 2", "9007199254740992", "53 bits"]);
}

#[test]
fn a_line_without_end_is_refused_and_not_held() {
    let (rows, line) = run_with(&["decode", "--json"], &[b"5\n".to_vec(), vec![b'1'; 50_000_000]].concat()).stopped(2);
    assert_eq!(rows.lines().count(), 1);
    assert_says(&line, &["line 2", "1111", "19 digits"]);
    // At the bound: with and without the end of the line.
    for length in 250..260 {
        let line = run_with(&["decode"], &[vec![b'1'; length], b"\n5\n".to_vec()].concat()).refused(2);
        assert_says(&line, &["line 1", "1111"]);
        assert_says(&run_with(&["decode"], &vec![b'1'; length]).refused(2), &["line 1", "1111"]);
    }
}

#[test]
fn an_argument_is_an_id_and_nothing_else() {
    for bad in ["-5", "", "１", "+5", "05", " 5", "5 ", "0x5", "1e3", "-", "5,6", "9223372036854775808"] {
        let line = run(&["decode", "5", bad, "6"]).refused(2);
        assert_says(&line, &[&format!("'{bad}'"), "an id is"]);
        // After `--` as well.
        assert_says(&run(&["decode", "--", bad]).refused(2), &[&format!("'{bad}'"), "an id is"]);
    }
    assert_says(&run(&["decode", "-x"]).refused(2), &["'-x'"]);
    assert_eq!(decode_json(&["--", "5"])["id"], 5);
    assert_eq!(decode_json(&["9223372036854775807"])["id"].as_u64(), Some(i64::MAX as u64));
}

#[test]
fn ids_as_arguments_are_shown_in_their_order() {
    let output = run(&["decode", "6", "5", "6", "--json"]).good();
    let ids: Vec<_> = output.lines().map(|line| json(line)["id"].as_u64()).collect();
    assert_eq!(ids, [Some(6), Some(5), Some(6)]);
}

#[test]
fn an_id_of_another_format_is_refused() {
    let line = run(&["decode", "--format", "javascript", "9007199254740992"]).refused(2);
    assert_says(&line, &["9007199254740992", "53 bits", "--format"]);
    assert_eq!(decode_json(&["--format", "javascript", "9007199254740991"])["sequence"], 511);
    // 2^63 ticks of 3 ms.
    let line = run(&["decode", "--format", "63/0/0", "--tick-ms", "3", "9223372036854775807"]).refused(2);
    assert_says(&line, &["9223372036854775807", "--tick-ms"]);
}

#[test]
fn a_format_is_a_name_or_three_widths() {
    for format in ["41/10", "41/10/12/1", "+41/10/12", "41/10/-1", "Discord", ""] {
        let line = run(&["decode", "5", "--format", format]).refused(2);
        assert_says(&line, &[&format!("'{format}'"), "instagram", "41/10/12"]);
    }
    for format in ["0/31/32", "64/0/0"] {
        assert_says(&run(&["decode", "5", "--format", format]).refused(2), &[format, "at most 63"]);
    }
    assert_says(&run(&["decode", "5", "--tick-ms", "0"]).refused(2), &["'0'", "--tick-ms", "from 1"]);
    assert_says(&run(&["decode", "5", "--epoch-ms", "-1"]).refused(2), &["'-1'", "--epoch-ms", "from 0"]);
}

#[test]
fn closed_pipes_and_files_are_no_crash() {
    assert_eq!(shell("monoflake id --node 7 -n 100000 | monoflake decode | head -n 2 | wc -l").good().trim(), "2");
    assert_eq!(shell("monoflake decode <&-").good(), "");
    assert_eq!(shell("monoflake decode 5 >&-").good(), "");
}

#[cfg(target_os = "linux")]
#[test]
fn errors_of_input_and_output_are_told() {
    let line = shell("monoflake decode 5 > /dev/full").refused(1);
    assert_says(&line, &["standard output", "No space left"]);
    assert_says(&shell("monoflake decode < /").refused(1), &["standard input", "directory"]);
}
