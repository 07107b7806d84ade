//! Arithmetic of `cuda/modular/`, and the multiplication methods of gecc-bench, compiled as plain
//! C++ by the system's compiler and compared with big integers: every method at every size, batch
//! multiplication modulo any odd number, modular exponentiation. They need a C++ compiler (`c++`,
//! or `$CXX`).

mod harness;

use harness::needs::{CXX, cxx};
use harness::{named, tests};
use num_bigint::BigUint;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{fs, thread};

/// Random operands per method, size and operation, in addition to the edge values.
const RANDOM_ITEMS: usize = 100;
/// The methods for any odd modulus.
const METHODS: [&str; 6] = [
    "gecc_sos",
    "cios",
    "karatsuba",
    "low_high_rows",
    "half_words",
    "doubles",
];
/// Bits of a sample of the double-precision methods.
const SAMPLE_BITS: usize = 52;

fn main() -> ExitCode {
    harness::run(tests(
        Some(&CXX),
        named![
            methods_for_any_modulus,
            methods_of_one_modulus,
            multiplication_modulo_any_odd_number,
            modular_exponentiation
        ],
    ))
}

fn methods_for_any_modulus() {
    let driver = Driver::compile("p256");
    let mut session = Session::default();
    for bits in [128, 256, 384, 512] {
        for modulus in moduli(bits) {
            for method in METHODS {
                let radix = if method == "doubles" {
                    SAMPLE_BITS * (bits + 2).div_ceil(SAMPLE_BITS)
                } else {
                    bits
                };
                method_cases(&mut session, method, bits, radix, &modulus);
            }
        }
    }
    session.run(&driver);
}

fn methods_of_one_modulus() {
    macro_rules! names {
        ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => { [$(stringify!($name)),*] };
    }
    for curve in gecc::for_each_curve!(names!) {
        let driver = Driver::compile(curve);
        let mut session = Session::default();
        let is_fold = header(curve).contains("#define GECC_REDUCTION_FOLD 1");
        let [p, n] = ["p", "n"].map(|key| from_hex(&curve_value(curve, key)));
        method_cases(
            &mut session,
            "production_field",
            256,
            if is_fold { 0 } else { 256 },
            &p,
        );
        method_cases(&mut session, "production_order", 256, 256, &n);
        if curve == "sm2" {
            method_cases(&mut session, "gecc_sm2", 256, 256, &p);
        }
        session.run(&driver);
    }
}

fn multiplication_modulo_any_odd_number() {
    let driver = Driver::compile("p256");
    let mut session = Session::default();
    for bits in (128..=512).step_by(64) {
        let small = [
            number(3),
            number(0xffff_ffff),
            (number(1) << (bits - 64)) - 59u32,
        ];
        for modulus in moduli(bits).into_iter().chain(small) {
            let r2 = power_of_two(2 * bits) % &modulus;
            for (a, b) in operand_pairs(&modulus, bits) {
                let [a, b] = [a % &modulus, b % &modulus];
                let arguments = [&modulus, &a, &b, &r2].map(hex).join(" ");
                session.expect(
                    format!("modular mul_mod {bits} {arguments}"),
                    &a * &b % &modulus,
                );
                session.expect(
                    format!("modular square_mod {bits} {arguments}"),
                    &a * &a % &modulus,
                );
            }
        }
    }
    session.run(&driver);
}

fn modular_exponentiation() {
    let driver = Driver::compile("p256");
    let mut session = Session::default();
    for (bits, samples) in [(1024, 20), (1536, 32), (2048, 40)] {
        let top = power_of_two(bits);
        for modulus in [
            patterned(bits) | number(1),
            &top - 1u32,
            power_of_two(bits - 1) + 1u32,
            number(3),
        ] {
            let parameters = modexp_parameters(&modulus, samples);
            let edges = [
                number(0),
                number(1),
                number(2),
                &modulus - 1u32,
                &modulus >> 1,
            ];
            for base in edges.into_iter().chain((0..2).map(|_| patterned(bits))) {
                let base = base % &modulus;
                let exponents = [
                    number(0),
                    number(1),
                    number(31),
                    number(65537),
                    (number(1) << 96) - 1u32,
                ];
                for exponent in exponents.into_iter().chain([patterned(96)]) {
                    modexp_case(
                        &mut session,
                        bits,
                        &modulus,
                        &parameters,
                        &base,
                        &exponent,
                        3,
                    );
                }
            }
            let base = patterned(bits) % &modulus;
            let exponent = patterned(bits);
            modexp_case(
                &mut session,
                bits,
                &modulus,
                &parameters,
                &base,
                &exponent,
                bits / 32,
            );
        }
    }
    session.run(&driver);
}

fn modexp_case(
    session: &mut Session,
    bits: usize,
    modulus: &BigUint,
    parameters: &BigUint,
    base: &BigUint,
    exponent: &BigUint,
    words: usize,
) {
    let arguments = [base, exponent, &number(words as u64), parameters]
        .map(hex)
        .join(" ");
    session.expect(
        format!("modexp modexp {bits} {arguments}"),
        base.modpow(exponent, modulus),
    );
}

/// The parameters of `kernels/modexp.cu` as one number of 64-bit digits.
fn modexp_parameters(modulus: &BigUint, samples: usize) -> BigUint {
    let sample = power_of_two(SAMPLE_BITS);
    let r2 = power_of_two(2 * SAMPLE_BITS * samples) % modulus;
    let inverse = modulus.modinv(&sample).expect("the modulus is odd");
    let mut words = Vec::new();
    for value in [modulus, &r2] {
        words.extend((0..samples).map(|k| (value >> (SAMPLE_BITS * k)) % &sample));
    }
    words.push(sample - inverse);
    words
        .iter()
        .rev()
        .fold(number(0), |sum, word| (sum << 64) + word)
}

/// `rounds` times c = c a / 2^radix and c = c^2 / 2^radix, as the kernels of gecc-bench's
/// `lab/methods.cu` do.
fn method_cases(session: &mut Session, method: &str, bits: usize, radix: usize, modulus: &BigUint) {
    let radix_inverse = power_of_two(radix)
        .modinv(modulus)
        .expect("the modulus is odd");
    for (a, _) in operand_pairs(modulus, bits) {
        let a = a % modulus;
        let mut product = a.clone();
        let mut square = a.clone();
        for rounds in 1..=5 {
            product = product * &a % modulus * &radix_inverse % modulus;
            square = &square * &square % modulus * &radix_inverse % modulus;
            // One round alone, and the loose numbers that a chain makes.
            if rounds == 1 || rounds == 5 {
                let arguments = [modulus, &a, &number(rounds)].map(hex).join(" ");
                session.expect(format!("{method} mul {bits} {arguments}"), product.clone());
                session.expect(format!("{method} sqr {bits} {arguments}"), square.clone());
            }
        }
    }
}

/// Odd numbers with the top bit set: the extremes, sparse ones, random ones.
fn moduli(bits: usize) -> Vec<BigUint> {
    let top = power_of_two(bits);
    let half = power_of_two(bits - 1);
    let mut moduli = vec![
        &top - 1u32,
        &half + 1u32,
        &top - (number(1) << 32) + 1u32,
        &half + (number(1) << 64) + 1u32,
    ];
    moduli.extend((0..2).map(|_| patterned(bits) | &half | number(1)));
    moduli.push(random(bits) | half | number(1));
    moduli
}

/// Operands around 0, m, 2^bits and single words, all pairs; and random ones.
fn operand_pairs(m: &BigUint, bits: usize) -> Vec<(BigUint, BigUint)> {
    let top = power_of_two(bits);
    let mut edges = vec![
        number(0),
        number(1),
        number(2),
        m - 2u32,
        m - 1u32,
        m >> 1,
        &top % m,
        (&top - 1u32) % m,
    ];
    edges.extend((1..bits / 32).map(|word| (number(1) << (32 * word)) - 1u32));
    let pairs = edges
        .iter()
        .enumerate()
        .flat_map(|(i, a)| edges.iter().skip(i).map(move |b| (a.clone(), b.clone())));
    let random = (0..RANDOM_ITEMS).map(|_| (patterned(bits), patterned(bits)));
    pairs.step_by(3).chain(random).collect()
}

#[derive(Default)]
struct Session(Vec<(String, BigUint)>);

impl Session {
    fn expect(&mut self, line: String, expected: BigUint) {
        self.0.push((line, expected));
    }

    fn run(&self, driver: &Driver) {
        let input: String = self.0.iter().flat_map(|(line, _)| [line, "\n"]).collect();
        let output = driver.answer(input);
        let answers: Vec<&str> = output.lines().collect();
        for ((line, expected), answer) in self.0.iter().zip(&answers) {
            assert_eq!(&from_hex(answer), expected, "{line}");
        }
        let next = self.0.get(answers.len()).map(|(line, _)| line);
        assert!(
            next.is_none(),
            "the driver stopped at: {}",
            next.expect("there is one")
        );
    }
}

fn number(value: u64) -> BigUint {
    BigUint::from(value)
}

fn power_of_two(bits: usize) -> BigUint {
    number(1) << bits
}

fn hex(value: &BigUint) -> String {
    format!("{value:x}")
}

fn from_hex(digits: &str) -> BigUint {
    BigUint::parse_bytes(digits.as_bytes(), 16).expect("hexadecimal digits")
}

fn curve_value(curve: &str, key: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("curves")
        .join(format!("{curve}.toml"));
    let text = fs::read_to_string(path).expect("the curve file is readable");
    let start = format!("{key} = \"");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(&start))
        .expect("the curve file has the key");
    line.trim_end_matches('"').to_owned()
}

/// The header that the build script wrote for the curve.
fn header(curve: &str) -> String {
    let path = Path::new(env!("OUT_DIR"))
        .join("cuda")
        .join(curve)
        .join("curve.cuh");
    fs::read_to_string(path).expect("the header is readable")
}

fn random(bits: usize) -> BigUint {
    let mut bytes = vec![0; bits / 8];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    BigUint::from_bytes_be(&bytes)
}

/// Random words, half of them all ones or zeros.
fn patterned(bits: usize) -> BigUint {
    let mut words = random(bits).to_bytes_be();
    words.resize(bits / 8, 0);
    let mut choices = vec![0; words.len() / 4];
    getrandom::fill(&mut choices).expect("the system gives random bytes");
    for (choice, word) in choices.iter().zip(words.chunks_exact_mut(4)) {
        match choice % 4 {
            0 => word.fill(0),
            1 => word.fill(0xff),
            _ => {}
        }
    }
    BigUint::from_bytes_be(&words)
}

/// The compiled driver.
struct Driver(PathBuf);

impl Driver {
    fn compile(curve: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        // Tests of one process run side by side: each has its own program.
        static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let program = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("host_device_methods_{curve}_{number}"));
        let warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-function"];
        // The double-precision methods need the rounding mode that the driver sets.
        let status = Command::new(cxx())
            .args([
                "-std=c++17",
                "-O1",
                "-frounding-math",
                "-ffp-contract=off",
                "-DGECC_DEBUG",
            ])
            .args(warnings)
            .arg("-I")
            .arg(root.join("cuda"))
            .arg("-I")
            .arg(root.join("crates/gecc-bench/cuda"))
            .arg("-I")
            .arg(Path::new(env!("OUT_DIR")).join("cuda").join(curve))
            .arg(root.join("tests/host_device/methods.cpp"))
            .arg("-o")
            .arg(&program)
            .status()
            .expect("the compiler starts");
        assert!(
            status.success(),
            "the methods must compile as C++ for {curve}"
        );
        Driver(program)
    }

    fn answer(&self, input: String) -> String {
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
