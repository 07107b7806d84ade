//! Every operation on every curve gives what the same call of the library gives.

use super::{Handle, NO_DATA, engine, expect_ok, keys, no_options, one, rows, strings};
use crate::capi::choices::{GeccBackend, GeccCurve, GeccPolicy, GeccSForm, gecc_curve_by_name};
use crate::capi::ecdsa::*;
use crate::capi::engine::{GeccEngine, GeccEngineOptions, gecc_engine_new};
use crate::capi::keys::*;
use crate::capi::masking::{gecc_mask_points, gecc_unmask_points};
use crate::capi::memory::GeccRows;
use crate::capi::point::*;
use crate::capi::sm2::*;
use crate::capi::status::GeccStatus;
use crate::capi::sums::*;
use crate::random::Random;
use gecc::ecdsa::{Policy, SForm};
use gecc::{
    CurveId, Engine, Point, PublicKeys, Rejection, Rows, SecretKeys, Signers, ecdh, ecdsa, keys,
    mask, point, sm2,
};
use rand::RngExt;
use std::ffi::CString;
use std::ptr::null_mut;

/// More than one chunk of the CPU engine, and not a multiple of it.
const ITEMS: usize = 1100;

pub fn on_the_cpu() {
    on_all_curves(GeccBackend::Cpu);
}

pub fn on_gpus() {
    on_all_curves(GeccBackend::Gpu);
}

fn on_all_curves(backend: GeccBackend) {
    let (c, rust) = (engine(backend), Engine::cpu().unwrap());
    for &curve in CurveId::ALL {
        let batch = Batch::new(c.0, &rust, curve);
        batch.points();
        batch.decompression();
        batch.sums();
        batch.secrets();
        batch.masks();
        if curve.has_ecdsa() {
            batch.ecdsa();
            batch.ecdsa_messages();
            batch.recovery();
            batch.with_equations(backend);
        }
        if curve.has_sm2() {
            batch.sm2();
            batch.sm2_messages();
        }
    }
}

/// Inputs of all operations, a few of them bad, in the engine that is tested and in the library's
/// own.
struct Batch<'a> {
    c: *const GeccEngine,
    rust: &'a Engine,
    curve: CurveId,
    number: i32,
    scalars: Vec<[u8; 32]>,
    digests: Vec<[u8; 32]>,
    points: Vec<[u8; 65]>,
}

impl<'a> Batch<'a> {
    fn new(c: *const GeccEngine, rust: &'a Engine, curve: CurveId) -> Self {
        let mut random = Random::new();
        let mut scalars = random_rows(&mut random);
        // Below the order of each curve, but for some.
        scalars
            .iter_mut()
            .for_each(|scalar: &mut [u8; 32]| scalar[0] &= 0x7f);
        for item in [0, 7, 600, ITEMS - 1] {
            scalars[item] = if item % 2 == 0 { [0; 32] } else { [0xff; 32] };
        }
        let points = point::mul_base(rust, curve, &scalars).unwrap();
        let mut points: Vec<[u8; 65]> = points
            .into_iter()
            .map(|point| *point.unwrap_or(Point::IDENTITY).as_bytes())
            .collect();
        // Another tag, and another y.
        points[3][0] = 7;
        points[900][64] ^= 1;
        let digests = random_rows(&mut random);
        Batch {
            c,
            rust,
            curve,
            number: number_of(curve),
            scalars,
            digests,
            points,
        }
    }

    /// Codes, and rows of `W` bytes.
    fn results<const W: usize>(&self) -> (Vec<u8>, Vec<[u8; W]>) {
        (vec![0xaa; ITEMS], vec![[0xaa; W]; ITEMS])
    }

    fn raw(&self) -> Vec<[u8; 64]> {
        self.points
            .iter()
            .map(|point| point[1..].try_into().unwrap())
            .collect()
    }

    fn uncompressed(&self) -> PublicKeys<'_> {
        PublicKeys::uncompressed(&self.points)
    }

    fn points(&self) {
        let &Batch {
            c,
            rust,
            curve,
            number,
            ..
        } = self;
        let raw = self.raw();
        let (codes, points) = &mut self.results::<64>();
        let expect = |what: &str,
                      codes: &[u8],
                      points: &[[u8; 64]],
                      run: &dyn Fn(&mut [[u8; 64]], &mut [u8])| {
            let (their_codes, their_points) = &mut self.results::<64>();
            run(their_points, their_codes);
            assert_rows(
                &format!("{what} on {curve}"),
                (codes, points),
                (their_codes, their_points),
            );
        };
        expect_ok(unsafe {
            gecc_mul_base(
                c,
                number,
                ITEMS,
                rows(&self.scalars),
                points.as_mut_ptr().cast(),
                codes.as_mut_ptr(),
            )
        });
        expect("mul_base", codes, points, &|rows, codes| {
            point::mul_base_into(rust, curve, &self.scalars, rows, codes).unwrap();
        });
        assert!(
            codes
                .iter()
                .any(|code| *code == Rejection::ScalarOutOfRange.code())
        );

        let (scalars, scalar, key) = (
            rows(&self.scalars),
            one(&self.scalars[1]),
            keys(&self.points),
        );
        for (scalars, same) in [
            (scalars, Rows::from(&self.scalars)),
            (scalar, Rows::all(&self.scalars[1])),
        ] {
            expect_ok(unsafe {
                gecc_mul(
                    c,
                    number,
                    ITEMS,
                    scalars,
                    key,
                    points.as_mut_ptr().cast(),
                    codes.as_mut_ptr(),
                )
            });
            expect("mul", codes, points, &|rows, codes| {
                point::mul_into(rust, curve, same, self.uncompressed(), rows, codes).unwrap();
            });
        }

        expect_ok(unsafe {
            gecc_add(
                c,
                number,
                ITEMS,
                key,
                keys(&raw),
                points.as_mut_ptr().cast(),
                codes.as_mut_ptr(),
            )
        });
        expect("add", codes, points, &|rows, codes| {
            point::add_into(
                rust,
                curve,
                self.uncompressed(),
                PublicKeys::raw(&raw),
                rows,
                codes,
            )
            .unwrap();
        });
        assert!(
            codes
                .iter()
                .any(|code| *code == Rejection::NotOnCurve.code())
        );

        expect_ok(unsafe {
            gecc_double(
                c,
                number,
                ITEMS,
                keys(&raw),
                points.as_mut_ptr().cast(),
                codes.as_mut_ptr(),
            )
        });
        expect("double", codes, points, &|rows, codes| {
            point::double_into(rust, curve, PublicKeys::raw(&raw), rows, codes).unwrap();
        });
    }

    /// Sums of all items, of which some are bad, and of those between them.
    fn sums(&self) {
        let &Batch {
            c,
            rust,
            curve,
            number,
            ..
        } = self;
        let raw = self.raw();
        let (mut products, mut codes) = (vec![[0; 64]; ITEMS], vec![0; ITEMS]);
        for range in [
            0..0,
            0..ITEMS,
            4..ITEMS,
            8..600,
            601..900,
            601..ITEMS,
            901..ITEMS,
        ] {
            let (scalars, uncompressed, raw) = (
                &self.scalars[range.clone()],
                &self.points[range.clone()],
                &raw[range],
            );
            let items = scalars.len();
            let found = answer(items, |sum, code, bad_item| unsafe {
                gecc_msm(
                    c,
                    number,
                    items,
                    rows(scalars),
                    keys(uncompressed),
                    sum,
                    code,
                    bad_item,
                )
            });
            let points = PublicKeys::uncompressed(uncompressed);
            let expected = point::msm_columns(rust, curve, items, scalars, points).unwrap();
            assert_eq!(found, expected, "{curve}");
            let found = answer(items, |sum, code, bad_item| unsafe {
                gecc_msm(
                    c,
                    number,
                    items,
                    one(&self.scalars[1]),
                    keys(raw),
                    sum,
                    code,
                    bad_item,
                )
            });
            let (scalar, points) = (Rows::all(&self.scalars[1]), PublicKeys::raw(raw));
            assert_eq!(
                found,
                point::msm_columns(rust, curve, items, scalar, points).unwrap(),
                "{curve}"
            );
            let found = answer(items, |sum, code, bad_item| unsafe {
                gecc_sum(c, number, items, keys(raw), sum, code, bad_item)
            });
            assert_eq!(
                found,
                point::sum_columns(rust, curve, items, points).unwrap(),
                "{curve}"
            );

            // As the calls that give a row for each item have it.
            let (products, codes) = (&mut products[..items], &mut codes[..items]);
            expect_ok(unsafe {
                let (data, codes) = (products.as_mut_ptr().cast(), codes.as_mut_ptr());
                gecc_mul(
                    c,
                    number,
                    items,
                    rows(scalars),
                    keys(uncompressed),
                    data,
                    codes,
                )
            });
            match codes.iter().position(|code| *code != 1) {
                Some(item) => assert_eq!(
                    expected,
                    Err((item, Rejection::from_code(codes[item]).unwrap())),
                    "{curve}"
                ),
                None => {
                    let total = answer(items, |sum, code, bad_item| unsafe {
                        gecc_sum(c, number, items, keys(products), sum, code, bad_item)
                    });
                    assert_eq!(total, expected, "{curve}");
                    assert_eq!(expected == Ok(Point::IDENTITY), items == 0);
                }
            }
        }
    }

    fn decompression(&self) {
        let &Batch {
            c,
            rust,
            curve,
            number,
            ..
        } = self;
        let (codes, points) = &mut self.results::<64>();
        let compressed: Vec<[u8; 33]> = self.points.iter().map(compress).collect();
        expect_ok(unsafe {
            gecc_decompress(
                c,
                number,
                ITEMS,
                keys(&compressed),
                points.as_mut_ptr().cast(),
                codes.as_mut_ptr(),
            )
        });
        let decoded =
            point::decode_keys(rust, curve, ITEMS, PublicKeys::compressed(&compressed)).unwrap();
        for ((code, row), decoded) in codes.iter().zip(&*points).zip(decoded) {
            match decoded {
                Ok(point) => assert_eq!((*code, &row[..]), (1, &point.as_bytes()[1..])),
                Err(reason) => assert_eq!(*code, reason.code()),
            }
        }
        assert!(codes.iter().any(|code| *code != 1) && codes.contains(&1));
    }

    fn secrets(&self) {
        let &Batch {
            c,
            rust,
            curve,
            number,
            ..
        } = self;
        let (codes, points) = &mut self.results::<64>();
        let (their_codes, their_points) = &mut self.results::<64>();
        let secret = SecretKeys::rows((&self.scalars).into());
        expect_ok(unsafe {
            gecc_public_keys(
                c,
                number,
                ITEMS,
                rows(&self.scalars),
                points.as_mut_ptr().cast(),
                codes.as_mut_ptr(),
            )
        });
        keys::public_keys_into(rust, curve, secret, their_points, their_codes).unwrap();
        assert_rows("public keys", (codes, points), (their_codes, their_points));
        assert!(
            codes
                .iter()
                .any(|code| *code == Rejection::SecretKeyOutOfRange.code())
        );

        let (codes, secrets) = &mut self.results::<32>();
        let (their_codes, their_secrets) = &mut self.results::<32>();
        let each = (rows(&self.scalars), secret);
        let all = (
            one(&self.scalars[1]),
            SecretKeys::rows(Rows::all(&self.scalars[1])),
        );
        for (given, secret) in [each, all] {
            let (data, peers) = (secrets.as_mut_ptr().cast(), keys(&self.points));
            expect_ok(unsafe {
                gecc_ecdh_secrets(c, number, ITEMS, given, peers, data, codes.as_mut_ptr())
            });
            ecdh::shared_secrets_into(
                rust,
                curve,
                secret,
                self.uncompressed(),
                their_secrets,
                their_codes,
            )
            .unwrap();
            assert_rows(
                "shared secrets",
                (codes, secrets),
                (their_codes, their_secrets),
            );
            assert!(
                codes
                    .iter()
                    .any(|code| *code == Rejection::MalformedPoint.code())
            );
            self.points_of_secrets(given, secret);
        }
    }

    fn points_of_secrets(&self, given: GeccRows, secret: SecretKeys) {
        let (codes, points) = &mut self.results::<64>();
        let (their_codes, their_points) = &mut self.results::<64>();
        let (data, peers) = (points.as_mut_ptr().cast(), keys(&self.points));
        expect_ok(unsafe {
            gecc_ecdh_points(
                self.c,
                self.number,
                ITEMS,
                given,
                peers,
                data,
                codes.as_mut_ptr(),
            )
        });
        ecdh::shared_points_into(
            self.rust,
            self.curve,
            secret,
            self.uncompressed(),
            their_points,
            their_codes,
        )
        .unwrap();
        assert_rows(
            "shared points",
            (codes, points),
            (their_codes, their_points),
        );
    }

    /// Masks of points, and their removal, with a key for all and one for each.
    fn masks(&self) {
        let &Batch {
            c,
            rust,
            curve,
            number,
            ..
        } = self;
        let all = &self.scalars[1];
        for (given, secret) in [
            (
                rows(&self.scalars),
                SecretKeys::rows((&self.scalars).into()),
            ),
            (one(all), SecretKeys::rows(Rows::all(all))),
        ] {
            let (codes, masked) = &mut self.results::<33>();
            let (their_codes, their_masked) = &mut self.results::<33>();
            let (data, codes_to) = (masked.as_mut_ptr().cast(), codes.as_mut_ptr());
            let points = keys(&self.points);
            expect_ok(unsafe {
                gecc_mask_points(c, number, ITEMS, given, points, 33, data, codes_to)
            });
            let form = mask::Form::Compressed;
            let theirs = their_masked.as_flattened_mut();
            let points = self.uncompressed();
            mask::points_into(rust, curve, secret, points, form, theirs, their_codes).unwrap();
            assert_rows("masks", (codes, masked), (their_codes, their_masked));

            let (codes, unmasked) = &mut self.results::<33>();
            let (their_codes, their_unmasked) = &mut self.results::<33>();
            let (data, codes_to) = (unmasked.as_mut_ptr().cast(), codes.as_mut_ptr());
            expect_ok(unsafe {
                gecc_unmask_points(c, number, ITEMS, given, keys(masked), 33, data, codes_to)
            });
            let theirs = their_unmasked.as_flattened_mut();
            let points = PublicKeys::compressed(&*masked);
            mask::unmask_into(rust, curve, secret, points, form, theirs, their_codes).unwrap();
            assert_rows("points", (codes, unmasked), (their_codes, their_unmasked));
        }
    }

    /// The keys with the same additional data for all, with data for each item, and without any.
    fn signers(&self) -> [(GeccRows, Signers<'_>); 3] {
        let keys = SecretKeys::rows((&self.scalars).into());
        [
            (
                one(&self.digests[0]),
                Signers::with_additional_data(keys, Rows::all(&self.digests[0])),
            ),
            (
                rows(&self.digests),
                Signers::with_additional_data(keys, &self.digests),
            ),
            (NO_DATA, keys.into()),
        ]
    }

    fn ecdsa(&self) {
        let &Batch {
            c,
            rust,
            curve,
            number,
            ..
        } = self;
        let (codes, signatures) = &mut self.results::<64>();
        let (their_codes, their_signatures) = &mut self.results::<64>();
        let forms = [
            (GeccSForm::Low, SForm::Low),
            (GeccSForm::AsComputed, SForm::AsComputed),
            (GeccSForm::CurveDefault, SForm::CurveDefault),
        ];
        for (form, same) in forms {
            for (additional, signers) in self.signers() {
                let (digests, given, data) = (
                    rows(&self.digests),
                    rows(&self.scalars),
                    signatures.as_mut_ptr().cast(),
                );
                expect_ok(unsafe {
                    gecc_ecdsa_sign(
                        c,
                        number,
                        ITEMS,
                        digests,
                        given,
                        additional,
                        form as i32,
                        data,
                        codes.as_mut_ptr(),
                    )
                });
                let digests = &self.digests;
                ecdsa::sign_into(
                    rust,
                    curve,
                    digests,
                    signers,
                    same,
                    their_signatures,
                    their_codes,
                )
                .unwrap();
                assert_rows(
                    "signatures",
                    (codes, signatures),
                    (their_codes, their_signatures),
                );
            }
        }
        signatures[20][40] ^= 1;
        signatures[21] = [0; 64];
        for (policy, same) in [
            (GeccPolicy::Standard, Policy::default()),
            (GeccPolicy::LowS, Policy::low_s()),
        ] {
            let (digests, given, key) =
                (rows(&self.digests), rows(&*signatures), keys(&self.points));
            expect_ok(unsafe {
                gecc_ecdsa_verify(
                    c,
                    number,
                    ITEMS,
                    digests,
                    given,
                    key,
                    policy as i32,
                    codes.as_mut_ptr(),
                )
            });
            let (digests, given) = (&self.digests, &*signatures);
            ecdsa::verify_into(
                rust,
                curve,
                digests,
                given,
                self.uncompressed(),
                same,
                their_codes,
            )
            .unwrap();
            assert_eq!(codes, their_codes, "{curve}");
            assert!(codes.contains(&Rejection::ROutOfRange.code()));
            // A bad item may have a high s, which is looked at before the rest.
            for reason in [Rejection::Mismatch, Rejection::MalformedPoint] {
                assert!(
                    policy == GeccPolicy::LowS || codes.contains(&reason.code()),
                    "{reason}"
                );
            }
            // The form of the last signatures is the curve's default.
            let high = codes.contains(&Rejection::HighS.code());
            assert_eq!(
                high,
                policy == GeccPolicy::LowS && curve != CurveId::Secp256k1
            );
        }
    }

    fn recovery(&self) {
        let &Batch {
            c,
            rust,
            curve,
            number,
            ..
        } = self;
        let (codes, signatures) = &mut self.results::<64>();
        let mut ids = vec![0xaa; ITEMS];
        let (additional, signers) = self.signers()[1];
        // Digests as fields of records, and one for all.
        let records: Vec<[u8; 50]> = self.digests.iter().map(record).collect();
        let strided = GeccRows {
            data: records.as_ptr().cast(),
            stride: 50,
        };
        let first = vec![self.digests[0]; ITEMS];
        for (given, same) in [
            (one(&self.digests[0]), &first),
            (strided, &self.digests),
            (rows(&self.digests), &self.digests),
        ] {
            let (data, id_data) = (signatures.as_mut_ptr().cast(), ids.as_mut_ptr());
            expect_ok(unsafe {
                let scalars = rows(&self.scalars);
                let codes = codes.as_mut_ptr();
                gecc_ecdsa_sign_recoverable(
                    c, number, ITEMS, given, scalars, additional, 0, data, id_data, codes,
                )
            });
            let signed =
                ecdsa::sign_recoverable(rust, curve, same, signers, SForm::CurveDefault).unwrap();
            for (item, signed) in signed.into_iter().enumerate() {
                match signed {
                    Ok(signed) => {
                        let expected = (1, signed.signature, signed.recovery_id);
                        assert_eq!(
                            (codes[item], signatures[item], ids[item]),
                            expected,
                            "{curve} {item}"
                        );
                    }
                    Err(reason) => {
                        assert_eq!(codes[item], reason.code(), "{curve} {item}");
                        (signatures[item], ids[item]) = ([0; 64], 0);
                    }
                }
            }
        }
        ids[20] = 4;
        ids[22] ^= 1;
        let (digests, given, id_rows) = (rows(&self.digests), rows(&*signatures), one(&ids));
        let id_rows = GeccRows {
            stride: 1,
            ..id_rows
        };
        let (codes, points) = &mut self.results::<64>();
        let (their_codes, their_points) = &mut self.results::<64>();
        expect_ok(unsafe {
            let data = points.as_mut_ptr().cast();
            gecc_ecdsa_recover(
                c,
                number,
                ITEMS,
                digests,
                given,
                id_rows,
                data,
                codes.as_mut_ptr(),
            )
        });
        let their_ids = Rows::strided(&ids, 1, ITEMS).unwrap();
        let (their_digests, their_given) = (Rows::from(&self.digests), Rows::from(&*signatures));
        ecdsa::recover_into(
            rust,
            curve,
            their_digests,
            their_given,
            their_ids,
            their_points,
            their_codes,
        )
        .unwrap();
        assert_rows(
            "recovered keys",
            (codes, points),
            (their_codes, their_points),
        );
        assert_eq!(codes[20], Rejection::RecoveryIdOutOfRange.code());
        if curve != CurveId::Secp256k1 {
            return;
        }
        let (codes, addresses) = &mut self.results::<20>();
        let (their_codes, their_addresses) = &mut self.results::<20>();
        expect_ok(unsafe {
            let data = addresses.as_mut_ptr().cast();
            gecc_ecdsa_recover_addresses(
                c,
                ITEMS,
                digests,
                given,
                id_rows,
                data,
                codes.as_mut_ptr(),
            )
        });
        ecdsa::recover_addresses_into(
            rust,
            their_digests,
            their_given,
            their_ids,
            their_addresses,
            their_codes,
        )
        .unwrap();
        assert_rows(
            "addresses",
            (codes, addresses),
            (their_codes, their_addresses),
        );
    }

    /// Signatures with recovery ids, and recovery with candidates, by an engine that verifies in
    /// groups.
    fn with_equations(&self, backend: GeccBackend) {
        const MANY: usize = 3 * ITEMS;
        let &Batch {
            rust,
            curve,
            number,
            ..
        } = self;
        let options = GeccEngineOptions {
            backend: backend as i32,
            threads: 1,
            batch_verification: 1,
            ..no_options()
        };
        let mut c = null_mut();
        expect_ok(unsafe { gecc_engine_new(&options, &mut c) });
        let c = Handle(c);
        let digests: Vec<[u8; 32]> = self.digests.iter().copied().cycle().take(MANY).collect();
        let scalars: Vec<[u8; 32]> = self.scalars.iter().copied().cycle().take(MANY).collect();
        let secret = SecretKeys::rows((&scalars).into());
        let (mut signatures, mut ids, mut codes) =
            (vec![[0; 64]; MANY], vec![[0]; MANY], vec![0; MANY]);
        let number_bytes = ids.as_flattened_mut();
        ecdsa::sign_recoverable_into(
            rust,
            curve,
            &digests,
            secret,
            SForm::CurveDefault,
            &mut signatures,
            number_bytes,
            &mut codes,
        )
        .unwrap();
        // Items that recover another key, no key, and a key from -R.
        (signatures[20][40], ids[22], ids[MANY - 1]) =
            (signatures[20][40] ^ 1, [4], [ids[MANY - 1][0] ^ 1]);
        let mut candidates = vec![[0; 64]; MANY];
        let same: (Rows<32>, Rows<64>, Rows<1>) =
            ((&digests).into(), (&signatures).into(), (&ids).into());
        ecdsa::recover_into(
            rust,
            curve,
            same.0,
            same.1,
            same.2,
            &mut candidates,
            &mut codes,
        )
        .unwrap();
        let (expected, expected_codes) = (candidates.clone(), codes.clone());
        assert!(codes.contains(&Rejection::RecoveryIdOutOfRange.code()) && codes.contains(&1));
        // None, and those of others.
        candidates
            .iter_mut()
            .step_by(9)
            .for_each(|candidate| *candidate = [0; 64]);
        (candidates[1], candidates[2]) = (expected[2], [1; 64]);
        let [given, signed, id_rows] = [rows(&digests), rows(&signatures), rows(&ids)];
        let mut found = vec![[0xaa; 64]; MANY];
        let data = found.as_mut_ptr().cast();
        expect_ok(unsafe {
            let candidates = keys(&candidates);
            let codes = codes.as_mut_ptr();
            gecc_ecdsa_recover_with_candidates(
                c.0, number, MANY, given, signed, id_rows, candidates, data, codes,
            )
        });
        assert_rows(
            "recovered with candidates",
            (&codes, &found),
            (&expected_codes, &expected),
        );
        let (mut verdicts, policy) = (vec![0; MANY], GeccPolicy::Standard as i32);
        expect_ok(unsafe {
            let (key, codes) = (keys(&expected), codes.as_mut_ptr());
            gecc_ecdsa_verify_recoverable(
                c.0, number, MANY, given, signed, id_rows, key, policy, codes,
            )
        });
        let key = PublicKeys::raw(&expected);
        ecdsa::verify_into(
            rust,
            curve,
            same.0,
            same.1,
            key,
            Policy::default(),
            &mut verdicts,
        )
        .unwrap();
        assert!(
            codes == verdicts && codes.contains(&Rejection::IdentityKey.code()),
            "{curve}"
        );
        if curve != CurveId::Secp256k1 {
            return;
        }
        let (mut found, mut addresses) = (vec![[0xaa; 20]; MANY], vec![[0; 20]; MANY]);
        expect_ok(unsafe {
            let (data, candidates) = (found.as_mut_ptr().cast(), keys(&candidates));
            let codes = codes.as_mut_ptr();
            gecc_ecdsa_recover_addresses_with_candidates(
                c.0, MANY, given, signed, id_rows, candidates, data, codes,
            )
        });
        ecdsa::recover_addresses_into(rust, same.0, same.1, same.2, &mut addresses, &mut verdicts)
            .unwrap();
        assert_rows(
            "addresses with candidates",
            (&codes, &found),
            (&verdicts, &addresses),
        );
    }

    fn sm2(&self) {
        let &Batch { c, rust, .. } = self;
        let (codes, signatures) = &mut self.results::<64>();
        let (their_codes, their_signatures) = &mut self.results::<64>();
        let (digests, secret) = (rows(&self.digests), rows(&self.scalars));
        for (additional, signers) in self.signers() {
            let data = signatures.as_mut_ptr().cast();
            expect_ok(unsafe {
                gecc_sm2_sign(
                    c,
                    ITEMS,
                    digests,
                    secret,
                    additional,
                    data,
                    codes.as_mut_ptr(),
                )
            });
            sm2::sign_into(rust, &self.digests, signers, their_signatures, their_codes).unwrap();
            assert_rows(
                "SM2 signatures",
                (codes, signatures),
                (their_codes, their_signatures),
            );
        }
        signatures[20][40] ^= 1;
        expect_ok(unsafe {
            gecc_sm2_verify(
                c,
                ITEMS,
                digests,
                rows(&*signatures),
                keys(&self.points),
                codes.as_mut_ptr(),
            )
        });
        sm2::verify_into(
            rust,
            &self.digests,
            &*signatures,
            self.uncompressed(),
            their_codes,
        )
        .unwrap();
        assert_eq!(codes, their_codes);
        assert!(codes.contains(&1) && codes.contains(&Rejection::Mismatch.code()));
    }

    fn ecdsa_messages(&self) {
        let &Batch {
            c,
            rust,
            curve,
            number,
            ..
        } = self;
        let messages = texts(200);
        let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let messages = strings(slices.clone());
        let (codes, signatures) = &mut self.results::<64>();
        let (their_codes, their_signatures) = &mut self.results::<64>();
        let (given, form, same) = (
            rows(&self.scalars),
            GeccSForm::AsComputed as i32,
            SForm::AsComputed,
        );
        for (additional, signers) in self.signers() {
            expect_ok(unsafe {
                let (texts, data, codes) = (
                    messages.as_ptr(),
                    signatures.as_mut_ptr().cast(),
                    codes.as_mut_ptr(),
                );
                gecc_ecdsa_sign_messages(
                    c, number, ITEMS, texts, given, additional, form, data, codes,
                )
            });
            ecdsa::sign_messages_into(
                rust,
                curve,
                &slices,
                signers,
                same,
                their_signatures,
                their_codes,
            )
            .unwrap();
            assert_rows(
                "signatures of messages",
                (codes, signatures),
                (their_codes, their_signatures),
            );
        }
        assert!(codes.contains(&Rejection::SecretKeyOutOfRange.code()));
        signatures[20][40] ^= 1;
        for (policy, same) in [
            (GeccPolicy::Standard, Policy::default()),
            (GeccPolicy::LowS, Policy::low_s()),
        ] {
            let (texts, given, key) = (messages.as_ptr(), rows(&*signatures), keys(&self.points));
            expect_ok(unsafe {
                gecc_ecdsa_verify_messages(
                    c,
                    number,
                    ITEMS,
                    texts,
                    given,
                    key,
                    policy as i32,
                    codes.as_mut_ptr(),
                )
            });
            let (given, key) = (&*signatures, self.uncompressed());
            ecdsa::verify_messages_into(rust, curve, &slices, given, key, same, their_codes)
                .unwrap();
            assert_eq!(codes, their_codes, "{curve}");
            assert!(codes.contains(&1));
            let expected = if same == Policy::default() {
                Rejection::Mismatch
            } else {
                Rejection::HighS
            };
            assert!(codes.contains(&expected.code()), "{curve}");
        }
    }

    fn sm2_messages(&self) {
        let &Batch { c, rust, .. } = self;
        let (messages, mut ids) = (texts(200), texts(40));
        ids[30] = vec![1; 8192];
        let message_slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let id_slices: Vec<&[u8]> = ids.iter().map(Vec::as_slice).collect();
        let (message_strings, id_strings) =
            (strings(message_slices.clone()), strings(id_slices.clone()));
        let (additional, signers) = self.signers()[1];
        let choices = [
            (0, sm2::UserIds::default()),
            (1, sm2::UserIds::all(id_slices[0])),
            (ITEMS, sm2::UserIds::each(&id_slices)),
        ];
        for (count, same) in choices {
            let (codes, signatures) = &mut self.results::<64>();
            let (texts, ids, scalars) = (
                message_strings.as_ptr(),
                id_strings.as_ptr(),
                rows(&self.scalars),
            );
            expect_ok(unsafe {
                let data = signatures.as_mut_ptr().cast();
                gecc_sm2_sign_messages(
                    c,
                    ITEMS,
                    texts,
                    ids,
                    count,
                    scalars,
                    additional,
                    data,
                    codes.as_mut_ptr(),
                )
            });
            let signed = sm2::sign_messages(rust, &message_slices, same, signers).unwrap();
            for (item, signed) in signed.into_iter().enumerate() {
                match signed {
                    Ok(row) => assert_eq!((codes[item], signatures[item]), (1, row), "{item}"),
                    Err(reason) => assert_eq!(codes[item], reason.code(), "{item}"),
                }
            }
            signatures[20][40] ^= 1;
            // The one whose id is too long was not signed.
            signatures[30] = signatures[31];
            // Tight, and as fields of records.
            let records: Vec<[u8; 82]> = signatures.iter().map(record).collect();
            let strided = GeccRows {
                data: records.as_ptr().cast(),
                stride: 82,
            };
            let verdicts =
                sm2::verify_messages(rust, &message_slices, same, signatures, self.uncompressed())
                    .unwrap();
            let their_codes: Vec<u8> = verdicts.iter().map(|verdict| verdict.code()).collect();
            for given in [rows(&*signatures), strided] {
                codes.fill(0xaa);
                expect_ok(unsafe {
                    let key = keys(&self.points);
                    gecc_sm2_verify_messages(
                        c,
                        ITEMS,
                        texts,
                        ids,
                        count,
                        given,
                        key,
                        codes.as_mut_ptr(),
                    )
                });
                assert_eq!(*codes, their_codes);
            }
            assert_eq!(
                codes.contains(&Rejection::UserIdTooLong.code()),
                count == ITEMS
            );
        }
    }
}

/// Codes are the same, and rows where the item passed.
fn assert_rows<const W: usize>(what: &str, ours: (&[u8], &[[u8; W]]), theirs: (&[u8], &[[u8; W]])) {
    assert_eq!(ours.0, theirs.0, "codes of {what}");
    assert!(ours.0.contains(&1), "{what}");
    for item in (0..ours.0.len()).filter(|item| ours.0[*item] == 1) {
        assert_eq!(ours.1[item], theirs.1[item], "{what}: item {item}");
    }
}

/// The result of a sum, as the library has it.
fn answer(
    items: usize,
    call: impl FnOnce(*mut u8, *mut u8, *mut usize) -> GeccStatus,
) -> Result<Point, (usize, Rejection)> {
    let (mut sum, mut code, mut bad_item) = ([0xaa; 64], 0xaa, usize::MAX);
    expect_ok(call(sum.as_mut_ptr(), &mut code, &mut bad_item));
    if code == 1 {
        assert_eq!(bad_item, items);
        return Ok(if sum == [0; 64] {
            Point::IDENTITY
        } else {
            Point::from_raw(&sum)
        });
    }
    assert_eq!(sum, [0; 64]);
    Err((bad_item, Rejection::from_code(code).expect("a code")))
}

fn number_of(curve: CurveId) -> i32 {
    let name = CString::new(curve.name()).unwrap();
    let mut number = GeccCurve::Sm2;
    // SAFETY: a text ended by a zero byte, and a number.
    expect_ok(unsafe { gecc_curve_by_name(name.as_ptr(), &mut number) });
    number as i32
}

/// Returns `ITEMS` random messages of at most `longest` bytes.
fn texts(longest: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new();
    (0..ITEMS)
        .map(|_| {
            (0..random.random_range(0..=longest))
                .map(|_| random.random())
                .collect()
        })
        .collect()
}

fn random_rows(random: &mut Random) -> Vec<[u8; 32]> {
    (0..ITEMS).map(|_| random.random()).collect()
}

/// A field with other bytes after it.
fn record<const W: usize, const R: usize>(field: &[u8; W]) -> [u8; R] {
    let mut record = [0xee; R];
    record[..W].copy_from_slice(field);
    record
}

fn compress(point: &[u8; 65]) -> [u8; 33] {
    let mut compressed = [0; 33];
    compressed[0] = 2 + (point[64] & 1) + u8::from(point[0] == 7) * 5;
    compressed[1..].copy_from_slice(&point[1..33]);
    compressed
}
