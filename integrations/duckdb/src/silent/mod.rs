//! Silent payments (BIP 352): `silent_payments_scan`, and a variant with the arguments that Frigate
//! uses.

mod batching;
mod columns;
mod receivers;

use crate::api::Handle;
use crate::engine::service;
use crate::scalar::{self, BoundCall, ScalarFunction};
use crate::vector::{ANY, BIGINT, BLOB, BOOLEAN, INTEGER, LogicalType, Results, Type, Vector};
use batching::RowAnswers;
use columns::{OutputKind, ScanColumns};
use gecc::silent_payments::Receiver;
use gecc::{PublicKeys, SecretKey, Verdict, stack};
use gecc_chains::bitcoin::ReceiverKeys;
use receivers::{Labels, RowKeys, Search, Searches};
use std::ffi::CStr;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The setting that names the file of a receiver's keys.
const KEY_FILE: &CStr = c"gecc_key_file";
const DESCRIPTION: &CStr =
    c"the file with the scan private key and the spend public key of a receiver of silent payments";

/// Registers the functions and the setting with a database.
///
/// # Safety
/// The handle is that of a connection to it.
pub unsafe fn register(connection: Handle) -> Result<(), String> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        scalar::register_file_setting(connection, KEY_FILE, DESCRIPTION)?;
        scalar::register(connection, ScanFunction::Own)?;
        scalar::register(connection, ScanFunction::Frigate)
    }
}

/// A function, by its arguments.
#[derive(PartialEq, Eq)]
enum ScanFunction {
    /// `silent_payments_scan(outputs, scan_key, spend_key, tweak_key, labels)`, or without the
    /// receiver's keys, which are then read from a file. It returns the matches.
    Own,
    /// `scan_silent_payments(outputs, [scan_key, spend_key, tweak_key], label_points)`. It returns
    /// whether there is a match.
    Frigate,
}

/// The data of a statement.
struct ScanStatement {
    known: OutputKind,
    /// The keys of a file, if the statement has none.
    file: Option<ReceiverKeys>,
    searches: Searches,
}

/// A row without a null.
struct ScanRow<'a> {
    keys: RowKeys<'a>,
    tweak_key: &'a [u8],
    outputs: Range<usize>,
}

impl ScalarFunction for ScanFunction {
    type Bound = ScanStatement;
    type Local = Vec<Arc<Search>>;

    fn name(&self) -> String {
        let name = match self {
            ScanFunction::Own => "silent_payments_scan",
            ScanFunction::Frigate => "scan_silent_payments",
        };
        name.to_owned()
    }

    fn overloads(&self) -> Vec<Vec<LogicalType>> {
        let simple = LogicalType::simple;
        match self {
            ScanFunction::Own => vec![
                vec![simple(ANY), simple(BLOB)],
                vec![simple(ANY), simple(BLOB), list_of(BIGINT)],
                vec![
                    simple(ANY),
                    simple(BLOB),
                    simple(BLOB),
                    simple(BLOB),
                    list_of(BIGINT),
                ],
            ],
            ScanFunction::Frigate => vec![vec![simple(ANY), list_of(BLOB), list_of(BLOB)]],
        }
    }

    fn result(&self) -> LogicalType {
        let simple = LogicalType::simple;
        match self {
            ScanFunction::Own => LogicalType::list(&LogicalType::structure(&[
                (c"output", simple(INTEGER)),
                (c"k", simple(INTEGER)),
                (c"label", simple(BIGINT)),
                (c"tweak", simple(BLOB)),
            ])),
            ScanFunction::Frigate => simple(BOOLEAN),
        }
    }

    fn bind(&self, call: &BoundCall) -> Result<ScanStatement, String> {
        let known = OutputKind::of(&call.type_of(0))?;
        let needs_file = *self == ScanFunction::Own && call.arguments() < 5;
        let file = needs_file.then(|| {
            let path = call
                .setting(KEY_FILE)
                .ok_or("no keys are given, and the setting `gecc_key_file` names no file")?;
            ReceiverKeys::read(Path::new(&path)).map_err(|problem| format!("{path}: {problem}"))
        });
        Ok(ScanStatement {
            known,
            file: file.transpose()?,
            searches: Searches::default(),
        })
    }

    fn compute(
        &self,
        statement: &ScanStatement,
        mine: &mut Vec<Arc<Search>>,
        arguments: &[Vector],
        results: &mut Results,
    ) -> Result<(), String> {
        // Keys and tweaks are on the stack.
        stack::wiped(|| {
            let found = self.search(statement, mine, arguments)?;
            match self {
                ScanFunction::Own => write_matches(&found, results)?,
                ScanFunction::Frigate => write_booleans(&found, results),
            }
            Ok(())
        })
    }
}

/// The position of each row in a part; `None` for a row that has a null or cannot be read.
type FoundRows = Vec<Option<(Arc<RowAnswers>, usize)>>;

impl ScanFunction {
    /// Searches all rows, in one batch per receiver.
    fn search(
        &self,
        statement: &ScanStatement,
        mine: &mut Vec<Arc<Search>>,
        arguments: &[Vector],
    ) -> Result<FoundRows, String> {
        let rows = arguments[0].rows();
        let lists: Vec<_> = arguments.iter().map(Vector::elements).collect();
        let mut groups: Vec<(RowKeys, ScanColumns, Vec<usize>)> = Vec::new();
        for row in 0..rows {
            let Some(of) = self.row(arguments, &lists, row) else {
                continue;
            };
            // Usually the same as for the previous row.
            let group = match groups.iter().rposition(|(keys, ..)| keys.is(&of.keys)) {
                Some(group) => group,
                None => {
                    groups.push((of.keys, ScanColumns::new(statement.known), Vec::new()));
                    groups.len() - 1
                }
            };
            let (_, columns, places) = &mut groups[group];
            if lists[0].is_some_and(|outputs| {
                columns.push(self.tweak_point(of.tweak_key), &outputs, of.outputs)
            }) {
                places.push(row);
            }
        }
        let mut found: FoundRows = vec![None; rows];
        for (keys, columns, places) in groups {
            let search = statement.searches.of(mine, &keys, statement.known, || {
                self.receiver(statement, &keys)
            })?;
            let part = Arc::new(search.gather.scan(service()?.engine(), columns)?);
            for (place, (row, code)) in places.into_iter().zip(part.codes()).enumerate() {
                found[row] = (*code == Verdict::VALID_CODE).then(|| (Arc::clone(&part), place));
            }
        }
        Ok(found)
    }

    /// Returns the arguments of a row; `None` if one is null. `lists` contains the elements of
    /// arguments that are lists.
    fn row<'a>(
        &self,
        arguments: &[Vector<'a>],
        lists: &[Option<Vector<'a>>],
        row: usize,
    ) -> Option<ScanRow<'a>> {
        let outputs = arguments[0].list(row)?;
        let (scan, spend, tweak_key, labels) = match (self, arguments.len()) {
            (ScanFunction::Own, 2) => (&[][..], &[][..], arguments[1].bytes(row)?, None),
            (ScanFunction::Own, 3) => (
                &[][..],
                &[][..],
                arguments[1].bytes(row)?,
                Some(labels_of(arguments, lists, 2, row)?),
            ),
            (ScanFunction::Own, _) => {
                let [scan, spend, tweak_key] =
                    [1, 2, 3].map(|which: usize| arguments[which].bytes(row));
                (
                    scan?,
                    spend?,
                    tweak_key?,
                    Some(labels_of(arguments, lists, 4, row)?),
                )
            }
            (ScanFunction::Frigate, _) => {
                let places = arguments[1].list(row)?;
                let keys = lists[1]?;
                let [scan, spend, tweak_key] = [0, 1, 2].map(|which| places.start + which);
                if places.len() != 3 {
                    return None;
                }
                let labels = labels_of(arguments, lists, 2, row)?;
                (
                    keys.bytes(scan)?,
                    keys.bytes(spend)?,
                    keys.bytes(tweak_key)?,
                    Some(labels),
                )
            }
        };
        Some(ScanRow {
            keys: RowKeys {
                scan,
                spend,
                labels,
            },
            tweak_key,
            outputs,
        })
    }

    /// # Errors
    /// A problem of the keys, without any part of them.
    fn receiver(&self, statement: &ScanStatement, keys: &RowKeys) -> Result<Receiver, String> {
        if let Some(file) = &statement.file {
            return file
                .receiver(&keys.label_numbers()?)
                .map_err(|reason| reason.to_string());
        }
        let scan: &[u8; 32] = keys
            .scan
            .try_into()
            .map_err(|_| "the scan key has 32 bytes")?;
        let scan = SecretKey::from_bytes(*scan);
        let spend = self.sec1(keys.spend);
        let receiver = match (self, &keys.labels) {
            (ScanFunction::Frigate, Some(labels)) => {
                let points: Vec<Vec<u8>> = labels
                    .points()?
                    .into_iter()
                    .map(|point| self.sec1(point))
                    .collect();
                Receiver::with_label_points(scan, &spend, points.iter().map(Vec::as_slice))
            }
            _ => Receiver::new(scan, &spend, &keys.label_numbers()?),
        };
        receiver.map_err(|reason| reason.to_string())
    }

    /// Returns a public key of a receiver in the encoding of SEC 1.
    fn sec1(&self, key: &[u8]) -> Vec<u8> {
        match <&[u8; 64]>::try_from(key) {
            Ok(coordinates) => [&[4], &self.coordinates(coordinates)[..]].concat(),
            Err(_) => key.to_vec(),
        }
    }

    /// Returns a tweak key of any form in the format that the engine takes.
    fn tweak_point(&self, key: &[u8]) -> [u8; 65] {
        match key.try_into() {
            Ok(coordinates) => PublicKeys::mixed_row(&self.coordinates(coordinates)),
            Err(_) => PublicKeys::mixed_row(key),
        }
    }

    /// Returns `x || y`, from little-endian coordinates for Frigate.
    fn coordinates(&self, key: &[u8; 64]) -> [u8; 64] {
        let mut key = *key;
        if *self == ScanFunction::Frigate {
            key[..32].reverse();
            key[32..].reverse();
        }
        key
    }
}

fn list_of(element: Type) -> LogicalType {
    LogicalType::list(&LogicalType::simple(element))
}

/// Returns the labels of a row, which are a list in an argument; `None` if it is null.
fn labels_of<'a>(
    arguments: &[Vector<'a>],
    lists: &[Option<Vector<'a>>],
    argument: usize,
    row: usize,
) -> Option<Labels<'a>> {
    Some(Labels {
        values: lists[argument]?,
        places: arguments[argument].list(row)?,
    })
}

fn write_booleans(found: &FoundRows, results: &mut Results) {
    for (row, found) in found.iter().enumerate() {
        match found {
            Some((part, place)) => results.set_boolean(row, !part.of_row(*place).is_empty()),
            None => results.set_null(row),
        }
    }
}

/// Writes a list of the matches in each row.
fn write_matches(found: &FoundRows, results: &mut Results) -> Result<(), String> {
    let mut end = 0;
    for (row, found) in found.iter().enumerate() {
        let count = found
            .as_ref()
            .map_or(0, |(part, place)| part.of_row(*place).len());
        results.set_list(row, end..end + count);
        end += count;
        if found.is_none() {
            results.set_null(row);
        }
    }
    let mut elements = results.elements(end)?;
    let matches = found
        .iter()
        .flatten()
        .flat_map(|(part, place)| part.of_row(*place));
    for (element, found) in matches.enumerate() {
        // A row has few outputs, and k is small.
        elements.member(0).set_integer(element, found.output as i32);
        elements.member(1).set_integer(element, found.k as i32);
        match found.label {
            Some(label) => elements.member(2).set_bigint(element, label.into()),
            None => elements.member(2).set_null(element),
        }
        elements
            .member(3)
            .set_bytes(element, found.tweak.expose_bytes());
    }
    Ok(())
}
