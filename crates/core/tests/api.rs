//! What users hold on to: types, sizes, texts, published ids; and that nothing allocates once a generator is made.

use std::{fmt::Debug, str::FromStr};

use monoflake_core::{Batch, Generator, Id, IdError, Layout, LayoutError, Lease, ManualClock, Node, Parts, Refusal};

static IDS: Generator<ManualClock> = Generator::new(Node::constant(Layout::DEFAULT, 7), ManualClock::new(1_000))
    .with_lead(1)
    .with_tolerance(10)
    .with_spread(4);
static CLOSED: Generator<ManualClock> = Generator::closed(Layout::DEFAULT, ManualClock::new(1_000));

const PUBLISHED: u64 = 175_928_847_299_117_063;

#[test]
fn a_generator_can_be_a_static() {
    let id = IDS.try_next().unwrap();
    assert_eq!(Layout::DEFAULT.decode(id).unwrap().node, 7);
    assert_eq!(CLOSED.try_next(), Err(Refusal::NotLeased));
}

#[test]
fn types_are_as_small_as_they_are() {
    assert!(size_of::<Generator<ManualClock>>() <= 256);
    assert_eq!(size_of::<Id>(), 8);
    assert_eq!(size_of::<Result<Id, Refusal>>(), 16);
    assert_eq!(size_of::<Refusal>(), 16);
    assert_eq!(size_of::<Layout>(), 24);
    assert_eq!(size_of::<Node>(), 32);
    assert_eq!(size_of::<Parts>(), 24);
    assert_eq!(size_of::<Batch>(), 48);
}

#[test]
fn everything_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Debug + 'static>() {}
    shared::<Generator<ManualClock>>();
    shared::<Batch>();
    shared::<Lease>();
    shared::<Layout>();
    shared::<Id>();
    shared::<Refusal>();
    shared::<LayoutError>();
    shared::<IdError>();
}

#[test]
fn only_the_canonical_text_of_an_id_is_read() {
    let sloppy = [
        "", " ", " 1", "1 ", "\t1", "1\n", "01", "00", "+1", "-1", "-0", "１", "١", "1_000", "1,000", "1.0", "1e3",
        "0x1", "a", "1\0", "+", "-",
    ];
    for text in sloppy {
        assert_eq!(Id::from_str(text), Err(IdError::NotCanonical), "{text:?}");
    }
    for text in ["9223372036854775808", "18446744073709551615", "18446744073709551616", "10000000000000000000"] {
        assert_eq!(Id::from_str(text), Err(IdError::OutOfRange), "{text:?}");
    }
    assert_eq!(Id::from_str(&"9".repeat(1_000)), Err(IdError::OutOfRange));
    for number in [0, 1, 9, 10, PUBLISHED, (1 << 53) + 1, (1 << 63) - 1] {
        let id = Id::try_from(number).unwrap();
        assert_eq!((id.as_u64(), id.to_string()), (number, number.to_string()));
        assert_eq!(number.to_string().parse(), Ok(id));
    }
}

#[test]
fn an_id_is_a_number_below_two_to_the_63() {
    assert_eq!(Id::try_from((1_u64 << 63) - 1), Ok(Id::MAX));
    assert_eq!(Id::try_from(1_u64 << 63), Err(IdError::OutOfRange));
    assert_eq!(Id::try_from(u64::MAX), Err(IdError::OutOfRange));
    assert_eq!(Id::try_from(i64::MAX), Ok(Id::MAX));
    assert_eq!(Id::try_from(0_i64), Ok(Id::MIN));
    assert_eq!(Id::try_from(-1_i64), Err(IdError::OutOfRange));
    assert_eq!(Id::try_from(i64::MIN), Err(IdError::OutOfRange));
    assert_eq!((u64::from(Id::MAX), i64::from(Id::MAX)), (u64::MAX >> 1, i64::MAX));
}

#[test]
fn a_lease_of_another_layout_or_without_a_tick_is_refused_and_changes_nothing() {
    let layout = Layout::DEFAULT;
    let generator = Generator::closed(layout, ManualClock::new(10));
    let before = format!("{generator:?}");
    let node = layout.node(7).unwrap();
    let others = [
        Layout::TWITTER,
        Layout::JAVASCRIPT.with_epoch_ms(layout.epoch_ms()),
        layout.with_tick(std::time::Duration::from_millis(2)).unwrap(),
    ];
    for other in others {
        let lease = Lease { node: other.node(7).unwrap(), from: 1, until: 20 };
        assert_eq!(generator.grant(lease), Err(LayoutError::OtherLayout));
    }
    for (from, until) in [(5, 5), (6, 5), (0, 0), (1 << 41, u64::MAX), (u64::MAX, u64::MAX)] {
        assert_eq!(generator.grant(Lease { node, from, until }), Err(LayoutError::EmptyWindow { from, until }));
    }
    assert_eq!(format!("{generator:?}"), before);
}

#[test]
fn published_ids_decode_to_what_their_makers_say() {
    let mut rows = 0;
    for line in include_str!("cases/decode.csv").lines().filter(|line| !line.starts_with(['#', 'f'])) {
        let fields: Vec<&str> = line.split(',').collect();
        let [format, id, epoch_ms, timestamp_ms, node, sequence, ..] = fields[..] else { panic!("{line}") };
        let epoch_ms: u64 = epoch_ms.parse().unwrap();
        let layout = match format {
            "classic" => Layout::constant(41, 10, 12).with_epoch_ms(epoch_ms),
            "twitter" => Layout::TWITTER,
            "discord" => Layout::DISCORD,
            _ => continue,
        };
        assert_eq!(layout.epoch_ms(), epoch_ms);
        let id: Id = id.parse().unwrap();
        let parts = layout.decode(id).unwrap();
        assert_eq!(layout.timestamp_ms(parts.tick), timestamp_ms.parse::<u64>().unwrap(), "{line}");
        assert_eq!((parts.node, parts.sequence), (node.parse().unwrap(), sequence.parse().unwrap()), "{line}");
        assert_eq!(layout.encode(parts), Ok(id));
        rows += 1;
    }
    assert_eq!(rows, 8);
}

#[test]
fn nothing_allocates_after_construction() {
    let layout = Layout::DEFAULT;
    let generator = Generator::closed(layout, ManualClock::new(0));
    let used = allocation_counter::measure(|| {
        let lease = Lease { node: layout.node(7).unwrap(), from: 2, until: 10 };
        assert_eq!(generator.try_next(), Err(Refusal::BeforeEpoch));
        generator.grant(lease).unwrap();
        generator.clock().set(3);
        let mut ids = [Id::MIN; 5];
        generator.fill(&mut ids).unwrap();
        assert!(generator.try_reserve(usize::MAX).unwrap().all(|id| layout.decode(id).is_ok()));
        assert_eq!(generator.try_next(), Err(Refusal::TickFull { ticks: 1 }));
        generator.clock().set(10);
        assert_eq!(generator.next(), Err(Refusal::NotLeased));
        generator.revoke();
        assert_eq!(generator.retire(), 4);
        assert_eq!("175928847299117063".parse::<Id>().map(Id::as_u64), Ok(PUBLISHED));
    });
    assert_eq!(used.count_total, 0);
}

#[cfg(feature = "serde")]
mod json {
    use monoflake_core::Id;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Both {
        id: Id,
        #[serde(with = "monoflake_core::text")]
        id_str: Id,
    }

    /// Numbers die in JavaScript: `JSON.parse` makes ...060 of this one. The text form is exact.
    #[test]
    fn numbers_die_in_javascript() {
        let id = Id::try_from(super::PUBLISHED).unwrap();
        let json = r#"{"id":175928847299117063,"id_str":"175928847299117063"}"#;
        assert_eq!(serde_json::to_string(&Both { id, id_str: id }).unwrap(), json);
        assert_eq!(serde_json::from_str::<Both>(json).unwrap(), Both { id, id_str: id });
    }

    #[test]
    fn neither_form_takes_the_other_or_a_sloppy_one() {
        for (id, id_str) in [
            ("\"1\"", "\"1\""),
            ("1", "1"),
            ("-1", "\"1\""),
            ("1.0", "\"1\""),
            ("9223372036854775808", "\"1\""),
            ("1", "\"9223372036854775808\""),
            ("1", "\"01\""),
            ("1", "\"+1\""),
            ("1", "\"-1\""),
            ("1", "\" 1\""),
            ("1", "\"\""),
            ("1", "null"),
        ] {
            let json = format!(r#"{{"id":{id},"id_str":{id_str}}}"#);
            assert!(serde_json::from_str::<Both>(&json).is_err(), "{json}");
        }
        assert!(serde_json::from_str::<Both>(r#"{"id":1,"id_str":"1"}"#).is_ok());
    }
}
