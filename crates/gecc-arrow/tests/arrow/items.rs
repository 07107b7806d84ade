//! Random items, the columns that hold them, and the library's verdicts on them.

use arrow_array::Array;
use arrow_array::types::{Int16Type, UInt32Type};
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, FixedSizeBinaryArray,
    LargeBinaryArray, LargeStringArray, PrimitiveArray, RecordBatch, StringArray, StringViewArray,
};
use arrow_schema::{Field as Column, Schema};
use gecc::{Backend, CurveId, Engine, Point, SecretKey, call, ecdsa, keys, sm2};
use gecc_arrow::{CellProblem, Field, Mapping, Reason, TableOperation};
use std::sync::{Arc, OnceLock};

/// The curves of the library.
pub const CURVES: [CurveId; 4] = [
    CurveId::Secp256k1,
    CurveId::P256,
    CurveId::BrainpoolP256r1,
    CurveId::Sm2,
];

/// One engine for all tests.
pub fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        Engine::builder()
            .backend(Backend::Cpu)
            .build()
            .expect("an engine on the CPU")
    })
}

pub type Cell = Option<Vec<u8>>;

/// Valid items, some of which are then corrupted.
pub struct Items {
    pub digests: Vec<[u8; 32]>,
    pub signatures: Vec<[u8; 64]>,
    pub secrets: Vec<SecretKey>,
    pub points: Vec<Point>,
}

impl Items {
    pub fn random(curve: CurveId, count: usize) -> Self {
        let (secrets, points) = keys::generate(engine(), curve, count).unwrap();
        let digests: Vec<[u8; 32]> = (0..count).map(|_| rand::random()).collect();
        let signed = match curve {
            CurveId::Sm2 => sm2::sign(engine(), &digests, &secrets).unwrap(),
            curve => ecdsa::sign(engine(), curve, &digests, &secrets, Default::default()).unwrap(),
        };
        let signatures = signed.into_iter().map(Result::unwrap).collect();
        Items {
            digests,
            signatures,
            secrets,
            points,
        }
    }

    /// Flips a bit of every third digest or signature.
    pub fn corrupt(&mut self) {
        for item in (0..self.digests.len()).step_by(3) {
            match rand::random_range(0..2) {
                0 => self.digests[item][rand::random_range(0..32)] ^= 1 << rand::random_range(0..8),
                _ => {
                    self.signatures[item][rand::random_range(0..64)] ^=
                        1 << rand::random_range(0..8)
                }
            }
        }
    }

    /// Keys of all encodings, one after the other.
    pub fn mixed_keys(&self) -> Vec<Vec<u8>> {
        let key = |(item, point): (usize, &Point)| match item % 3 {
            0 => point.to_compressed().unwrap().to_vec(),
            1 => point.as_sec1().to_vec(),
            _ => point.as_sec1()[1..].to_vec(),
        };
        self.points.iter().enumerate().map(key).collect()
    }
}

/// Returns the verdicts of the library's calls on slices.
pub fn verdicts(
    curve: CurveId,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: &[Vec<u8>],
) -> Vec<u8> {
    // The raw form goes with its tag.
    let keys: Vec<Vec<u8>> = keys
        .iter()
        .map(|key| {
            if key.len() == 64 {
                [&[4], &key[..]].concat()
            } else {
                key.clone()
            }
        })
        .collect();
    let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let verdicts = match curve {
        CurveId::Sm2 => sm2::verify(engine(), digests, signatures, &slices),
        curve => ecdsa::verify(
            engine(),
            curve,
            digests,
            signatures,
            &slices,
            ecdsa::Policy::default(),
        ),
    };
    verdicts
        .unwrap()
        .iter()
        .map(|verdict| verdict.code())
        .collect()
}

pub fn some<T: AsRef<[u8]>>(rows: &[T]) -> Vec<Cell> {
    rows.iter().map(|row| Some(row.as_ref().to_vec())).collect()
}

/// The columns of every type that hold these cells. Each is a slice of a longer one.
pub fn columns(cells: &[Cell]) -> Vec<ArrayRef> {
    let mut all = vec![Some(vec![0xee; 7]); 3];
    all.extend_from_slice(cells);
    all.push(None);
    let bytes = || all.iter().map(Option::as_deref);
    let texts = |prefix: &str, upper: bool| -> Vec<Option<String>> {
        let text = |cell: &Cell| {
            cell.as_ref().map(|cell| match std::str::from_utf8(cell) {
                // Cells of text that is not hexadecimal stay as they are.
                Ok(text) if text.starts_with("not ") => text.to_owned(),
                _ => {
                    let digits = cell.iter().map(|byte| {
                        if upper {
                            format!("{byte:02X}")
                        } else {
                            format!("{byte:02x}")
                        }
                    });
                    prefix.to_owned() + &digits.collect::<String>()
                }
            })
        };
        all.iter().map(text).collect()
    };
    let keys = || (0..all.len() as u32).collect::<Vec<_>>();
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(BinaryArray::from_iter(bytes())),
        Arc::new(LargeBinaryArray::from_iter(bytes())),
        Arc::new(BinaryViewArray::from_iter(bytes())),
        Arc::new(StringArray::from(texts("", false))),
        Arc::new(LargeStringArray::from(texts(" 0x", true))),
        Arc::new(StringViewArray::from_iter(texts("0X", false))),
        Arc::new(DictionaryArray::new(
            PrimitiveArray::<UInt32Type>::from(keys()),
            Arc::new(StringArray::from(texts("\\x", true))),
        )),
        Arc::new(DictionaryArray::new(
            PrimitiveArray::<Int16Type>::from_iter(
                keys()
                    .iter()
                    .map(|key| all[*key as usize].as_ref().map(|_| *key as i16)),
            ),
            Arc::new(BinaryArray::from_iter(
                bytes().map(|cell| Some(cell.unwrap_or(&[]))),
            )),
        )),
    ];
    for column in &mut columns {
        *column = column.slice(3, cells.len());
    }
    columns.extend(fixed(cells));
    columns
}

/// The column of fixed width, where all cells have the same.
pub fn fixed(cells: &[Cell]) -> Option<ArrayRef> {
    let width = cells.iter().flatten().map(Vec::len).next()?;
    if cells.iter().flatten().any(|cell| cell.len() != width) {
        return None;
    }
    let filler = vec![0xee; width];
    let rows = [Some(&filler)]
        .into_iter()
        .chain(cells.iter().map(Option::as_ref))
        .chain([None]);
    let column = FixedSizeBinaryArray::try_from_sparse_iter_with_size(rows, width as i32).unwrap();
    Some(Arc::new(column.slice(1, cells.len())))
}

/// A batch with a column for each field, and its mapping.
pub fn batch(columns: Vec<(Field, ArrayRef)>) -> (RecordBatch, Mapping) {
    let mapping = columns.iter().fold(Mapping::new(), |mapping, (field, _)| {
        mapping.with(*field, format!("the {field}"))
    });
    let fields: Vec<Column> = columns
        .iter()
        .map(|(field, column)| {
            Column::new(format!("the {field}"), column.data_type().clone(), true)
        })
        .collect();
    let arrays = columns.into_iter().map(|(_, column)| column).collect();
    (
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap(),
        mapping,
    )
}

pub fn cell(field: Field, problem: CellProblem) -> u8 {
    Reason::Cell(field, problem).code()
}

/// Verification by the curve's own scheme.
pub fn verify(curve: CurveId) -> TableOperation {
    call::Operation::verify(curve, Default::default()).into()
}
