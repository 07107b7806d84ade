//! Runs every multiplication method on the first GPU, and determines its rate, its cost and the
//! correctness of its results.

use super::cpu::{Chain, all_products};
use super::sass::Code;
use super::{Instructions, Measurement, MethodOperation, Pipe};
use crate::kernels::device::{begin, collect, median_of, open, random_bytes, random_rows, seconds};
use crate::kernels::generated::columns::{AnyNumbers, Column};
use crate::kernels::generated::launchers::Methods;
use crate::kernels::primes::{PRIMES, Primes, bytes_of};
use crate::kernels::sources::{machine_code, text};
use gecc::lab::kernels::{Modexp, MulMod, SquareMod, modexp_lanes, of_size};
use gecc::lab::{Device, Fault, NO_CURVE, StreamSlot, Text, Unit, constants};
use gecc::{Backend, CurveId, Engine, Error, modular};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// The intended duration of a run in seconds.
const RUN_SECONDS: f64 = 0.02;
/// The number of rounds in the run that determines how many fit into this time.
const TRIAL_ROUNDS: u32 = 64;
/// The number of rounds in a checked chain: one iteration of an unrolled loop, and one more step.
const CHECKED_ROUNDS: u32 = 5;
/// The number of moduli among the checked items, if a method supports any modulus.
const MODULI: usize = 4;
/// The size in bytes of each factor of batch multiplications: larger than any cache.
const FACTOR_BYTES: usize = 1 << 28;
/// The number of items with random words; larger batches repeat them.
const TILE: usize = 1 << 16;
/// The number of threads in a warp, and of the parts of a multiprocessor that issue one instruction
/// per clock each.
const WARP: f64 = 32.0;
const PARTS: f64 = 4.0;

/// A method at one size.
struct Method {
    name: &'static str,
    bits: usize,
    /// The number of steps in an iteration of the loop of `cuda/lab/methods.cu`.
    unrolled: u32,
    /// The kernels for multiplication and squaring.
    kernels: [&'static str; 2],
}

macro_rules! methods {
    ($($name:literal: $($bits:literal x $unrolled:literal),*;)*) => {
        &[$($(Method {
            name: $name,
            bits: $bits,
            unrolled: $unrolled,
            kernels: [
                concat!("gecc_method_", $name, "_", $bits, "_mul"),
                concat!("gecc_method_", $name, "_", $bits, "_sqr"),
            ],
        },)*)*]
    };
}

/// Methods for any odd modulus with its top bit set, except for the last.
const METHODS: &[Method] = methods! {
    "gecc_sos": 128 x 4, 256 x 4, 384 x 1, 512 x 1;
    "cios": 128 x 4, 256 x 4, 384 x 1, 512 x 1;
    "karatsuba": 128 x 4, 256 x 4, 384 x 1, 512 x 1;
    "low_high_rows": 128 x 4, 256 x 4, 384 x 1, 512 x 1;
    "half_words": 128 x 4, 256 x 1, 384 x 1, 512 x 1;
    "doubles": 128 x 4, 256 x 4, 384 x 1, 512 x 1;
    "gecc_sm2": 256 x 4;
};
/// Methods modulo p and modulo n of a curve.
const PRODUCTION: &[Method] = methods! {
    "production_field": 256 x 4;
    "production_order": 256 x 4;
};

type Report<'a> = &'a mut dyn FnMut(&Measurement);

pub fn measure(
    curves: &[CurveId],
    check: usize,
    report: Report,
) -> Result<Vec<Measurement>, Error> {
    let gpu = Engine::builder().backend(Backend::Gpu).build()?;
    let engines = Engines {
        gpu,
        cpu: Engine::cpu()?,
    };
    let mut bench = Bench::open()?;
    let mut rows = Rows {
        rows: Vec::new(),
        report,
    };
    for method in METHODS {
        let prime = (method.name == "gecc_sm2").then_some(&constants::sm2::P);
        for squares in [false, true] {
            rows.add(bench.chain(method, squares, "methods", None, prime, check)?);
        }
    }
    for primes in PRIMES
        .iter()
        .filter(|primes| curves.contains(&primes.curve))
    {
        for (method, prime) in PRODUCTION.iter().zip([primes.p, primes.n]) {
            for squares in [false, true] {
                rows.add(bench.chain(
                    method,
                    squares,
                    "production",
                    Some(primes),
                    Some(prime),
                    check,
                )?);
            }
        }
    }
    macro_rules! products {
        ($($bytes:literal)*) => {$(
            for squares in [false, true] {
                let wrong = engines.check_products::<$bytes>(squares, check)?;
                rows.add(bench.product::<$bytes>(squares, check, wrong)?);
            }
        )*};
    }
    products!(16 24 32 40 48 56 64);
    macro_rules! powers {
        ($($bytes:literal)*) => {$(
            let wrong = engines.check_powers::<$bytes>(check)?;
            rows.add(bench.power::<$bytes>(check, wrong)?);
        )*};
    }
    powers!(128 192 256);
    Ok(rows.rows)
}

/// The rows measured so far, each of which was reported.
struct Rows<'a> {
    rows: Vec<Measurement>,
    report: Report<'a>,
}

impl Rows<'_> {
    fn add(&mut self, row: Measurement) {
        (self.report)(&row);
        self.rows.push(row);
    }
}

/// Returns little-endian random numbers below a modulus with its top bit set.
fn random_below(modulus: &[u8], count: usize) -> Result<Vec<u8>, Error> {
    let mut items = random_bytes(count * modulus.len())?;
    items.chunks_mut(modulus.len()).for_each(|item| {
        let mut reduced = vec![0; item.len()];
        let mut borrow = false;
        for ((reduced, byte), modulus) in reduced.iter_mut().zip(item.iter()).zip(modulus) {
            let (difference, first) = byte.overflowing_sub(*modulus);
            let (difference, second) = difference.overflowing_sub(u8::from(borrow));
            *reduced = difference;
            borrow = first | second;
        }
        if !borrow {
            item.copy_from_slice(&reduced);
        }
    });
    Ok(items)
}

/// Returns little-endian moduli with the top bit set: the extremes, followed by random ones.
fn moduli(bytes: usize) -> Result<Vec<Vec<u8>>, Error> {
    let largest = vec![0xff; bytes];
    let mut smallest = vec![0; bytes];
    smallest[0] = 1;
    smallest[bytes - 1] = 0x80;
    let mut moduli = vec![largest, smallest];
    while moduli.len() < MODULI {
        moduli.push(random_modulus(bytes)?);
    }
    Ok(moduli)
}

fn random_modulus(bytes: usize) -> Result<Vec<u8>, Error> {
    let mut modulus = random_bytes(bytes)?;
    modulus[0] |= 1;
    modulus[bytes - 1] |= 0x80;
    Ok(modulus)
}

/// Converts concatenated items to columns of words.
fn columns_of(items: &[u8], bytes: usize) -> Vec<u8> {
    repeated_columns(items, bytes, items.len() / bytes)
}

/// Converts n items, which repeat the given ones, to columns of words.
fn repeated_columns(items: &[u8], bytes: usize, n: usize) -> Vec<u8> {
    let mut columns = Vec::with_capacity(bytes * n);
    for word in 0..bytes / 4 {
        let start = columns.len();
        let end = columns.len() + 4 * n;
        columns.extend(
            items
                .chunks_exact(bytes)
                .flat_map(|item| &item[4 * word..][..4]),
        );
        while columns.len() < end {
            let known = columns.len();
            columns.extend_from_within(start..known.min(start + end - known));
        }
    }
    columns
}

/// Returns the number of items that differ from the columns.
fn differing(columns: &[u8], items: &[u8], bytes: usize) -> usize {
    let n = items.len() / bytes;
    items
        .chunks_exact(bytes)
        .enumerate()
        .filter(|(i, item)| {
            let mut words = item.chunks_exact(4).enumerate();
            words.any(|(w, word)| columns[4 * (w * n + i)..][..4] != *word)
        })
        .count()
}

/// Returns the modulus in the form in which kernels take it by value.
fn modulus_words(modulus: &[u8]) -> [u32; 17] {
    let mut words = [0; 17];
    let of = modulus
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes")));
    words.iter_mut().zip(of).for_each(|(to, word)| *to = word);
    words[modulus.len() / 4] = negated_inverse(words[0]);
    words
}

/// Returns -1 / m modulo 2^32 for an odd m. Each step doubles the number of correct bits, which is
/// three initially.
fn negated_inverse(m: u32) -> u32 {
    let inverse = (0..4).fold(m, |inverse, _| {
        inverse.wrapping_mul(2u32.wrapping_sub(m.wrapping_mul(inverse)))
    });
    inverse.wrapping_neg()
}

/// The GPU on which every kernel is timed, with its limits.
struct Bench {
    slot: StreamSlot,
    limits: Rates,
    /// Machine code that was analysed.
    cubins: HashMap<Unit, Arc<Vec<u8>>>,
}

/// The maximum rates of a GPU.
struct Rates {
    /// Warp instructions per second, if each took one clock.
    issues: f64,
    /// Clocks per warp instruction in double precision.
    double_clocks: f64,
    memory_bytes: f64,
}

/// The resources of the GPU that an operation uses.
struct Cost {
    /// The instructions of one thread.
    instructions: Instructions,
    /// The number of threads that compute an operation together.
    threads: f64,
    memory_bytes: f64,
}

impl Rates {
    fn of(device: &Device) -> Result<Self, Fault> {
        let speed = device.speed()?;
        Ok(Rates {
            issues: PARTS * f64::from(device.multiprocessors) * speed.clock,
            // From NVIDIA's table of throughputs.
            double_clocks: match device.architecture.as_str() {
                "sm_90" | "sm_100" => 2.0,
                "sm_80" => 4.0,
                _ => 64.0,
            },
            memory_bytes: speed.memory_bytes,
        })
    }

    /// Returns the resource that bounds the rate of an operation, and the bound. The clocks are
    /// those measured on Hopper.
    fn limit(&self, cost: &Cost) -> (Pipe, f64) {
        let Instructions {
            wide,
            imad,
            iadd3,
            logic,
            dfma,
            dadd,
            ..
        } = cost.instructions;
        let clocks = [
            (Pipe::Multiplier, 4.0 * wide + 2.0 * imad),
            (Pipe::Adder, 2.0 * (wide + iadd3 + logic)),
            (Pipe::DoublePrecision, self.double_clocks * (dfma + dadd)),
            (Pipe::Issue, cost.instructions.total()),
        ];
        let rates =
            clocks.map(|(pipe, clocks)| (pipe, self.issues * WARP / (clocks * cost.threads)));
        let memory = (Pipe::Memory, self.memory_bytes / cost.memory_bytes);
        rates.into_iter().fold(
            memory,
            |least, rate| if rate.1 < least.1 { rate } else { least },
        )
    }
}

impl Bench {
    fn open() -> Result<Self, Error> {
        let slot = open(false)?;
        let limits = Rates::of(&slot.device)?;
        Ok(Bench {
            slot,
            limits,
            cubins: HashMap::new(),
        })
    }

    /// Returns operations per second. `launch` runs a number of rounds with `per_round` operations
    /// each.
    fn rate(
        &mut self,
        per_round: f64,
        launch: impl Fn(&mut StreamSlot, u32) -> Result<(), Fault>,
    ) -> Result<f64, Fault> {
        // The first run loads the code.
        seconds(&mut self.slot, |slot| launch(slot, TRIAL_ROUNDS))?;
        let trial =
            seconds(&mut self.slot, |slot| launch(slot, TRIAL_ROUNDS))? / f64::from(TRIAL_ROUNDS);
        // A multiple of the number of steps in an iteration of a loop.
        let rounds = ((RUN_SECONDS / trial).min(1e6) as u32 / 4 * 4).max(TRIAL_ROUNDS);
        let run = median_of(|| seconds(&mut self.slot, |slot| launch(slot, rounds)))?;
        Ok(per_round * f64::from(rounds) / run)
    }

    /// Returns the instructions of a kernel's longest loop.
    fn instructions(&mut self, unit: Unit, kernel: &'static str) -> Result<Instructions, Fault> {
        let device = &self.slot.device;
        let cubin = match self.cubins.entry(unit) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Arc::new(device.machine_code(unit)?)),
        };
        let code = Code::of(cubin, kernel, &device.architecture);
        code.map(|code| code.longest_loop())
            .ok_or_else(|| Fault::kernels(format!("{kernel} has no machine code")))
    }

    /// Makes a row of the table.
    fn row(
        &self,
        (unit, kernel): (Unit, &'static str),
        (method, bits, operation): (&'static str, usize, MethodOperation),
        (instructions, cost): (Instructions, &Cost),
        per_second: f64,
        (checked, wrong): (usize, usize),
    ) -> Result<Measurement, Fault> {
        let usage = self.slot.device.usage(unit, kernel)?;
        let (bound, limit_per_second) = self.limits.limit(cost);
        let curve = (unit.curve != NO_CURVE).then_some(unit.curve);
        let bits = bits as u32;
        let [registers, local_bytes] = [usage.registers, usage.local_bytes];
        Ok(Measurement {
            method,
            curve,
            bits,
            operation,
            per_second,
            registers,
            local_bytes,
            instructions,
            bound,
            limit_per_second,
            checked,
            wrong,
        })
    }

    /// Measures a chain of multiplications or squarings by a method, modulo a prime for which it is
    /// specialised or any number.
    fn chain(
        &mut self,
        method: &Method,
        squares: bool,
        file: &'static str,
        primes: Option<&Primes>,
        prime: Option<&[u64; 4]>,
        check: usize,
    ) -> Result<Measurement, Error> {
        let text: Text = text(file, primes.map_or(NO_CURVE, |primes| primes.curve.name()));
        let kernel = (text.unit, method.kernels[usize::from(squares)]);
        self.cubins
            .insert(text.unit, machine_code(&self.slot.device, &text)?);
        let bits = method.bits;
        let bytes = method.bits / 8;
        let moduli = match prime {
            Some(prime) => vec![bytes_of(prime)],
            None => moduli(bytes)?,
        };
        let radix_bits = match method.name {
            "doubles" => 52 * (bits + 2).div_ceil(52),
            "production_field" if primes.is_some_and(|primes| primes.folds) => 0,
            _ => bits,
        };
        let mut wrong = 0;
        let share = check.div_ceil(moduli.len());
        for modulus in moduli.iter().filter(|_| share > 0) {
            let chain = Chain {
                modulus,
                radix_bits,
                squares,
                rounds: CHECKED_ROUNDS,
            };
            wrong += self.check_chain(kernel, &chain, share)?;
        }
        let modulus = moduli.last().expect("there is one");
        let usage = self.slot.device.usage(kernel.0, kernel.1)?;
        let blocks = usage.resident_blocks(Methods::BLOCK)?;
        let n = (blocks * Methods::BLOCK * self.slot.device.multiprocessors) as usize;
        let items = self.upload(&random_below(modulus, n)?, bytes)?;
        let modulus = modulus_words(modulus);
        let rate = self.rate(n as f64, |slot, rounds| {
            Methods {
                items,
                modulus,
                rounds,
                n: n as u64,
                resident: blocks,
            }
            .launch(slot, kernel)
        })?;

        let per_turn = self.instructions(kernel.0, kernel.1)?;
        let instructions = per_turn.times(1.0 / f64::from(method.unrolled));
        let cost = Cost {
            instructions,
            threads: 1.0,
            memory_bytes: 0.0,
        };
        let operation = if squares {
            MethodOperation::Square
        } else {
            MethodOperation::Mul
        };
        let checked = (share * moduli.len(), wrong);
        Ok(self.row(
            kernel,
            (method.name, bits, operation),
            (instructions, &cost),
            rate,
            checked,
        )?)
    }

    /// Starts a chunk with items in columns on the GPU.
    fn upload(&mut self, items: &[u8], bytes: usize) -> Result<Column<AnyNumbers>, Fault> {
        let columns = begin(&mut self.slot, items.len() / bytes, |plan| plan.each(bytes))?;
        self.slot.write(columns, &columns_of(items, bytes))?;
        Ok(columns)
    }

    /// Returns the number of random items whose results differ from the CPU's.
    fn check_chain(
        &mut self,
        kernel: (Unit, &'static str),
        chain: &Chain,
        n: usize,
    ) -> Result<usize, Error> {
        let bytes = chain.modulus.len();
        let inputs = random_below(chain.modulus, n)?;
        let items = self.upload(&inputs, bytes)?;
        let modulus = modulus_words(chain.modulus);
        let slot = &mut self.slot;
        Methods {
            items,
            modulus,
            rounds: chain.rounds,
            n: n as u64,
            resident: 2,
        }
        .launch(slot, kernel)?;
        let results = slot.copy_of(items, inputs.len())?;
        collect(&mut self.slot)?;
        Ok(differing(&results, &chain.results(&inputs), bytes))
    }

    /// Measures `mul_mod` or `square_mod`, without the transfer of the numbers to the GPU and back.
    fn product<const BYTES: usize>(
        &mut self,
        squares: bool,
        checked: usize,
        wrong: usize,
    ) -> Result<Measurement, Error> {
        let modulus = big_endian_modulus::<BYTES>()?;
        let tiles = [random_rows::<BYTES>(TILE)?, random_rows::<BYTES>(TILE)?];
        let n = FACTOR_BYTES / BYTES / TILE * TILE;
        let [a, b] = tiles.map(|tile| tile.repeat(n / TILE));
        let (unit, mul) = of_size(MulMod::KERNELS, 8 * BYTES);
        let (_, square) = of_size(SquareMod::KERNELS, 8 * BYTES);
        let name = if squares { square } else { mul };
        let rate = rate_of_call(name, n, |engine| {
            match squares {
                false => modular::mul_mod(engine, &modulus, &a, &b)?,
                true => modular::square_mod(engine, &modulus, &a)?,
            };
            Ok(())
        })?;

        let turn = self.instructions(unit, mul)?;
        // Two iterations: the product, and the conversion from Montgomery form. The loop of a
        // squaring contains a squaring, a product and a reduction, of which the second is done
        // twice: about half of the contents of a product's loop.
        let instructions = match squares {
            false => turn.times(2.0),
            true => self.instructions(unit, square)?.plus(&turn.times(0.5)),
        };
        let numbers = if squares { 2 } else { 3 };
        let cost = Cost {
            instructions,
            threads: 1.0,
            memory_bytes: (numbers * BYTES + 1) as f64,
        };
        let operation = if squares {
            MethodOperation::SquareMod
        } else {
            MethodOperation::MulMod
        };
        let what = ("modular", 8 * BYTES, operation);
        Ok(self.row(
            (unit, name),
            what,
            (instructions, &cost),
            rate,
            (checked, wrong),
        )?)
    }

    /// Measures `modexp`, without the transfer of the numbers, with exponents as long as the
    /// modulus.
    fn power<const BYTES: usize>(
        &mut self,
        checked: usize,
        wrong: usize,
    ) -> Result<Measurement, Error> {
        let bits = 8 * BYTES;
        let modulus = big_endian_modulus::<BYTES>()?;
        let kernel = of_size(Modexp::KERNELS, bits);
        let lanes = modexp_lanes(bits);
        let threads = Modexp::BLOCK * Modexp::BLOCKS * self.slot.device.multiprocessors;
        let n = threads as usize / lanes as usize;
        let [bases, exponents] = [random_rows::<BYTES>(n)?, random_rows::<BYTES>(n)?];
        let rate = rate_of_call(kernel.1, n, |engine| {
            modular::modexp(engine, &modulus, &bases, &exponents)?;
            Ok(())
        })?;

        // An iteration of the loop processes the limbs of one lane.
        let instructions = self.instructions(kernel.0, kernel.1)?.times(lanes as f64);
        // 16 powers and three conversions; four squarings and a product for each window after the
        // first.
        let multiplications = 19 + 5 * (bits / 4 - 1);
        let whole = instructions.times(multiplications as f64);
        let cost = Cost {
            instructions: whole,
            threads: lanes as f64,
            memory_bytes: 0.0,
        };
        let what = ("doubles", bits, MethodOperation::Modexp);
        Ok(self.row(kernel, what, (instructions, &cost), rate, (checked, wrong))?)
    }
}

/// Returns items per second of the kernel in a public call on `items` items in one chunk.
fn rate_of_call(
    kernel: &'static str,
    items: usize,
    call: impl Fn(&Engine) -> Result<(), Error>,
) -> Result<f64, Error> {
    let engine = Engine::builder()
        .backend(Backend::Gpu)
        .time_kernels(true)
        .chunk_items(items)
        .build()?;
    let run = median_of(|| -> Result<f64, Error> {
        call(&engine)?;
        let times = engine.take_kernel_times();
        Ok(times
            .iter()
            .filter(|time| time.kernel == kernel)
            .map(|time| time.seconds)
            .sum())
    })?;
    Ok(items as f64 / run)
}

/// Engines for public calls on both kinds of devices, to compare them.
struct Engines {
    gpu: Engine,
    cpu: Engine,
}

impl Engines {
    /// Returns the number of random products that differ. Some factors are not below the modulus.
    fn check_products<const BYTES: usize>(&self, squares: bool, n: usize) -> Result<usize, Error> {
        let modulus = big_endian_modulus::<BYTES>()?;
        let [a, b] = [random_rows::<BYTES>(n)?, random_rows::<BYTES>(n)?];
        let [found, expected] = [&self.gpu, &self.cpu].map(|engine| match squares {
            false => modular::mul_mod(engine, &modulus, &a, &b),
            true => modular::square_mod(engine, &modulus, &a),
        });
        Ok(count_differing(&found?, &expected?))
    }

    /// Returns the number of powers that differ: of n bases with one exponent, which are products
    /// of a few bases whose powers the CPU computes; and of some bases with individual exponents.
    fn check_powers<const BYTES: usize>(&self, n: usize) -> Result<usize, Error> {
        /// One of this number of items is computed by the CPU individually.
        const ALONE: usize = 256;
        let modulus = big_endian_modulus::<BYTES>()?;
        let side = n.isqrt() + usize::from(n.isqrt().pow(2) < n);
        let factors: Vec<[u8; BYTES]> = {
            let little_endian: Vec<u8> = modulus.iter().rev().copied().collect();
            let factors = random_below(&little_endian, 2 * side)?;
            factors
                .chunks_exact(BYTES)
                .map(|row| std::array::from_fn(|byte| row[BYTES - 1 - byte]))
                .collect()
        };
        let exponent = random_rows::<BYTES>(1)?[0];
        let powers = modular::modexp(&self.cpu, &modulus, &factors, &vec![exponent; 2 * side])?;
        let powers: Vec<_> = powers
            .into_iter()
            .map(|power| power.expect("below the modulus"))
            .collect();
        let [bases, powers] = [&factors, &powers].map(|numbers: &Vec<[u8; BYTES]>| {
            let mut products = all_products(&modulus, &numbers[..side], &numbers[side..]);
            products.truncate(n);
            products
        });
        let found = modular::modexp(&self.gpu, &modulus, &bases, &vec![exponent; n])?;
        let expected: Vec<_> = powers.into_iter().map(Ok).collect();
        let wrong = count_differing(&found, &expected);

        let [bases, exponents] = [
            random_rows(n.div_ceil(ALONE))?,
            random_rows::<BYTES>(n.div_ceil(ALONE))?,
        ];
        let found = modular::modexp(&self.gpu, &modulus, &bases, &exponents)?;
        let expected = modular::modexp(&self.cpu, &modulus, &bases, &exponents)?;
        Ok(wrong + count_differing(&found, &expected))
    }
}

fn big_endian_modulus<const BYTES: usize>() -> Result<[u8; BYTES], Error> {
    let modulus = random_modulus(BYTES)?;
    Ok(std::array::from_fn(|byte| modulus[BYTES - 1 - byte]))
}

fn count_differing<T: PartialEq + Sync>(found: &[T], expected: &[T]) -> usize {
    debug_assert_eq!(found.len(), expected.len());
    found
        .iter()
        .zip(expected)
        .filter(|(found, expected)| found != expected)
        .count()
}
