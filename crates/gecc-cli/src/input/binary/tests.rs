//! Tests of rows with signatures from files and streams, and of malformed rows.

use super::columns::columns;
use super::layout::RowLayout;
use super::reader::{ReadRows, RowReader};
use crate::input::open::{Input, open};
use crate::input::text::Buffers;
use gecc::call::{Contents, Operation};
use gecc::ecdsa::{Policy, SForm};
use gecc::ed25519::Rule;
use gecc::fields::{Field, SignatureForm};
use gecc::{CurveId, Engine, Secp256k1, Verdict, ecdsa, keys};
use std::fs::File;
use std::io::{self, Cursor, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

const CURVE: CurveId = CurveId::Secp256k1;
/// The ways to write a recovery id.
const V: [fn(u8) -> u8; 4] = [|id| id, |id| id + 27, |id| id + 35, |id| id + 37];

/// Rows with all fields, of which every seventh is corrupted.
struct Signed {
    rows: Vec<u8>,
    /// The expected verdict of each row.
    valid: Vec<bool>,
}

fn layout(text: &str) -> RowLayout {
    text.parse().unwrap()
}

/// The width of a row with all fields.
const WIDTH: usize = 166;

fn full() -> RowLayout {
    layout("skip:3,digest:32,public_key:33,secret_key:32, signature:64 ,recovery_id:1,skip:1")
}

fn signed(items: usize) -> Signed {
    let engine = Engine::cpu().unwrap();
    let (secret, public) = keys::generate(&engine, Secp256k1, items).unwrap();
    let mut digests = vec![[0; 32]; items];
    getrandom::fill(digests.as_flattened_mut()).unwrap();
    let signed =
        ecdsa::sign_recoverable(&engine, Secp256k1, &digests, &secret, SForm::default()).unwrap();
    let mut rows = Vec::new();
    for item in 0..items {
        let mut signature = signed[item].unwrap();
        if item % 7 == 3 {
            signature.signature[item % 64] ^= 1;
        }
        rows.extend([b'a'; 3]);
        rows.extend(digests[item]);
        rows.extend(public[item].to_compressed().unwrap());
        rows.extend(secret[item].expose_bytes());
        rows.extend(signature.signature);
        rows.push(V[item % 4](signature.recovery_id));
        rows.push(b'z');
    }
    Signed {
        rows,
        valid: (0..items).map(|item| item % 7 != 3).collect(),
    }
}

fn file_of(content: &[u8]) -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(&file, content).unwrap();
    file
}

fn reader(input: Input, layout: RowLayout) -> Result<RowReader, String> {
    RowReader::new(input, layout, Buffers::new(4096, false), 3)
}

fn of_file(path: &Path, layout: RowLayout) -> Result<RowReader, String> {
    reader(open(path).map_err(|problem| problem.to_string())?, layout)
}

fn of_stream(source: impl Read + Send + 'static, layout: RowLayout) -> RowReader {
    reader(Input::Stream(Box::new(source)), layout).unwrap()
}

/// Returns the next rows, however long they take.
fn next(reader: &mut RowReader, memory: &mut [u8]) -> Result<ReadRows, String> {
    loop {
        match reader.read(memory, Duration::from_millis(5)) {
            Ok(ReadRows::Nothing) => {}
            filled => return filled,
        }
    }
}

/// Verifies and recovers all rows, `most_rows` at a time. Returns the verdicts, and the outcome of
/// reading.
fn check(
    mut reader: RowReader,
    most_rows: usize,
    expected: &Signed,
) -> (Vec<bool>, Result<(), String>) {
    let engine = Engine::cpu().unwrap();
    let mut memory = vec![0; most_rows * WIDTH];
    let mut verdicts = Vec::new();
    loop {
        let rows = match next(&mut reader, &mut memory) {
            Ok(ReadRows::Rows(rows)) => rows,
            end => return (verdicts, end.map(|_| ())),
        };
        let columns = columns(reader.layout(), &memory, &[], rows);
        let Contents::Digests(digests) = columns.contents else {
            unreachable!("rows have no messages")
        };
        let first = verdicts.len();
        let mut codes = vec![0; rows];
        let signatures = columns.signatures;
        let keys = columns.public_keys;
        ecdsa::verify_into(
            &engine,
            CURVE,
            digests,
            signatures,
            keys,
            Policy::default(),
            &mut codes,
        )
        .unwrap();
        verdicts.extend(codes.iter().map(|code| *code == Verdict::VALID_CODE));
        let mut recovered = vec![[0; 64]; rows];
        let ids = columns.recovery_ids;
        ecdsa::recover_into(
            &engine,
            CURVE,
            digests,
            signatures,
            ids,
            &mut recovered,
            &mut codes,
        )
        .unwrap();
        let mut public = vec![[0; 64]; rows];
        keys::public_keys_into(&engine, CURVE, columns.secret_keys, &mut public, &mut codes)
            .unwrap();
        for item in 0..rows {
            assert_eq!(
                recovered[item] == public[item],
                expected.valid[first + item],
                "{}",
                first + item
            );
        }
    }
}

#[test]
fn files_are_read_in_batches() {
    let expected = signed(1000);
    let file = file_of(&expected.rows);
    for most_rows in [2000, 1000, 60, 1] {
        let reader = of_file(file.path(), full()).unwrap();
        assert_eq!(reader.rows(), Some(1000));
        assert_eq!(
            check(reader, most_rows, &expected),
            (expected.valid.clone(), Ok(()))
        );
    }
}

/// Several threads read parts of a batch.
#[test]
fn large_batches_are_whole() {
    let mut content = vec![0; 129 * 100_003];
    getrandom::fill(&mut content).unwrap();
    let file = file_of(&content);
    let mut reader = of_file(file.path(), layout("digest:32,public_key:33,signature:64")).unwrap();
    let mut memory = vec![0; 129 * 60_000];
    let mut read = Vec::new();
    while let ReadRows::Rows(rows) = next(&mut reader, &mut memory).unwrap() {
        read.extend_from_slice(&memory[..rows * 129]);
    }
    assert!(read == content);
}

#[test]
fn streams_yield_whole_rows_for_any_chunk_sizes() {
    let expected = signed(300);
    for length in [1, 165, 166, 167, 1000, 1 << 20] {
        let parts = Parts {
            bytes: Cursor::new(expected.rows.clone()),
            length,
        };
        let reader = of_stream(parts, full());
        assert_eq!(reader.rows(), None);
        assert_eq!(
            check(reader, 120, &expected),
            (expected.valid.clone(), Ok(())),
            "{length}"
        );
    }
    // An end within a row is reported after the complete rows.
    let cut = Cursor::new(expected.rows[..expected.rows.len() - 100].to_vec());
    let (verdicts, end) = check(of_stream(cut, full()), 2000, &expected);
    assert_eq!(verdicts, expected.valid[..299]);
    assert_eq!(
        end,
        Err("the input ends with 66 bytes, which are not a row of 166".to_owned())
    );
    // So is an error.
    let failing = Cursor::new(expected.rows[..WIDTH * 5].to_vec()).chain(Failing);
    let (verdicts, end) = check(of_stream(failing, full()), 2000, &expected);
    assert_eq!(
        (&verdicts[..], end),
        (&expected.valid[..5], Err("it fails".to_owned()))
    );
    let (verdicts, end) = check(of_stream(io::empty(), full()), 2000, &expected);
    assert_eq!((verdicts, end), (Vec::new(), Ok(())));
}

struct Parts {
    bytes: Cursor<Vec<u8>>,
    length: usize,
}

impl Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(self.length);
        self.bytes.read(&mut buffer[..length])
    }
}

struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("it fails"))
    }
}

#[test]
fn recovery_ids_may_be_values_of_v() {
    let v: Vec<u8> = (0..=u8::MAX).collect();
    {
        let text = "recovery_id:1";
        let layout = layout(text);
        let rows: Vec<u8> = v
            .iter()
            .flat_map(|v| [vec![7; layout.width() - 1], vec![*v]].concat())
            .collect();
        let file = file_of(&rows);
        let mut memory = vec![0; rows.len()];
        let mut reader = of_file(file.path(), layout).unwrap();
        assert_eq!(next(&mut reader, &mut memory), Ok(ReadRows::Rows(256)));
        let columns = columns(reader.layout(), &memory, &[], 256);
        for v in &v {
            let expected = ecdsa::recovery_id_of_v(&[*v]).unwrap_or(*v);
            assert_eq!(
                columns.recovery_ids.get(usize::from(*v)),
                &[expected],
                "{text} {v}"
            );
        }
    }
}

#[test]
fn row_is_returned_without_waiting_for_others() {
    let expected = signed(2);
    let (source, mut writer) = io::pipe().unwrap();
    let mut reader = of_stream(source, full());
    let mut memory = vec![0; 1000 * WIDTH];
    assert_eq!(
        reader.read(&mut memory, Duration::from_millis(5)),
        Ok(ReadRows::Nothing)
    );
    // A row and the beginning of another.
    writer.write_all(&expected.rows[..200]).unwrap();
    let started = Instant::now();
    assert_eq!(next(&mut reader, &mut memory), Ok(ReadRows::Rows(1)));
    // Far more than needed; waiting for a full batch would block forever.
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(
        reader.read(&mut memory, Duration::from_millis(5)),
        Ok(ReadRows::Nothing)
    );
    writer.write_all(&expected.rows[200..]).unwrap();
    drop(writer);
    assert_eq!(next(&mut reader, &mut memory), Ok(ReadRows::Rows(1)));
    assert_eq!(memory[3..35], expected.rows[WIDTH..][3..35]);
    assert_eq!(next(&mut reader, &mut memory), Ok(ReadRows::End));
}

#[test]
fn files_that_cannot_be_read_are_errors() {
    let file = file_of(&[0; 130]);
    let opened = |text: &str| of_file(file.path(), layout(text));
    let problem = opened("digest:32").err().unwrap();
    assert_eq!(
        problem,
        "130 bytes are not whole rows of 32: 2 are left over at the end"
    );
    assert!(of_file(&file.path().join("none"), full()).is_err());
    let empty = file_of(&[]);
    let mut reader = of_file(empty.path(), full()).unwrap();
    let mut memory = vec![0; WIDTH];
    assert_eq!(
        (reader.rows(), next(&mut reader, &mut memory)),
        (Some(0), Ok(ReadRows::End))
    );
    // The file is shorter than when it was opened.
    let mut reader = opened("digest:32,skip:33").unwrap();
    assert_eq!(next(&mut reader, &mut memory[..65]), Ok(ReadRows::Rows(1)));
    File::options()
        .write(true)
        .open(file.path())
        .unwrap()
        .set_len(100)
        .unwrap();
    let problem = next(&mut reader, &mut memory[..65]);
    assert_eq!(
        problem,
        Err("the file became shorter while it was read".to_owned())
    );
}

#[test]
fn layouts_are_parsed_or_refused_with_a_reason() {
    let rows = layout("digest:32,public_key:33,signature:64");
    assert_eq!(rows.width(), 129);
    assert_eq!(rows.require(&[Field::Digest, Field::Signature]), Ok(()));
    let missing = rows.require(&[Field::Digest, Field::RecoveryId, Field::SecretKey]);
    assert_eq!(
        missing,
        Err(
            "the layout has no `recovery_id` and no `secret_key`, which the command needs"
                .to_owned()
        )
    );
    assert_eq!(full().require(&[Field::RecoveryId]), Ok(()));
    for (text, expected) in [
        ("", "`` has no width"),
        ("digest", "`digest` has no width"),
        ("digest:", "the width is not a number"),
        ("digest:-1", "the width is not a number"),
        ("digest:99999999999999999999", "the width is not a number"),
        ("digest:31", "`digest` has 32 bytes, not 31"),
        ("public_key:31", "33 bytes (compressed), 64 (x || y) or 65"),
        (
            "signature:66",
            "64 bytes (r || s) or 65 (r || s || v, or the form of --signature-form), not 66",
        ),
        ("digest:32,digest:32", "`digest` is given twice"),
        (
            "signature:65,recovery_id:1",
            "a signature of 65 bytes contains a recovery id",
        ),
        (
            "recovery_id:1,signature:65",
            "a signature of 65 bytes contains a recovery id",
        ),
        ("message:10", "`message` has no fixed width"),
        (
            "hash:32",
            "no field is called `hash`; there are digest, public_key",
        ),
        ("skip:0,digest:32", "`skip:0` leaves nothing out"),
        ("skip:8", "the layout has no field"),
        ("digest:32,skip:65536", "wider than 65536"),
        ("digest:32,skip:18446744073709551615", "wider than 65536"),
    ] {
        let problem = text.parse::<RowLayout>().unwrap_err();
        assert!(problem.contains(expected), "{text}: {problem}");
    }
    // Keys of 32 bytes are for BIP 340 only.
    let x_only = "digest:32,public_key:32".parse::<RowLayout>().unwrap();
    assert_eq!(x_only.require_widths(Operation::Bip340Verify), Ok(()));
    assert!(x_only.require_widths(Operation::Sm2Verify).is_err());
    let with_sign = "digest:32,public_key:33".parse::<RowLayout>().unwrap();
    assert_eq!(with_sign.require_widths(Operation::Bip340Verify), Ok(()));
    assert!(
        with_sign
            .require_widths(Operation::Ed25519Verify(Rule::Strict))
            .is_err()
    );
    // Each form has a width, and a recovery id contained in it cannot be given again.
    let verify = Operation::EcdsaVerify(CurveId::Secp256k1, Default::default());
    for (width, form, problem) in [
        (64, SignatureForm::Rs, ""),
        (64, SignatureForm::Eip2098, ""),
        (65, SignatureForm::Rsv, ""),
        (65, SignatureForm::HeaderFirst, ""),
        (65, SignatureForm::Rs, "has 64 bytes, not 65"),
        (65, SignatureForm::Eip2098, "has 64 bytes, not 65"),
        (64, SignatureForm::Rsv, "has 65 bytes, not 64"),
        (64, SignatureForm::HeaderFirst, "has 65 bytes, not 64"),
        (64, SignatureForm::Der, "DER has no fixed width"),
    ] {
        let layout = layout(&format!("digest:32,signature:{width}")).with_form(form);
        let found = layout.require_widths(verify).err().unwrap_or_default();
        assert!(
            found.contains(problem) && found.is_empty() == problem.is_empty(),
            "{width} {form}: {found}"
        );
    }
    let twice = layout("signature:64,recovery_id:1").with_form(SignatureForm::Eip2098);
    assert!(
        twice
            .require_widths(verify)
            .unwrap_err()
            .contains("EIP-2098 contains a recovery id")
    );
    let header_first = layout("skip:1,signature:65").with_form(SignatureForm::HeaderFirst);
    let signature = header_first.place(Field::Signature).unwrap();
    let v = header_first.v().unwrap();
    assert_eq!((signature.offset, signature.width, v.offset), (2, 64, 1));
    assert!(
        layout("digest:32,signature:65")
            .require_widths(Operation::Sm2Verify)
            .unwrap_err()
            .contains("SM2 has no v")
    );
    // BIP 340 and Ed25519 have no v.
    let with_v = "digest:32,public_key:32,signature:65"
        .parse::<RowLayout>()
        .unwrap();
    for operation in [
        Operation::Bip340Verify,
        Operation::Ed25519Verify(Rule::Strict),
    ] {
        let problem = with_v.require_widths(operation).unwrap_err();
        assert!(problem.contains("64 bytes"), "{problem}");
    }
}
