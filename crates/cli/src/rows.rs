//! Decoded ids on their way out: a table for people, or JSON for programs.
//!
//! Both stream: the widths of the table's columns follow from the format alone.

use std::io::{self, Write};

use jiff::{SignedDuration, civil::DateTime};
use serde::Serialize;

use crate::{
    format::{Decoded, Format, Origin},
    stop::Stop,
};

pub(crate) struct Rows<W> {
    out: W,
    /// `None` writes JSON.
    table: Option<Table>,
}

struct Table {
    columns: Vec<Column>,
    /// The header comes with the first row: no row, no header.
    header_due: bool,
}

/// A column that not all formats have.
struct Column {
    header: &'static str,
    width: usize,
    value: Value,
}

type Value = fn(&Origin) -> Option<u64>;

/// The keys of the JSON object, in their order.
#[derive(Serialize)]
struct Object {
    id: u64,
    id_str: String,
    timestamp_ms: u64,
    datetime: Option<String>,
    machine_id: Option<u64>,
    sequence: Option<u64>,
    datacenter_id: Option<u64>,
    worker_id: Option<u64>,
    process_id: Option<u64>,
}

impl<W: Write> Rows<W> {
    pub(crate) fn new(format: Format, json: bool, out: W) -> Self {
        let table = (!json).then(|| Table { columns: columns(&format.greatest()), header_due: true });
        Self { out, table }
    }

    pub(crate) fn write(&mut self, decoded: &Decoded) -> Result<(), Stop> {
        match &mut self.table {
            Some(table) => table.write(&mut self.out, decoded),
            None => write_json(&mut self.out, decoded),
        }
        .map_err(Stop::output)
    }

    pub(crate) fn flush(&mut self) -> Result<(), Stop> {
        self.out.flush().map_err(Stop::output)
    }
}

impl Table {
    fn write(&mut self, out: &mut impl Write, decoded: &Decoded) -> io::Result<()> {
        if self.header_due {
            self.header_due = false;
            write!(out, "{:>19} {:>25}", "ID", "TIME (UTC)")?;
            for Column { header, width, .. } in &self.columns {
                write!(out, " {header:>width$}")?;
            }
            writeln!(out)?;
        }
        let time = datetime(decoded.timestamp_ms).unwrap_or_else(|| format!("{} ms", decoded.timestamp_ms));
        write!(out, "{:>19} {time:>25}", decoded.id.as_u64())?;
        for Column { width, value, .. } in &self.columns {
            // Each column is one that the format has.
            let value = value(&decoded.origin).unwrap_or(0);
            write!(out, " {value:>width$}")?;
        }
        writeln!(out)
    }
}

fn columns(greatest: &Origin) -> Vec<Column> {
    let all: [(&str, Value); 5] = [
        ("NODE", |origin| origin.node),
        ("DATACENTER", |origin| origin.datacenter),
        ("WORKER", |origin| origin.worker),
        ("PROCESS", |origin| origin.process),
        ("SEQUENCE", |origin| origin.sequence),
    ];
    let present = all.into_iter().filter_map(|(header, value)| {
        let width = value(greatest)?.to_string().len().max(header.len());
        Some(Column { header, width, value })
    });
    present.collect()
}

fn write_json(out: &mut impl Write, decoded: &Decoded) -> io::Result<()> {
    let Decoded { id, timestamp_ms, origin } = decoded;
    let object = Object {
        id: id.as_u64(),
        id_str: id.to_string(),
        timestamp_ms: *timestamp_ms,
        datetime: datetime(*timestamp_ms),
        machine_id: origin.node,
        sequence: origin.sequence,
        datacenter_id: origin.datacenter,
        worker_id: origin.worker,
        process_id: origin.process,
    };
    serde_json::to_writer(&mut *out, &object)?;
    writeln!(out)
}

/// RFC 3339 in UTC with milliseconds; its years end with 9999.
fn datetime(timestamp_ms: u64) -> Option<String> {
    const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
    let since_epoch = SignedDuration::from_millis(i64::try_from(timestamp_ms).ok()?);
    let utc = EPOCH.checked_add(since_epoch).ok()?;
    Some(format!("{utc:.3}Z"))
}
