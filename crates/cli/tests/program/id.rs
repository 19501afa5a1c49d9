//! `monoflake id`.
#![allow(clippy::disallowed_methods, reason = "the program's clock is compared with the system's")]

use std::time::{SystemTime, UNIX_EPOCH};

use monoflake::{Id, Layout, Parts};

use crate::run::{assert_says, run, shell};

fn ids(output: &str) -> Vec<Id> {
    output.lines().map(|line| line.parse().expect("a line is an id")).collect()
}

fn parts(layout: Layout, id: Id) -> Parts {
    layout.decode(id).expect("of its layout")
}

fn now_ms() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis()
}

#[track_caller]
fn assert_rising(ids: &[Id]) {
    assert!(ids.is_sorted_by(|a, b| a < b), "not rising");
}

#[test]
fn one_id_by_default_of_the_node_and_of_now() {
    let before_ms = now_ms();
    let output = run(&["id", "--node", "7"]).good();
    let after_ms = now_ms();

    let &[id] = ids(&output).as_slice() else { panic!("not one line: {output:?}") };
    let parts = parts(Layout::DEFAULT, id);
    assert_eq!((parts.node, parts.sequence), (7, 0));
    let made_ms = u128::from(Layout::DEFAULT.timestamp_ms(parts.tick));
    assert!(before_ms < made_ms && made_ms < after_ms, "{before_ms} {made_ms} {after_ms}");
}

#[test]
fn count_ids_distinct_and_rising_over_many_ticks() {
    let ids = ids(&run(&["id", "--node", "1023", "-n", "50000"]).good());
    assert_eq!(ids.len(), 50_000);
    assert_rising(&ids);
    assert!(ids.iter().all(|id| parts(Layout::DEFAULT, *id).node == 1023));
}

#[test]
fn runs_one_after_another_never_repeat_an_id() {
    let output: String = (0..200).map(|_| run(&["id", "--node", "7", "-n", "5"]).good()).collect();
    let ids = ids(&output);
    assert_eq!(ids.len(), 1_000);
    assert_rising(&ids);
}

#[test]
fn a_run_is_above_one_that_lost_its_reader() {
    let output = shell("for run in 1 2 3 4 5 6 7 8 9 10; do monoflake id --node 7 -n 100000 | head -n 3; done").good();
    let ids = ids(&output);
    assert_eq!(ids.len(), 30);
    assert_rising(&ids);
}

#[test]
fn layouts_by_name_and_by_widths() {
    let presets = [
        ("default", Layout::DEFAULT),
        ("twitter", Layout::TWITTER),
        ("discord", Layout::DISCORD),
        ("javascript", Layout::JAVASCRIPT),
        ("41/0/22", Layout::constant(41, 0, 22)),
        ("63/0/0", Layout::constant(63, 0, 0)),
    ];
    for (name, layout) in presets {
        let before_ms = now_ms();
        let node = layout.node_count() - 1;
        let ids = ids(&run(&["id", "--layout", name, "--node", &node.to_string(), "-n", "3"]).good());
        assert_eq!(ids.len(), 3, "{name}");
        assert_rising(&ids);
        for parts in ids.iter().map(|id| parts(layout, *id)) {
            assert_eq!(parts.node, node, "{name}");
            let made_ms = u128::from(layout.timestamp_ms(parts.tick));
            assert!(before_ms < made_ms && made_ms < now_ms(), "{name}");
        }
    }
}

#[test]
fn epoch_and_tick_are_obeyed() {
    // 2025-01-01T00:00:00Z, where the default layout's time starts as well.
    let epoch_ms = 1_735_689_600_000;
    let before_ms = now_ms();
    let args = ["--layout", "39/16/8", "--tick-ms", "10", "--epoch-ms", "1735689600000"];
    let output = run(&[&["id", "--node", "40000"], &args[..]].concat()).good();
    let id = ids(&output)[0].as_u64();
    assert_eq!(id >> 8 & 0xFFFF, 40_000);
    let made_ms = epoch_ms + u128::from(id >> 24) * 10;
    assert!(before_ms < made_ms && made_ms < now_ms());
}

#[test]
fn more_ids_than_can_be_held_start_at_once_and_stop_with_their_reader() {
    let output = shell("{ monoflake id --node 7 -n 18446744073709551615; echo $? >&2; } | head -n 1");
    assert_eq!((output.status, output.stderr.as_str()), (Some(0), "0\n"));
    assert_eq!(ids(&output.stdout).len(), 1);
}

#[test]
fn a_node_must_fit_its_layout() {
    assert_says(&run(&["id", "--node", "1024"]).refused(2), &["node 1024", "0 to 1023"]);
    let javascript = run(&["id", "--node", "8", "--layout", "javascript"]);
    assert_says(&javascript.refused(2), &["node 8", "0 to 7"]);
    for node in ["18446744073709551616", "-1", "+7", "007", "1e3", "７", " 7", ""] {
        let line = run(&["id", "--node", node]).refused(2);
        assert_says(&line, &[&format!("'{node}'"), "--node", "digits only"]);
    }
    assert_says(&run(&["id"]).refused(2), &["--node"]);
}

#[test]
fn a_count_is_a_whole_number_from_1() {
    for count in ["0", "-1", "+5", "1e3", "05", "1.0", "", "18446744073709551616", "many"] {
        let line = run(&["id", "--node", "7", "-n", count]).refused(2);
        assert_says(&line, &[&format!("'{count}'"), "--count", "1 to 18446744073709551615"]);
    }
}

#[test]
fn a_layout_is_a_name_or_three_widths() {
    for layout in ["41/10", "41/10/12/1", "+41/10/12", "041/10/12", "41/10/", "41 /10/12", "300/0/0", "Twitter", ""] {
        let line = run(&["id", "--node", "7", "--layout", layout]).refused(2);
        assert_says(&line, &[&format!("'{layout}'"), "default, twitter, discord, javascript", "41/10/12"]);
    }
    for layout in ["0/31/32", "64/0/0", "41/11/12", "255/255/255"] {
        assert_says(&run(&["id", "--node", "7", "--layout", layout]).refused(2), &[layout, "at most 63"]);
    }
}

#[test]
fn a_tick_is_at_least_1_ms_and_short_enough_to_wait_for() {
    assert_says(&run(&["id", "--node", "7", "--tick-ms", "0"]).refused(2), &["'0'", "--tick-ms", "from 1"]);
    for tick_ms in ["1001", "18446744073709551615"] {
        let line = run(&["id", "--node", "7", "--tick-ms", tick_ms]).refused(2);
        assert_says(&line, &[tick_ms, "--tick-ms", "1 to 1000"]);
    }
}

#[test]
fn no_ids_before_the_epoch_and_after_the_end_of_time() {
    for epoch_ms in ["4102444800000", "18446744073709551615"] {
        let line = run(&["id", "--node", "7", "--epoch-ms", epoch_ms]).refused(1);
        assert_says(&line, &["epoch", epoch_ms]);
    }
    // 30 bits of milliseconds: two weeks of January 1970.
    let line = run(&["id", "--node", "7", "--layout", "30/10/12"]).refused(1);
    assert_says(&line, &["time field has ended", "30/10/12"]);
    assert_says(&run(&["id", "--node", "7", "--epoch-ms", "-1"]).refused(2), &["'-1'", "--epoch-ms", "from 0"]);
}

#[test]
fn what_id_does_not_know_is_refused() {
    assert_says(&run(&["id", "--node", "7", "8"]).refused(2), &["'8'"]);
    assert_says(&run(&["id", "--node", "7", "--", "8"]).refused(2), &["'8'"]);
    assert_says(&run(&["id", "--node", "7", "--node", "8"]).refused(2), &["--node", "multiple times"]);
    assert_says(&run(&["id", "--nod", "7"]).refused(2), &["'--nod'", "'--node'"]);
    assert_says(&run(&["id", "--node"]).refused(2), &["--node", "value"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let line = shell("monoflake id --node 7 > /dev/full").refused(1);
    assert_says(&line, &["standard output", "No space left"]);
}

#[test]
fn closed_output_is_no_crash() {
    assert_eq!(shell("monoflake id --node 7 >&-").good(), "");
    let silent = shell("monoflake id --node x 2>&-");
    assert_eq!((silent.status, silent.stderr.as_str()), (Some(2), ""));
}
