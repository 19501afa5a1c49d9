//! The machine step by step: which slot it takes, what it grants, when it closes.

use monoflake::{Layout, Lease};
use monoflake_lease::{
    machine::{Answer, Command, Config, Machine, Now, Reason, Request},
    slot::{Claim, Slot, Version, View},
    store::StoreError,
};

const LAYOUT: Layout = Layout::DEFAULT;
/// An hour of ticks.
const T: u64 = 3_600_000;
const WINDOW: u64 = 3_000;

fn machine() -> Machine {
    let config = Config {
        layout: LAYOUT,
        nodes: 0..4,
        window_ticks: WINDOW,
        extend_every_ms: 1_000,
        retry_after_ms: 500,
        clock_bound_ms: 10_000,
        owner: "us".to_owned(),
    };
    Machine::new(config, 7)
}

fn now(tick: u64, boot_ms: u64) -> Now {
    Now { tick, boot_ms }
}

fn view(node: u64, fence: u64, holder: Option<&str>) -> View {
    let slot =
        Slot { fence, layout: LAYOUT, owner: "them".to_owned(), generation: 5, clock_ms: LAYOUT.timestamp_ms(T) };
    let claim = holder.map(|holder| Claim { mine: holder == "us", holder: holder.to_owned() });
    View { node, version: Version(40 + node), slot: Some(slot), claim }
}

/// What is asked for after a survey that showed `views`; the reason if nothing is.
fn asked_after(views: Vec<View>, tick: u64) -> Result<Request, Reason> {
    let mut machine = machine();
    assert_eq!(machine.wake(now(tick, 0)), [Command::Ask(Request::Survey)]);
    match &machine.answer(now(tick, 0), Ok(Answer::Survey(views)))[..] {
        [Command::Ask(request)] => Ok(request.clone()),
        [Command::Sleep { until_boot_ms: 500 }] => Err(machine.reason().expect("nothing is held").clone()),
        other => panic!("{other:?}"),
    }
}

/// A machine that has just been told that it holds node 2, with `from` 900 and a fence a window ahead of T.
fn holder(boot_ms: u64) -> Machine {
    let mut machine = machine();
    machine.wake(now(T, boot_ms));
    let others = [0, 1, 3].map(|node| view(node, T + 1, Some("them")));
    let views = [vec![view(2, 900, None)], others.to_vec()].concat();
    machine.answer(now(T, boot_ms), Ok(Answer::Survey(views)));
    let commands = machine.answer(now(T, boot_ms), Ok(Answer::Written(Version(60))));
    let lease = Lease { node: LAYOUT.node(2).unwrap(), from: 900, until: T + WINDOW };
    assert_eq!(commands, [Command::Grant(lease), Command::Sleep { until_boot_ms: boot_ms + 1_000 }]);
    assert_eq!(machine.reason(), None);
    machine
}

#[test]
fn takes_the_free_slot_whose_fence_has_passed_longest_ago() {
    let views = vec![view(0, 500, None), view(1, 20, Some("them")), view(2, 400, None), view(3, 450, None)];
    let Ok(Request::Acquire { node, seen, slot }) = asked_after(views, T) else { panic!("one is free") };
    assert_eq!((node, seen), (2, Version(42)));
    assert_eq!((slot.fence, slot.generation, slot.owner.as_str()), (T + WINDOW, 6, "us"));
}

#[test]
fn a_slot_that_was_never_used_comes_first() {
    let Ok(Request::Acquire { node, seen, slot }) = asked_after(vec![view(0, 1, None), view(3, 2, None)], T) else {
        panic!("four are free")
    };
    assert!([1, 2].contains(&node), "{node}");
    assert_eq!((seen, slot.fence, slot.generation), (Version::NONE, T + WINDOW, 1));
}

#[test]
fn a_fence_ahead_of_the_clock_is_kept_and_never_lowered() {
    let others = [0, 1, 3].map(|node| view(node, 0, Some("them")));
    let within = [others.to_vec(), vec![view(2, T + WINDOW, None)]].concat();
    let Ok(Request::Acquire { slot, .. }) = asked_after(within, T) else { panic!("within a window") };
    assert_eq!(slot.fence, T + 2 * WINDOW);

    let beyond = [others.to_vec(), vec![view(2, T + WINDOW + 1, None)]].concat();
    assert_eq!(asked_after(beyond, T), Err(Reason::NoneFree { claimed: 3, ahead: 1 }));
}

#[test]
fn a_slot_of_another_layout_is_refused() {
    let mut other = view(1, 0, None);
    other.slot.as_mut().unwrap().layout = LAYOUT.with_epoch_ms(0);
    assert_eq!(asked_after(vec![other], T), Err(Reason::OtherLayout { node: 1 }));
}

#[test]
fn a_clock_far_off_those_of_live_holders_takes_nothing_and_says_by_how_much() {
    let live = vec![view(3, T, Some("them"))];
    assert_eq!(asked_after(live.clone(), T + 10_001), Err(Reason::ClockOff { node: 3, ahead_ms: 10_001 }));
    assert_eq!(asked_after(live.clone(), T - 10_001), Err(Reason::ClockOff { node: 3, ahead_ms: -10_001 }));
    assert!(asked_after(live, T + 10_000).is_ok());
    // Those of the dead say nothing.
    assert!(asked_after(vec![view(3, T, None)], T + 3_600_000).is_ok());
}

#[test]
fn read_error_taken_as_nothing_stored() {
    let mut machine = machine();
    machine.wake(now(T, 0));
    let commands = machine.answer(now(T, 0), Err(StoreError::Unavailable("away".to_owned())));
    assert_eq!(commands, [Command::Sleep { until_boot_ms: 500 }]);
    assert_eq!(machine.reason(), Some(&Reason::Unavailable("away".to_owned())));
    assert_eq!(machine.wake(now(T, 500)), [Command::Ask(Request::Survey)]);
}

#[test]
fn a_clock_that_is_not_trusted_writes_no_fence() {
    assert_eq!(asked_after(vec![], 0), Err(Reason::ClockUntrusted));
    let mut machine = holder(0);
    assert_eq!(machine.wake(now(0, 1_000)), [Command::Sleep { until_boot_ms: 2_000 }]);
    assert_eq!(machine.reason(), None, "what was granted runs out by itself");
}

#[test]
fn an_extension_after_a_step_back_keeps_the_fence() {
    let mut machine = holder(0);
    let [Command::Ask(Request::Extend { node: 2, seen: Version(60), slot })] = &machine.wake(now(T - 5_000, 1_000))[..]
    else {
        panic!("it is time to extend")
    };
    assert_eq!(slot.fence, T + WINDOW);
}

#[test]
fn ownership_gone_generator_goes_on() {
    for error in [StoreError::Conflict, StoreError::SessionLost] {
        let mut machine = holder(0);
        machine.wake(now(T + 1_000, 1_000));
        assert_eq!(
            machine.answer(now(T + 1_000, 1_000), Err(error)),
            [Command::Revoke, Command::Ask(Request::Survey)],
            "closed at once, and looking for another slot"
        );
    }
}

#[test]
fn an_answer_that_did_not_arrive_is_no_extension() {
    let mut machine = holder(0);
    machine.wake(now(T + 1_000, 1_000));
    let lost = Err(StoreError::Unavailable("no answer".to_owned()));
    assert_eq!(machine.answer(now(T + 1_000, 1_500), lost), [Command::Ask(Request::Read { node: 2 })]);

    // The write had happened, and the slot is still ours: it goes on from what is stored.
    let mut stored = view(2, T + 1_000 + WINDOW, Some("us"));
    stored.version = Version(61);
    let mut another = machine.clone();
    let commands = machine.answer(now(T + 1_500, 1_600), Ok(Answer::View(stored)));
    let [Command::Ask(Request::Extend { seen: Version(61), slot, .. })] = &commands[..] else { panic!("{commands:?}") };
    assert_eq!(slot.fence, T + 1_500 + WINDOW);

    // Somebody else has it.
    let commands = another.answer(now(T + 1_500, 1_600), Ok(Answer::View(view(2, T + 9_000, Some("them")))));
    assert_eq!(commands, [Command::Revoke, Command::Ask(Request::Survey)]);
}

/// tikv/pd 1661: a reply that is delayed makes the deadline later.
#[test]
fn deadline_counted_from_the_reply() {
    let mut machine = holder(10_000);
    // Asked at 10 s, answered at 12 s: the session ends at 13 s.
    machine.renewed(10_000, Some(3_000));
    assert!(matches!(machine.wake(now(T + 2_999, 12_999))[..], [Command::Ask(Request::Extend { .. })]));

    let mut machine = holder(10_000);
    machine.renewed(10_000, Some(3_000));
    assert_eq!(
        machine.wake(now(T + 3_000, 13_000)),
        [Command::Revoke, Command::Ask(Request::Read { node: 2 })],
        "closed at once, although the fence alone keeps it safe"
    );
    assert_eq!(machine.reason(), Some(&Reason::SessionOver));
}

#[test]
fn a_hand_back_gives_the_exact_fence() {
    let mut machine = holder(0);
    let commands = machine.release(T + 7);
    let [Command::Ask(Request::Release { node: 2, seen: Version(60), slot })] = &commands[..] else {
        panic!("{commands:?}")
    };
    assert_eq!(slot.fence, T + 7);
    assert!(machine.release(T + 7).is_empty(), "once");
}

#[test]
fn a_claim_that_an_answer_never_told_of_is_taken_up() {
    let mine = view(1, T + 500, Some("us"));
    let Ok(Request::Extend { node: 1, seen: Version(41), slot }) = asked_after(vec![mine.clone()], T) else {
        panic!("it is ours")
    };
    assert_eq!(slot.fence, T + WINDOW);

    // It begins at the fence that it found: what stood before is not known any more.
    let mut machine = machine();
    machine.wake(now(T, 0));
    machine.answer(now(T, 0), Ok(Answer::Survey(vec![mine])));
    let commands = machine.answer(now(T, 0), Ok(Answer::Written(Version(42))));
    let lease = Lease { node: LAYOUT.node(1).unwrap(), from: T + 500, until: T + WINDOW };
    assert_eq!(commands[0], Command::Grant(lease));
}
