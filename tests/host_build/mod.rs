//! The harness of the tests that compile device code as plain C++: one driver per curve, which
//! answers line by line. They need a C++ compiler (`c++`, or `$CXX`).

use crate::harness::needs;
use elliptic_curve::sec1::{FromSec1Point, ModulusSize, Sec1Point, ToSec1Point};
use elliptic_curve::{
    AffinePoint, CurveArithmetic, CurveGroup, FieldBytes, FieldBytesSize, Group, PrimeField,
};
use elliptic_curve::{ProjectivePoint, Scalar};
use num_bigint::BigUint;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

/// The codes with which device code answers items.
#[path = "../../src/gpu/codes.rs"]
pub mod codes;

pub fn header_folder(name: &str) -> PathBuf {
    Path::new(env!("OUT_DIR")).join("cuda").join(name)
}

/// One line for the driver, and a check of its answer.
struct Case {
    line: String,
    accepts: Check,
}

type Check = Box<dyn Fn(&[BigUint]) -> bool>;

#[derive(Default)]
pub struct Session(Vec<Case>);

impl Session {
    pub fn expect(
        &mut self,
        operation: &str,
        arguments: &[&BigUint],
        accepts: impl Fn(&[BigUint]) -> bool + 'static,
    ) {
        let arguments: Vec<String> = arguments
            .iter()
            .map(|number| format!("{number:064x}"))
            .collect();
        self.0.push(Case {
            line: format!("{operation} {}\n", arguments.join(" ")),
            accepts: Box::new(accepts),
        });
    }

    pub fn expect_exactly(
        &mut self,
        operation: &str,
        arguments: &[&BigUint],
        expected: Vec<BigUint>,
    ) {
        self.expect(operation, arguments, move |answer| answer == expected);
    }

    pub fn run(&self, driver: &Driver) {
        let input: String = self.0.iter().map(|case| case.line.as_str()).collect();
        let output = driver.answer(input);
        let answers: Vec<&str> = output.lines().collect();
        assert_eq!(
            answers.len(),
            self.0.len(),
            "the driver stopped early, after the line before this one"
        );
        for (case, answer) in self.0.iter().zip(answers) {
            let numbers: Vec<BigUint> = answer.split(' ').map(from_hex).collect();
            assert!((case.accepts)(&numbers), "{}gave {answer}", case.line);
        }
    }
}

/// The value of a key in the curve's file.
pub fn curve_value(name: &str, key: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("curves")
        .join(format!("{name}.toml"));
    let text = fs::read_to_string(path).expect("the curve file is readable");
    let start = format!("{key} = \"");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(&start))
        .expect("the curve file has the key");
    line.trim_end_matches('"').to_owned()
}

pub fn scalar<C: CurveArithmetic>(value: &BigUint) -> Scalar<C> {
    let bytes = FieldBytes::<C>::try_from(&bytes(value)[..]).expect("32 bytes");
    Scalar::<C>::from_repr(bytes)
        .into_option()
        .expect("below n")
}

/// x and y, or zeros for the identity, as the driver writes them.
pub fn coordinates<C>(point: &ProjectivePoint<C>) -> [BigUint; 2]
where
    C: CurveArithmetic,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    if point.is_identity().into() {
        return [number(0), number(0)];
    }
    let encoded: Sec1Point<C> = point.to_affine().to_sec1_point(false);
    let (x, y) = encoded.as_bytes()[1..].split_at(32);
    [BigUint::from_bytes_be(x), BigUint::from_bytes_be(y)]
}

pub fn number(value: u64) -> BigUint {
    BigUint::from(value)
}

pub fn two_to_256() -> BigUint {
    number(1) << 256
}

pub fn from_hex(digits: &str) -> BigUint {
    BigUint::parse_bytes(digits.as_bytes(), 16).expect("hexadecimal digits")
}

pub fn bytes(value: &BigUint) -> [u8; 32] {
    let digits = value.to_bytes_be();
    let mut bytes = [0; 32];
    bytes[32 - digits.len()..].copy_from_slice(&digits);
    bytes
}

/// Values around 0, m, 2^256, 2^256 - m and single words, at which carries and borrows occur that
/// are otherwise rare.
pub fn edge_values(m: &BigUint) -> Vec<BigUint> {
    let top = two_to_256();
    let complement = &top - m;
    let mut values = vec![
        number(0),
        number(1),
        number(2),
        m - 2u32,
        m - 1u32,
        m.clone(),
        m + 1u32,
    ];
    values.extend([
        &top - 2u32,
        &top - 1u32,
        &complement - 1u32,
        complement.clone(),
        &complement + 1u32,
    ]);
    values.extend([&complement << 1, m >> 1, number(1) << 255]);
    for word in [1u32, 2, 3, 7] {
        values.extend([
            number(1) << (32 * word),
            (number(1) << (32 * word)) - 1u32,
            &top - (number(1) << (32 * word)),
        ]);
    }
    values.into_iter().map(|value| value % &top).collect()
}

/// Random words, half of them all ones or zeros.
pub fn patterned() -> BigUint {
    let mut random = [0u8; 40];
    getrandom::fill(&mut random).expect("the system gives random bytes");
    let (choices, words) = random.split_at_mut(8);
    for (choice, word) in choices.iter().zip(words.chunks_exact_mut(4)) {
        match choice % 4 {
            0 => word.fill(0),
            1 => word.fill(0xff),
            _ => {}
        }
    }
    BigUint::from_bytes_be(words)
}

/// The compiled driver of one curve whose arguments and answers are bytes, unlike the numbers of
/// other drivers, and the expected answers.
#[allow(dead_code, reason = "only some of the targets exchange bytes")]
pub struct ByteSession {
    driver: Driver,
    lines: Vec<String>,
    expected: Vec<String>,
}

#[allow(dead_code, reason = "only some of the targets exchange bytes")]
impl ByteSession {
    pub fn new(source: &str, name: &str) -> Self {
        Self::of(Driver::compile(source, name, &header_folder(name)))
    }

    pub fn of(driver: Driver) -> Self {
        ByteSession {
            driver,
            lines: Vec::new(),
            expected: Vec::new(),
        }
    }

    pub fn expect(&mut self, operation: &str, arguments: &[&[u8]], results: &[&[u8]]) {
        let arguments: Vec<String> = arguments
            .iter()
            .map(|bytes| {
                if bytes.is_empty() {
                    "-".to_owned()
                } else {
                    hex::encode(bytes)
                }
            })
            .collect();
        self.lines
            .push(format!("{operation} {}\n", arguments.join(" ")));
        self.expected.push(hex::encode(results.concat()));
    }

    pub fn run(&self) {
        let output = self.driver.answer(self.lines.concat());
        for ((answer, expected), line) in output.lines().zip(&self.expected).zip(&self.lines) {
            assert_eq!(answer, expected, "{line}");
        }
        assert_eq!(
            output.lines().count(),
            self.lines.len(),
            "the driver stopped early"
        );
    }
}

/// The compiled driver of one curve.
pub struct Driver(PathBuf);

impl Driver {
    /// Compiles a driver. `header` is the folder of `curve.cuh`, and of files that replace those in
    /// `cuda/`.
    pub fn compile(source: &str, name: &str, header: &Path) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        // Several tests may compile the same at a time, and none may write a program that another
        // one runs.
        static COMPILED: AtomicUsize = AtomicUsize::new(0);
        let number = COMPILED.fetch_add(1, Ordering::Relaxed);
        let program = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("host_device_{source}_{name}_{number}"));
        let status = Command::new(needs::cxx())
            .args([
                "-std=c++17",
                "-O1",
                "-DGECC_DEBUG",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-Wno-unused-function",
            ])
            .arg("-I")
            .arg(header)
            .arg("-I")
            .arg(root.join("cuda"))
            .arg(
                root.join("tests/host_device")
                    .join(source)
                    .with_extension("cpp"),
            )
            .arg("-o")
            .arg(&program)
            .status()
            .expect("the compiler starts");
        assert!(
            status.success(),
            "the device code must compile as C++ for {name}"
        );
        Driver(program)
    }

    pub fn answer(&self, input: String) -> String {
        let mut child = Command::new(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the driver starts");
        let mut stdin = child.stdin.take().expect("piped");
        // The driver answers while it reads: both pipes must move. It may stop early, which the
        // caller notices.
        let writer = thread::spawn(move || {
            let _ = stdin.write_all(input.as_bytes());
        });
        let mut output = String::new();
        child
            .stdout
            .take()
            .expect("piped")
            .read_to_string(&mut output)
            .expect("the driver writes text");
        writer.join().expect("the writer ends");
        child.wait().expect("the driver ends");
        output
    }
}
