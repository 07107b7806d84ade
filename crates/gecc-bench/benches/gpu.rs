//! The GPU engine: `cargo bench -p gecc-bench --bench gpu`.
//!
//! Batches of 2^20 items with fresh random inputs: every public operation end to end, from host
//! memory to host memory, and arithmetic kernels alone, timed by CUDA events. Without a GPU it
//! prints a note and measures nothing; with `GECC_REQUIRE_GPU=1` that is a failure. `gecc-bench
//! operations` prints more: kernel times of the public operations, other sizes, latencies.

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use gecc::ecdsa::{Policy, SForm};
use gecc::{
    Backend, Curve, Engine, Error, Point, PublicKeys, Rejection, Secp256k1, SecretKey, SharedPoint,
    Sm2, Verdicts,
};
use gecc::{ecdh, ecdsa, keys, point, sm2};
use gecc_bench::kernels::arithmetic::{Arithmetic, Bench};
use std::time::{Duration, Instant};

const ITEMS: usize = 1 << 20;
/// Items that are compared with the CPU engine's.
const CHECKED: usize = 1024;

fn main() {
    let engine = match Engine::builder().backend(Backend::Gpu).build() {
        Ok(engine) => engine,
        Err(problem) if std::env::var_os("GECC_REQUIRE_GPU").is_some_and(|value| value == "1") => {
            panic!("{problem}")
        }
        Err(problem) => return println!("GPU benchmarks are skipped: {problem}"),
    };
    let mut criterion = Criterion::default().configure_from_args();
    macro_rules! ecdsa_curves {
        ([] $($curve:ident $name:ident $module:tt $reference:tt;)*) => {
            $(ecdsa_curve::<gecc::$curve>(&mut criterion, &engine);)*
        };
    }
    gecc::for_each_ecdsa_curve!(ecdsa_curves!);
    sm2_curve(&mut criterion, &engine);
    criterion.final_summary();
}

/// Key pairs, other points with their scalars, and digests.
struct Inputs {
    secret: Vec<SecretKey>,
    public: Vec<Point>,
    scalars: Vec<[u8; 32]>,
    points: Vec<Point>,
    digests: Vec<[u8; 32]>,
}

impl Inputs {
    fn new<C: Curve>(engine: &Engine) -> Self {
        let (secret, public) = keys::generate(engine, C::ID, ITEMS).expect("the GPU works");
        let (others, points) = keys::generate(engine, C::ID, ITEMS).expect("the GPU works");
        let scalars = others.iter().map(|key| *key.expose_bytes()).collect();
        let mut digests = vec![[0; 32]; ITEMS];
        getrandom::fill(digests.as_flattened_mut()).expect("the operating system gives randomness");
        Inputs {
            secret,
            public,
            scalars,
            points,
            digests,
        }
    }
}

fn passed<T>(results: Result<Vec<Result<T, Rejection>>, Error>) -> Vec<T> {
    let results = results.expect("the GPU works and lengths agree");
    results
        .into_iter()
        .map(|result| result.expect("the inputs are valid"))
        .collect()
}

/// The results of a call, comparable item by item.
trait Results: PartialEq {
    fn starts_with(&self, start: &Self) -> bool;
}

impl<T: PartialEq> Results for Vec<T> {
    fn starts_with(&self, start: &Self) -> bool {
        self[..].starts_with(start)
    }
}

/// Shared points, which have no comparison of their own.
struct Shared(Vec<Result<SharedPoint, Rejection>>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.starts_with(other)
    }
}

impl Results for Shared {
    fn starts_with(&self, start: &Self) -> bool {
        let pairs = self.0.iter().zip(&start.0);
        self.0.len() >= start.0.len()
            && pairs
                .into_iter()
                .all(|(point, expected)| match (point, expected) {
                    (Ok(point), Ok(expected)) => point.expose_bytes() == expected.expose_bytes(),
                    _ => false,
                })
    }
}

impl Results for Verdicts {
    fn starts_with(&self, start: &Self) -> bool {
        self.all_valid() && self.as_slice().starts_with(start.as_slice())
    }
}

/// Measures a call, and compares the first results with the CPU engine's. Results are freed outside
/// the measured time.
fn end_to_end<R: Results>(
    group: &mut BenchmarkGroup<WallTime>,
    name: &str,
    engine: &Engine,
    call: impl Fn(&Engine, usize) -> Result<R, Error>,
) {
    let cpu = Engine::cpu().expect("threads can be started");
    let expected = call(&cpu, CHECKED).expect("the CPU works and lengths agree");
    let all = call(engine, ITEMS).expect("the GPU works and lengths agree");
    assert!(
        all.starts_with(&expected),
        "{name}: other results than the CPU's"
    );
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|runs| {
            let mut total = Duration::ZERO;
            for _ in 0..runs {
                let started = Instant::now();
                let results = call(engine, ITEMS).expect("the GPU works and lengths agree");
                total += started.elapsed();
                assert!(results == all, "{name}: other results than before");
            }
            total
        });
    });
}

fn group<'a>(
    criterion: &'a mut Criterion,
    curve: &str,
    kind: &str,
) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(format!("{curve}, {kind}"));
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Elements(ITEMS as u64));
    group
}

/// Kernels alone.
fn arithmetic<C: Curve>(criterion: &mut Criterion) {
    let mut group = group(criterion, C::NAME, "kernels alone");
    for operation in Arithmetic::ALL {
        let mut work = Bench::new(operation, C::ID, ITEMS).expect("the GPU works");
        group.throughput(Throughput::Elements(
            ITEMS as u64 * operation.operations_per_item(),
        ));
        group.bench_function(operation.name(), |bencher| {
            bencher.iter_custom(|runs| {
                let seconds = (0..runs).map(|_| work.run().expect("the GPU works")).sum();
                Duration::from_secs_f64(seconds)
            });
        });
        // An operation that the filter left out has no results.
        if work.run().is_ok() {
            work.check().expect("the results are right");
        }
    }
    group.finish();
}

fn points<C: Curve>(group: &mut BenchmarkGroup<WallTime>, engine: &Engine, inputs: &Inputs) {
    let Inputs {
        secret,
        public,
        scalars,
        points,
        ..
    } = inputs;
    let compressed: Vec<[u8; 33]> = public
        .iter()
        .map(|point| point.to_compressed().expect("finite"))
        .collect();
    end_to_end(group, "add", engine, |engine, n| {
        point::add(engine, C::ID, &points[..n], &public[..n])
    });
    end_to_end(group, "double", engine, |engine, n| {
        point::double(engine, C::ID, &points[..n])
    });
    end_to_end(group, "decompress", engine, |engine, n| {
        point::decompress(engine, C::ID, &compressed[..n])
    });
    end_to_end(group, "mul_base", engine, |engine, n| {
        point::mul_base(engine, C::ID, &scalars[..n])
    });
    end_to_end(group, "mul", engine, |engine, n| {
        point::mul(engine, C::ID, &scalars[..n], &public[..n])
    });
    end_to_end(group, "public_keys", engine, |engine, n| {
        keys::public_keys(engine, C::ID, &secret[..n])
    });
    end_to_end(group, "ecdh", engine, |engine, n| {
        ecdh::shared_points(
            engine,
            C::ID,
            &secret[..n],
            PublicKeys::points(&points[..n]),
        )
        .map(Shared)
    });
    end_to_end(group, "ecdh_one_secret", engine, |engine, n| {
        ecdh::shared_points(engine, C::ID, &secret[0], PublicKeys::points(&points[..n])).map(Shared)
    });
}

/// Verification with distinct keys, and with few: `sign` and `verify` get the number of items.
fn signatures(
    group: &mut BenchmarkGroup<WallTime>,
    engine: &Engine,
    inputs: &Inputs,
    sign: impl Fn(&Engine, &[[u8; 32]], &[SecretKey]) -> Result<Vec<Result<[u8; 64], Rejection>>, Error>,
    verify: impl Fn(&Engine, &[[u8; 32]], &[[u8; 64]], PublicKeys) -> Result<Verdicts, Error>,
) {
    let Inputs {
        secret,
        public,
        digests,
        ..
    } = inputs;
    end_to_end(group, "sign", engine, |engine, n| {
        sign(engine, &digests[..n], &secret[..n])
    });
    for (name, signers) in [
        ("verify", ITEMS),
        ("verify_1000_keys", 1000),
        ("verify_100_keys", 100),
    ] {
        let secret: Vec<SecretKey> = secret[..signers]
            .iter()
            .cycle()
            .take(ITEMS)
            .cloned()
            .collect();
        let public: Vec<Point> = public[..signers]
            .iter()
            .cycle()
            .take(ITEMS)
            .copied()
            .collect();
        let signatures = passed(sign(engine, digests, &secret));
        end_to_end(group, name, engine, |engine, n| {
            let keys = PublicKeys::points(&public[..n]);
            verify(engine, &digests[..n], &signatures[..n], keys)
        });
    }
}

fn ecdsa_curve<C: gecc::EcdsaCurve>(criterion: &mut Criterion, engine: &Engine) {
    arithmetic::<C>(criterion);
    let mut group = group(criterion, C::NAME, "end to end");
    let inputs = Inputs::new::<C>(engine);
    points::<C>(&mut group, engine, &inputs);
    signatures(
        &mut group,
        engine,
        &inputs,
        |engine, digests, secret| ecdsa::sign(engine, C::ID, digests, secret, SForm::default()),
        |engine, digests, signatures, keys| {
            ecdsa::verify(engine, C::ID, digests, signatures, keys, Policy::default())
        },
    );
    let signed = passed(ecdsa::sign_recoverable(
        engine,
        C::ID,
        &inputs.digests,
        &inputs.secret,
        SForm::default(),
    ));
    let (signatures, ids): (Vec<_>, Vec<_>) = signed
        .iter()
        .map(|signed| (signed.signature, signed.recovery_id))
        .unzip();
    end_to_end(&mut group, "recover", engine, |engine, n| {
        ecdsa::recover(
            engine,
            C::ID,
            &inputs.digests[..n],
            &signatures[..n],
            &ids[..n],
        )
    });
    if C::NAME == Secp256k1::NAME {
        end_to_end(&mut group, "recover_addresses", engine, |engine, n| {
            ecdsa::recover_addresses(engine, &inputs.digests[..n], &signatures[..n], &ids[..n])
        });
    }
    group.finish();
}

fn sm2_curve(criterion: &mut Criterion, engine: &Engine) {
    arithmetic::<Sm2>(criterion);
    let mut group = group(criterion, Sm2::NAME, "end to end");
    let inputs = Inputs::new::<Sm2>(engine);
    points::<Sm2>(&mut group, engine, &inputs);
    signatures(
        &mut group,
        engine,
        &inputs,
        |engine, digests, secret| sm2::sign(engine, digests, secret),
        |engine, digests, signatures, keys| sm2::verify(engine, digests, signatures, keys),
    );
    group.finish();
}
