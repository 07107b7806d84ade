//! `gecc bench`: every operation on fresh random inputs.

use crate::ALL_PASSED;
use crate::args::{BenchOptions, CurveName};
use crate::output::Failure;
use gecc::ecdsa::{Policy, SForm};
use gecc::{EcdsaCurve, Engine, Error, P256, Point, PublicKeys, Rejection, Secp256k1, SecretCurve, SecretKey, Sm2};
use gecc::{ecdh, ecdsa, keys, point, sm2};
use serde_json::json;
use std::io::{self, Write};
use std::time::Instant;

/// Runs whose median counts; one more before them warms up.
const RUNS: usize = 5;
/// Signers in the measurement of repeated keys.
const SIGNERS: usize = 100;

pub fn run(options: BenchOptions) -> Result<u8, Failure> {
    let bench = Bench { engine: options.engine.start()?, items: options.items as usize, json: options.json };
    let curves = match options.curve {
        Some(curve) => vec![curve],
        None => vec![CurveName::Secp256k1, CurveName::P256, CurveName::Sm2],
    };
    if !bench.json {
        writeln!(io::stdout(), "{} items a batch, median of {RUNS} runs, {}", bench.items, bench.engine)?;
    }
    for curve in curves {
        match curve {
            CurveName::Secp256k1 => bench.ecdsa::<Secp256k1>(),
            CurveName::P256 => bench.ecdsa::<P256>(),
            CurveName::Sm2 => bench.sm2(),
        }?;
    }
    Ok(ALL_PASSED)
}

struct Bench {
    engine: Engine,
    items: usize,
    json: bool,
}

/// Key pairs and digests for every item.
struct Inputs {
    secret: Vec<SecretKey>,
    public: Vec<Point>,
    digests: Vec<[u8; 32]>,
}

impl Bench {
    fn inputs<C: SecretCurve>(&self, signers: usize) -> Result<Inputs, Error> {
        let (secret, public) = keys::generate::<C>(&self.engine, signers.min(self.items))?;
        Ok(Inputs {
            secret: secret.iter().cycle().take(self.items).cloned().collect(),
            public: public.into_iter().cycle().take(self.items).collect(),
            digests: random_scalars::<C>(self.items)?,
        })
    }

    fn ecdsa<C: EcdsaCurve>(&self) -> Result<(), Failure> {
        let engine = &self.engine;
        for (name, signers) in [("verify, distinct keys", self.items), ("verify, 100 keys", SIGNERS)] {
            let inputs = self.inputs::<C>(signers)?;
            let sign = || ecdsa::sign_recoverable::<C>(engine, &inputs.digests, &inputs.secret, SForm::Low);
            let signed = all_passed(sign()?);
            let signatures: Vec<_> = signed.iter().map(|signed| signed.signature).collect();
            let keys = PublicKeys::points(&inputs.public);
            self.measure::<C>(name, || {
                let verdicts = ecdsa::verify::<C>(engine, &inputs.digests, &signatures, keys, Policy::default())?;
                assert!(verdicts.all_valid(), "every signature was made for its key");
                Ok(())
            })?;
            if signers == self.items {
                let ids: Vec<_> = signed.iter().map(|signed| signed.recovery_id).collect();
                self.measure::<C>("recover", || {
                    let recovered = ecdsa::recover::<C>(engine, &inputs.digests, &signatures, &ids)?;
                    assert_eq!(all_passed(recovered), inputs.public, "recovery gives the signer's key");
                    Ok(())
                })?;
                self.measure::<C>("sign", || {
                    assert_eq!(all_passed(sign()?), signed, "signatures are deterministic");
                    Ok(())
                })?;
            }
        }
        self.points::<C>()
    }

    fn sm2(&self) -> Result<(), Failure> {
        let engine = &self.engine;
        for (name, signers) in [("verify, distinct keys", self.items), ("verify, 100 keys", SIGNERS)] {
            let inputs = self.inputs::<Sm2>(signers)?;
            let sign = || sm2::sign(engine, &inputs.digests, &inputs.secret);
            let signatures = all_passed(sign()?);
            self.measure::<Sm2>(name, || {
                let keys = PublicKeys::points(&inputs.public);
                let verdicts = sm2::verify(engine, &inputs.digests, &signatures, keys)?;
                assert!(verdicts.all_valid(), "every signature was made for its key");
                Ok(())
            })?;
            if signers == self.items {
                self.measure::<Sm2>("sign", || {
                    assert_eq!(all_passed(sign()?), signatures, "signatures are deterministic");
                    Ok(())
                })?;
            }
        }
        self.points::<Sm2>()
    }

    /// ECDH and the point operations. Each result is checked against another way to the same point.
    fn points<C: SecretCurve>(&self) -> Result<(), Failure> {
        let engine = &self.engine;
        let inputs = self.inputs::<C>(self.items)?;
        let scalars: Vec<[u8; 32]> = inputs.secret.iter().map(|key| *key.expose_bytes()).collect();
        let peers: Vec<Point> = inputs.public.iter().rev().copied().collect();
        let products = all_passed(point::mul::<C>(engine, &scalars, &peers)?);
        self.measure::<C>("ecdh", || {
            let secrets = all_passed(ecdh::shared_secrets::<C>(engine, &inputs.secret, PublicKeys::points(&peers))?);
            assert!(secrets.iter().zip(&products).all(|(secret, product)| secret.expose_bytes() == product.x()));
            Ok(())
        })?;
        self.measure::<C>("mul_base (FPMUL)", || {
            assert_eq!(all_passed(point::mul_base::<C>(engine, &scalars)?), inputs.public);
            Ok(())
        })?;
        self.measure::<C>("mul (UPMUL)", || {
            assert_eq!(all_passed(point::mul::<C>(engine, &scalars, &peers)?), products);
            Ok(())
        })?;
        let sums = all_passed(point::add::<C>(engine, &peers, &inputs.public)?);
        self.measure::<C>("add (PADD)", || {
            assert_eq!(all_passed(point::add::<C>(engine, &inputs.public, &peers)?), sums);
            Ok(())
        })?;
        let doubles = all_passed(point::add::<C>(engine, &inputs.public, &inputs.public)?);
        self.measure::<C>("double (PDBL)", || {
            assert_eq!(all_passed(point::double::<C>(engine, &inputs.public)?), doubles);
            Ok(())
        })
    }

    /// Prints items per second.
    fn measure<C: SecretCurve>(&self, name: &str, mut run: impl FnMut() -> Result<(), Error>) -> Result<(), Failure> {
        run()?;
        let mut seconds = [0.0; RUNS];
        for seconds in &mut seconds {
            let started = Instant::now();
            run()?;
            *seconds = started.elapsed().as_secs_f64();
        }
        seconds.sort_by(f64::total_cmp);
        let rate = self.items as f64 / seconds[RUNS / 2];
        if self.json {
            writeln!(
                io::stdout(),
                "{}",
                json!({"curve": C::NAME, "operation": name, "items": self.items, "per_second": rate.round()})
            )?;
        } else {
            writeln!(io::stdout(), "{:10} {name:24} {rate:12.0} /s", C::NAME)?;
        }
        Ok(())
    }
}

fn random_scalars<C: SecretCurve>(count: usize) -> Result<Vec<[u8; 32]>, Error> {
    (0..count).map(|_| Ok(*SecretKey::generate::<C>()?.expose_bytes())).collect()
}

fn all_passed<T>(results: Vec<Result<T, Rejection>>) -> Vec<T> {
    results.into_iter().map(|result| result.expect("the inputs are valid")).collect()
}
