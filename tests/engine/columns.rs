//! Calls from columns into columns have the results of calls on slices, wherever the columns are in
//! memory.

use crate::declare::{apply, on_every_engine};
use crate::support::each::{each_curve, each_ecdsa_curve};
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, TestCurve, bytes};
use crate::support::scheme::progression;
use gecc::ecdsa::{Policy, SForm};
use gecc::{
    Backend, Engine, Error, Point, PublicKeys, Rejection, Rows, Secp256k1, SecretKey, SecretKeys,
    Sm2, Verdict,
};
use gecc::{PageLocked, ecdh, ecdsa, keys, point, sm2};

/// Fewer than a whole number of chunks and blocks.
const ITEMS: usize = 351;

/// The results of a call on slices, as rows.
type Expected<const W: usize> = Vec<Result<[u8; W], Rejection>>;

/// Places that a call must leave alone, before and after those of its results.
const MARGIN: usize = 5;
const UNTOUCHED: u8 = 0xee;

/// Returns whether the engine can lock memory.
fn locks(engine: &Engine) -> bool {
    engine.info().backend == Backend::Gpu
}

/// Copies values to locked memory, if available.
fn locked<T>(engine: &Engine, values: Vec<T>) -> PageLocked<T> {
    let locked = engine.page_lock(values);
    assert_eq!(
        locked.is_locked(),
        locks(engine) && size_of_val(&*locked) > 0
    );
    locked
}

/// The engine under test, and one that computes several chunks.
fn engines(engine: &Engine) -> [Engine; 2] {
    let in_chunks = Engine::builder()
        .backend(engine.info().backend)
        .chunk_items(150);
    [
        engine.clone(),
        in_chunks.build().expect("as the engine that is tested"),
    ]
}

/// Makes a call write into memory of its own, into locked memory between other results, and, if
/// memory can be locked, into some of each.
#[track_caller]
fn check<const W: usize>(
    engine: &Engine,
    name: &str,
    expected: &Expected<W>,
    call: impl Fn(&Engine, &mut [[u8; W]], &mut [u8]) -> Result<(), Error>,
) {
    let items = expected.len();
    let compare = |rows: &[[u8; W]], codes: &[u8], place: &str| {
        for (item, expected) in expected.iter().enumerate() {
            match expected {
                Ok(row) => assert_eq!(
                    (codes[item], rows[item]),
                    (Verdict::VALID_CODE, *row),
                    "{name} {place} {item}"
                ),
                Err(reason) => assert_eq!(codes[item], reason.code(), "{name} {place} {item}"),
            }
        }
    };
    let own = || (vec![[UNTOUCHED; W]; items], vec![UNTOUCHED; items]);
    let part = MARGIN..MARGIN + items;
    for engine in &engines(engine) {
        let (mut rows, mut codes) = own();
        call(engine, &mut rows, &mut codes).unwrap();
        compare(&rows, &codes, "in its own memory");
        let mut locked_rows = locked(engine, vec![[UNTOUCHED; W]; items + 2 * MARGIN]);
        let mut locked_codes = locked(engine, vec![UNTOUCHED; items + 2 * MARGIN]);
        call(
            engine,
            &mut locked_rows[part.clone()],
            &mut locked_codes[part.clone()],
        )
        .unwrap();
        compare(
            &locked_rows[part.clone()],
            &locked_codes[part.clone()],
            "in locked memory",
        );
        for place in (0..MARGIN).chain(MARGIN + items..2 * MARGIN + items) {
            assert_eq!(
                (locked_rows[place], locked_codes[place]),
                ([UNTOUCHED; W], UNTOUCHED),
                "{name} next to {place}"
            );
        }
        if !locks(engine) {
            continue; // all memory is of one kind
        }
        let (mut rows, mut codes) = own();
        call(engine, &mut rows, &mut locked_codes[part.clone()]).unwrap();
        compare(&rows, &locked_codes[part.clone()], "with locked codes");
        call(engine, &mut locked_rows[part.clone()], &mut codes).unwrap();
        compare(&locked_rows[part.clone()], &codes, "with locked rows");
    }
}

/// The columns of a batch, some of whose items are corrupted.
struct Batch {
    scalars: Vec<[u8; 32]>,
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    ids: Vec<u8>,
    points: Vec<Point>,
}

impl Batch {
    /// Private keys, which serve as scalars too, with their public keys and random digests.
    fn new<C: TestCurve>(items: usize) -> Self {
        let mut random = Random::new();
        let (scalars, points) = progression::<C>(&mut random, items);
        Batch {
            scalars: scalars.iter().map(bytes::<C>).collect(),
            digests: (0..items).map(|_| random.bytes()).collect(),
            signatures: vec![[0; 64]; items],
            ids: vec![0; items],
            points,
        }
    }

    fn len(&self) -> usize {
        self.scalars.len()
    }

    /// Puts in scalars that are 0 or too large, points that are invalid or the identity, signatures
    /// that are wrong.
    fn corrupt(&mut self) {
        for item in (1..self.len()).step_by(7) {
            match item % 5 {
                0 => self.scalars[item] = [0; 32],
                1 => self.scalars[item] = [0xff; 32],
                2 => self.points[item] = Point::from_coordinates(&[1; 32], &[1; 32]),
                3 => self.points[item] = Point::IDENTITY,
                _ => self.signatures[item] = [[0; 64], [0xff; 64]][item % 2],
            }
            if item % 3 == 0 {
                (self.ids[item], self.signatures[item][40]) =
                    (self.ids[item] ^ 1, self.signatures[item][40] ^ 1);
            }
        }
    }

    fn secret(&self) -> Vec<SecretKey> {
        self.scalars
            .iter()
            .copied()
            .map(SecretKey::from_bytes)
            .collect()
    }

    fn raw(&self) -> Vec<[u8; 64]> {
        self.points.iter().map(raw).collect()
    }

    /// The compressed points; a malformed row for the identity.
    fn compressed(&self) -> Vec<[u8; 33]> {
        self.points
            .iter()
            .map(|point| point.to_compressed().unwrap_or([0; 33]))
            .collect()
    }
}

/// `x || y`, zeros for the identity.
fn raw(point: &Point) -> [u8; 64] {
    point.as_bytes()[1..]
        .try_into()
        .expect("64 bytes after the tag")
}

fn rows_of(points: Vec<Result<Point, Rejection>>) -> Expected<64> {
    points
        .into_iter()
        .map(|point| point.map(|point| raw(&point)))
        .collect()
}

/// A batch's columns as parts of records in locked memory, with bytes between them that belong to
/// no column.
struct Records {
    bytes: PageLocked<u8>,
    items: usize,
}

const RECORD: usize = 32 + 32 + 64 + 1 + 33 + 64 + 7;

impl Records {
    fn new(engine: &Engine, batch: &Batch) -> Self {
        let raw = batch.raw();
        let compressed = batch.compressed();
        let record = |item: usize| {
            let id = [batch.ids[item]];
            let fields: [&[u8]; 7] = [
                &batch.scalars[item],
                &batch.digests[item],
                &batch.signatures[item],
                &id,
                &compressed[item],
                &raw[item],
                &[0xab; 7],
            ];
            fields.concat()
        };
        Records {
            bytes: locked(engine, (0..batch.len()).flat_map(record).collect()),
            items: batch.len(),
        }
    }

    fn column<const W: usize>(&self, offset: usize) -> Rows<'_, W> {
        let start = offset.min(self.bytes.len());
        Rows::strided(&self.bytes[start..], RECORD, self.items).expect("the records have it")
    }

    fn scalars(&self) -> Rows<'_, 32> {
        self.column(0)
    }

    fn secret(&self) -> SecretKeys<'_> {
        SecretKeys::rows(self.scalars())
    }

    fn digests(&self) -> Rows<'_, 32> {
        self.column(32)
    }

    fn signatures(&self) -> Rows<'_, 64> {
        self.column(64)
    }

    fn ids(&self) -> Rows<'_, 1> {
        self.column(128)
    }

    fn compressed(&self) -> PublicKeys<'_> {
        PublicKeys::compressed(self.column(129))
    }

    fn raw(&self) -> PublicKeys<'_> {
        PublicKeys::raw(self.column(162))
    }
}

/// No item, one, and many.
const SIZES: [usize; 3] = [0, 1, ITEMS];

#[apply(on_every_engine)]
fn points(engine: &Engine) {
    each_curve!(points_on(engine));
}

fn points_on<C: TestCurve>(engine: &Engine) {
    for items in SIZES {
        let mut batch = Batch::new::<C>(items);
        batch.corrupt();
        let records = Records::new(engine, &batch);
        let raw = batch.raw();
        let Batch {
            scalars, points, ..
        } = &batch;
        let encodings = [
            PublicKeys::points(points),
            PublicKeys::raw(&raw),
            records.raw(),
        ];
        let mut others = points.clone();
        others.reverse();
        let of_others = PublicKeys::points(&others);

        let expected = rows_of(point::mul_base(engine, C::ID, scalars).unwrap());
        for scalars in [Rows::from(scalars), records.scalars()] {
            check(engine, "mul_base", &expected, |engine, rows, codes| {
                point::mul_base_into(engine, C::ID, scalars, rows, codes)
            });
        }
        let sums = rows_of(point::add(engine, C::ID, points, &others).unwrap());
        let doubles = rows_of(point::double(engine, C::ID, points).unwrap());
        let products = rows_of(point::mul(engine, C::ID, scalars, points).unwrap());
        for keys in encodings.into_iter().chain([records.compressed()]) {
            let decoded = rows_of(point::decode_keys(engine, C::ID, items, keys).unwrap());
            check(engine, "decode_keys", &decoded, |engine, rows, codes| {
                point::decode_keys_into(engine, C::ID, keys, rows, codes)
            });
        }
        for points in encodings {
            check(engine, "add", &sums, |engine, rows, codes| {
                point::add_into(engine, C::ID, points, of_others, rows, codes)
            });
            check(engine, "double", &doubles, |engine, rows, codes| {
                point::double_into(engine, C::ID, points, rows, codes)
            });
            check(engine, "mul", &products, |engine, rows, codes| {
                point::mul_into(engine, C::ID, records.scalars(), points, rows, codes)
            });
        }
    }
    one_for_all_points::<C>(engine);
}

/// One scalar, and one point, for every item.
fn one_for_all_points<C: TestCurve>(engine: &Engine) {
    let batch = Batch::new::<C>(ITEMS);
    let one = [batch.scalars[3]; ITEMS];
    let point = [batch.points[4]; ITEMS];
    let scalar = Rows::all(&one[0]);
    let encoded = raw(&point[0]);
    let expected = rows_of(point::mul_base(engine, C::ID, &one).unwrap());
    check(
        engine,
        "mul_base of one",
        &expected,
        |engine, rows, codes| point::mul_base_into(engine, C::ID, scalar, rows, codes),
    );
    let expected = rows_of(point::mul(engine, C::ID, &one, &batch.points).unwrap());
    let points = PublicKeys::points(&batch.points);
    check(engine, "mul by one", &expected, |engine, rows, codes| {
        point::mul_into(engine, C::ID, scalar, points, rows, codes)
    });
    let expected = rows_of(point::add(engine, C::ID, &batch.points, &point).unwrap());
    for one in [
        PublicKeys::all(point[0].as_sec1()),
        PublicKeys::raw(Rows::all(&encoded)),
    ] {
        check(engine, "add one", &expected, |engine, rows, codes| {
            point::add_into(engine, C::ID, points, one, rows, codes)
        });
    }
}

#[apply(on_every_engine)]
fn private_keys(engine: &Engine) {
    each_curve!(private_keys_on(engine));
}

fn private_keys_on<C: TestCurve>(engine: &Engine) {
    for items in SIZES {
        let mut batch = Batch::new::<C>(items);
        batch.corrupt();
        let records = Records::new(engine, &batch);
        let secret = batch.secret();
        let expected = rows_of(keys::public_keys(engine, C::ID, &secret).unwrap());
        for keys in [SecretKeys::each(&secret), records.secret()] {
            check(engine, "public_keys", &expected, |engine, rows, codes| {
                keys::public_keys_into(engine, C::ID, keys, rows, codes)
            });
        }
        // The peers are in another order than the keys, that no product is a square.
        batch.points.reverse();
        let compressed = batch.compressed();
        let raw = batch.raw();
        let records = Records::new(engine, &batch);
        agree::<C>(
            engine,
            &secret,
            PublicKeys::raw(&raw),
            [records.raw(), PublicKeys::points(&batch.points)],
        );
        agree::<C>(
            engine,
            &secret,
            PublicKeys::compressed(&compressed),
            [records.compressed(); 2],
        );
        if let [key, ..] = &secret[..] {
            let one = vec![key.clone(); items];
            let expected = rows_of(keys::public_keys(engine, C::ID, &one).unwrap());
            check(
                engine,
                "public_keys of one",
                &expected,
                |engine, rows, codes| keys::public_keys_into(engine, C::ID, key, rows, codes),
            );
            agree_by::<C>(
                engine,
                &one,
                SecretKeys::all(key),
                PublicKeys::raw(&raw),
                records.raw(),
            );
            let peer = batch.points[0].as_sec1();
            let peers = vec![peer; items];
            agree_by::<C>(
                engine,
                &secret,
                records.secret(),
                PublicKeys::sec1(&peers),
                PublicKeys::all(peer),
            );
        }
    }
}

fn agree<C: TestCurve>(
    engine: &Engine,
    secret: &[SecretKey],
    peers: PublicKeys,
    columns: [PublicKeys; 2],
) {
    let rows: Vec<[u8; 32]> = secret.iter().map(|key| *key.expose_bytes()).collect();
    for column in columns {
        agree_by::<C>(
            engine,
            secret,
            SecretKeys::rows((&rows).into()),
            peers,
            column,
        );
    }
}

/// Shared points and secrets by keys and peers in slices, and the same in columns.
fn agree_by<C: TestCurve>(
    engine: &Engine,
    secret: &[SecretKey],
    keys: SecretKeys,
    peers: PublicKeys,
    column: PublicKeys,
) {
    let points = ecdh::shared_points(engine, C::ID, secret, peers).unwrap();
    let points: Expected<64> = points
        .into_iter()
        .map(|shared| shared.map(|shared| raw(&shared.into_public())))
        .collect();
    check(engine, "shared points", &points, |engine, rows, codes| {
        ecdh::shared_points_into(engine, C::ID, keys, column, rows, codes)
    });
    let secrets = ecdh::shared_secrets(engine, C::ID, secret, peers).unwrap();
    let secrets: Expected<32> = secrets
        .into_iter()
        .map(|shared| shared.map(|shared| *shared.expose_bytes()))
        .collect();
    check(engine, "shared secrets", &secrets, |engine, rows, codes| {
        ecdh::shared_secrets_into(engine, C::ID, keys, column, rows, codes)
    });
}

/// Verdicts as codes without rows.
fn codes_of(verdicts: gecc::Verdicts) -> Expected<0> {
    verdicts
        .into_iter()
        .map(|verdict| match verdict {
            Verdict::Valid => Ok([]),
            Verdict::Rejected(reason) => Err(reason),
        })
        .collect()
}

#[apply(on_every_engine)]
fn ecdsa(engine: &Engine) {
    each_ecdsa_curve!(ecdsa_on(engine));
}

fn ecdsa_on<C: EcdsaReference>(engine: &Engine) {
    for items in SIZES {
        let mut batch = Batch::new::<C>(items);
        let secret = batch.secret();
        let signed =
            ecdsa::sign_recoverable(engine, C::ID, &batch.digests, &secret, SForm::AsComputed)
                .unwrap();
        for (item, signed) in signed.into_iter().enumerate() {
            let signed = signed.unwrap();
            (batch.signatures[item], batch.ids[item]) = (signed.signature, signed.recovery_id);
        }
        batch.corrupt();
        let records = Records::new(engine, &batch);
        let secret = batch.secret();
        for form in [SForm::Low, SForm::AsComputed] {
            let expected = ecdsa::sign(engine, C::ID, &batch.digests, &secret, form).unwrap();
            for (digests, keys) in [
                (Rows::from(&batch.digests), (&secret).into()),
                (records.digests(), records.secret()),
            ] {
                check(engine, "sign", &expected, |engine, rows, codes| {
                    ecdsa::sign_into(engine, C::ID, digests, keys, form, rows, codes)
                });
            }
        }
        sign_recoverable::<C>(engine, &batch, &records);
        verify_ecdsa::<C>(engine, &batch, &records);
        ecdsa_messages::<C>(engine, &batch, &records);
        let Batch {
            digests,
            signatures,
            ids,
            ..
        } = &batch;
        let expected = rows_of(ecdsa::recover(engine, C::ID, digests, signatures, ids).unwrap());
        check(engine, "recover", &expected, |engine, rows, codes| {
            ecdsa::recover_into(
                engine,
                C::ID,
                records.digests(),
                records.signatures(),
                records.ids(),
                rows,
                codes,
            )
        });
    }
    one_for_all_signatures::<C>(engine);
}

/// Signs with the recovery ids in memory of their own, and in locked memory.
fn sign_recoverable<C: EcdsaReference>(engine: &Engine, batch: &Batch, records: &Records) {
    let secret = batch.secret();
    for form in [SForm::Low, SForm::AsComputed] {
        let expected =
            ecdsa::sign_recoverable(engine, C::ID, &batch.digests, &secret, form).unwrap();
        let signatures: Expected<64> = expected
            .iter()
            .map(|signed| signed.map(|signed| signed.signature))
            .collect();
        for (digests, keys) in [
            (Rows::from(&batch.digests), (&secret).into()),
            (records.digests(), records.secret()),
        ] {
            check(
                engine,
                "sign recoverable",
                &signatures,
                |engine, rows, codes| {
                    for is_locked in [false, true]
                        .into_iter()
                        .filter(|is_locked| !is_locked || locks(engine))
                    {
                        let ids = vec![UNTOUCHED; expected.len()];
                        let mut ids = if is_locked {
                            locked(engine, ids)
                        } else {
                            ids.into()
                        };
                        ecdsa::sign_recoverable_into(
                            engine,
                            C::ID,
                            digests,
                            keys,
                            form,
                            rows,
                            &mut ids,
                            codes,
                        )?;
                        for (item, signed) in expected.iter().enumerate() {
                            assert!(
                                signed.is_err_and(|_| true)
                                    || signed.unwrap().recovery_id == ids[item],
                                "{item}"
                            );
                        }
                    }
                    Ok(())
                },
            );
        }
    }
}

/// Messages of some lengths.
fn messages(items: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new();
    (0..items)
        .map(|item| random.vector(item * item % 300))
        .collect()
}

fn ecdsa_messages<C: EcdsaReference>(engine: &Engine, batch: &Batch, records: &Records) {
    let messages = messages(batch.len());
    let secret = batch.secret();
    let form = SForm::Low;
    let policy = Policy::low_s();
    let signed = ecdsa::sign_messages(engine, C::ID, &messages, &secret, form).unwrap();
    for keys in [SecretKeys::each(&secret), records.secret()] {
        check(engine, "sign messages", &signed, |engine, rows, codes| {
            ecdsa::sign_messages_into(engine, C::ID, &messages, keys, form, rows, codes)
        });
    }
    let signatures: Vec<[u8; 64]> = signed
        .into_iter()
        .map(|signed| signed.unwrap_or([7; 64]))
        .collect();
    let strided: Vec<[u8; 65]> = signatures
        .iter()
        .map(|row| std::array::from_fn(|at| *row.get(at).unwrap_or(&9)))
        .collect();
    let keys = PublicKeys::points(&batch.points);
    let expected = codes_of(
        ecdsa::verify_messages(engine, C::ID, &messages, &signatures, keys, policy).unwrap(),
    );
    assert!(
        batch.len() < ITEMS
            || expected.iter().filter(|verdict| verdict.is_ok()).count() > ITEMS / 2
    );
    for column in [
        Rows::from(&signatures),
        Rows::strided(strided.as_flattened(), 65, batch.len()).unwrap(),
    ] {
        check(engine, "verify messages", &expected, |engine, _, codes| {
            ecdsa::verify_messages_into(engine, C::ID, &messages, column, keys, policy, codes)
        });
    }
}

fn verify_ecdsa<C: EcdsaReference>(engine: &Engine, batch: &Batch, records: &Records) {
    let Batch {
        digests,
        signatures,
        points,
        ..
    } = batch;
    let compressed = batch.compressed();
    let raw = batch.raw();
    for policy in [Policy::default(), Policy::low_s()] {
        for (keys, column) in [
            (PublicKeys::points(points), PublicKeys::points(points)),
            (PublicKeys::compressed(&compressed), records.compressed()),
            (PublicKeys::raw(&raw), records.raw()),
        ] {
            let expected =
                codes_of(ecdsa::verify(engine, C::ID, digests, signatures, keys, policy).unwrap());
            check(engine, "verify", &expected, |engine, _, codes| {
                ecdsa::verify_into(
                    engine,
                    C::ID,
                    records.digests(),
                    records.signatures(),
                    column,
                    policy,
                    codes,
                )
            });
        }
    }
}

/// One digest, one signature and one key for every item.
fn one_for_all_signatures<C: EcdsaReference>(engine: &Engine) {
    let batch = Batch::new::<C>(ITEMS);
    let digest = &batch.digests[0];
    let secret = batch.secret();
    let key = batch.points[0];
    let digests = [*digest; ITEMS];
    let expected = ecdsa::sign(engine, C::ID, &digests, &secret, SForm::Low).unwrap();
    check(
        engine,
        "sign one digest",
        &expected,
        |engine, rows, codes| {
            ecdsa::sign_into(
                engine,
                C::ID,
                Rows::all(digest),
                &secret,
                SForm::Low,
                rows,
                codes,
            )
        },
    );
    let mut signatures: Vec<[u8; 64]> = expected.into_iter().map(Result::unwrap).collect();
    let policy = Policy::default();
    let points = PublicKeys::points(&batch.points);
    let expected =
        codes_of(ecdsa::verify(engine, C::ID, &digests, &signatures, points, policy).unwrap());
    assert!(expected.iter().all(Result::is_ok));
    check(
        engine,
        "verify one digest",
        &expected,
        |engine, _, codes| {
            ecdsa::verify_into(
                engine,
                C::ID,
                Rows::all(digest),
                &signatures,
                points,
                policy,
                codes,
            )
        },
    );
    // The first signature with every key and with one.
    let first = [signatures[0]];
    signatures.fill(first[0]);
    let encoded = raw(&key);
    for (keys, column) in [
        (points, points),
        (
            PublicKeys::all(key.as_sec1()),
            PublicKeys::raw(Rows::all(&encoded)),
        ),
    ] {
        let expected =
            codes_of(ecdsa::verify(engine, C::ID, &digests, &signatures, keys, policy).unwrap());
        assert!(expected[0].is_ok());
        check(
            engine,
            "verify one signature",
            &expected,
            |engine, _, codes| {
                ecdsa::verify_into(
                    engine,
                    C::ID,
                    Rows::all(digest),
                    Rows::all(&first[0]),
                    column,
                    policy,
                    codes,
                )
            },
        );
    }
    for id in [0, 1] {
        let expected =
            rows_of(ecdsa::recover(engine, C::ID, &digests, &signatures, &[id; ITEMS]).unwrap());
        check(
            engine,
            "recover one id",
            &expected,
            |engine, rows, codes| {
                ecdsa::recover_into(
                    engine,
                    C::ID,
                    Rows::all(digest),
                    &signatures,
                    Rows::all(&[id]),
                    rows,
                    codes,
                )
            },
        );
    }
}

#[apply(on_every_engine)]
fn addresses(engine: &Engine) {
    for items in SIZES {
        let mut batch = Batch::new::<Secp256k1>(items);
        let signed = ecdsa::sign_recoverable(
            engine,
            Secp256k1,
            &batch.digests,
            &batch.secret(),
            SForm::Low,
        )
        .unwrap();
        for (item, signed) in signed.into_iter().enumerate() {
            let signed = signed.unwrap();
            (batch.signatures[item], batch.ids[item]) = (signed.signature, signed.recovery_id);
        }
        batch.corrupt();
        let records = Records::new(engine, &batch);
        let Batch {
            digests,
            signatures,
            ids,
            ..
        } = &batch;
        let expected = ecdsa::recover_addresses(engine, digests, signatures, ids).unwrap();
        check(engine, "addresses", &expected, |engine, rows, codes| {
            ecdsa::recover_addresses_into(
                engine,
                digests,
                records.signatures(),
                records.ids(),
                rows,
                codes,
            )
        });
    }
}

#[apply(on_every_engine)]
fn sm2(engine: &Engine) {
    for items in SIZES {
        let mut batch = Batch::new::<Sm2>(items);
        for (item, signed) in sm2::sign(engine, &batch.digests, &batch.secret())
            .unwrap()
            .into_iter()
            .enumerate()
        {
            batch.signatures[item] = signed.unwrap();
        }
        batch.corrupt();
        let records = Records::new(engine, &batch);
        let secret = batch.secret();
        let Batch {
            digests,
            signatures,
            points,
            ..
        } = &batch;
        let expected = sm2::sign(engine, digests, &secret).unwrap();
        for (digests, keys) in [
            (Rows::from(digests), (&secret).into()),
            (records.digests(), records.secret()),
        ] {
            check(engine, "sign", &expected, |engine, rows, codes| {
                sm2::sign_into(engine, digests, keys, rows, codes)
            });
        }
        let keys = PublicKeys::points(points);
        let expected = codes_of(sm2::verify(engine, digests, signatures, keys).unwrap());
        assert!(
            items < ITEMS || expected.iter().filter(|verdict| verdict.is_ok()).count() > ITEMS / 2
        );
        for keys in [keys, records.raw()] {
            check(engine, "verify", &expected, |engine, _, codes| {
                sm2::verify_into(engine, records.digests(), records.signatures(), keys, codes)
            });
        }
        sm2_messages(engine, &batch, &records);
    }
}

/// Signs and verifies messages with one id for all items, and with ids of which some are too long.
fn sm2_messages(engine: &Engine, batch: &Batch, records: &Records) {
    let messages = messages(batch.len());
    let secret = batch.secret();
    let long = vec![b'i'; sm2::MAX_USER_ID_LEN + 1];
    let ids: Vec<&[u8]> = (0..batch.len())
        .map(|item| {
            if item % 11 == 4 {
                &long[..]
            } else {
                &long[..item]
            }
        })
        .collect();
    for ids in [
        sm2::UserIds::default(),
        sm2::UserIds::all(&long),
        sm2::UserIds::each(&ids),
    ] {
        let signed = sm2::sign_messages(engine, &messages, ids, &secret).unwrap();
        for keys in [SecretKeys::each(&secret), records.secret()] {
            check(engine, "sign messages", &signed, |engine, rows, codes| {
                sm2::sign_messages_into(engine, &messages, ids, keys, rows, codes)
            });
        }
        let signatures: Vec<[u8; 64]> = signed
            .into_iter()
            .map(|signed| signed.unwrap_or([7; 64]))
            .collect();
        for keys in [PublicKeys::points(&batch.points), records.raw()] {
            let expected =
                codes_of(sm2::verify_messages(engine, &messages, ids, &signatures, keys).unwrap());
            check(engine, "verify messages", &expected, |engine, _, codes| {
                sm2::verify_messages_into(engine, &messages, ids, &signatures, keys, codes)
            });
        }
    }
}

/// Asserts that the call failed for a column of this length.
#[track_caller]
fn differs(result: Result<(), Error>, wrong: &str, length: usize) {
    match result {
        Err(Error::LengthMismatch {
            what,
            expected,
            found,
        }) => assert_eq!((what, expected, found), (wrong, 2, length)),
        other => panic!("{other:?} instead of a length mismatch"),
    }
}

/// Batches have as many items as there are codes.
#[apply(on_every_engine)]
fn mismatches(engine: &Engine) {
    const C: Secp256k1 = Secp256k1;
    let policy = Policy::default();
    let form = SForm::Low;
    let codes = &mut [0; 2][..];
    let two = [[1; 32]; 2];
    let two_keys = [[1; 64]; 2];
    let out = &mut [[0; 64]; 2][..];
    let key = SecretKey::from_bytes([1; 32]);
    let [keys, all] = [PublicKeys::raw(&two_keys), PublicKeys::all(&[2; 33])];
    for found in [0, 1, 3] {
        let numbers = vec![[1; 32]; found];
        let rows = vec![[1; 64]; found];
        let ids = vec![[0; 1]; found];
        let wrong = PublicKeys::raw(&rows);
        let secret = vec![key.clone(); found];
        let mut rows_out = vec![[0; 64]; found];
        let mut short = vec![[0; 32]; found];
        let mut addresses = vec![[0; 20]; found];
        differs(
            point::mul_base_into(engine, C, &numbers, out, codes),
            "scalars",
            found,
        );
        differs(
            point::mul_base_into(engine, C, &two, &mut rows_out, codes),
            "points",
            found,
        );
        differs(
            point::add_into(engine, C, wrong, all, out, codes),
            "points",
            found,
        );
        differs(
            point::add_into(engine, C, all, wrong, out, codes),
            "second points",
            found,
        );
        differs(
            point::add_into(engine, C, all, all, &mut rows_out, codes),
            "sums",
            found,
        );
        differs(
            point::double_into(engine, C, wrong, out, codes),
            "points",
            found,
        );
        differs(
            point::double_into(engine, C, all, &mut rows_out, codes),
            "doubles",
            found,
        );
        differs(
            point::mul_into(engine, C, &numbers, keys, out, codes),
            "scalars",
            found,
        );
        differs(
            point::mul_into(engine, C, &two, wrong, out, codes),
            "points",
            found,
        );
        differs(
            point::mul_into(engine, C, &two, keys, &mut rows_out, codes),
            "products",
            found,
        );
        differs(
            keys::public_keys_into(engine, C, &secret, out, codes),
            "secret keys",
            found,
        );
        differs(
            keys::public_keys_into(engine, C, &key, &mut rows_out, codes),
            "public keys",
            found,
        );
        differs(
            ecdh::shared_points_into(engine, C, &secret, keys, out, codes),
            "secret keys",
            found,
        );
        differs(
            ecdh::shared_points_into(engine, C, &key, wrong, out, codes),
            "peers",
            found,
        );
        differs(
            ecdh::shared_secrets_into(engine, C, &key, keys, &mut short, codes),
            "shared secrets",
            found,
        );
        differs(
            ecdsa::verify_into(engine, C, &numbers, &two_keys, keys, policy, codes),
            "digests",
            found,
        );
        differs(
            ecdsa::verify_into(engine, C, &two, &rows, keys, policy, codes),
            "signatures",
            found,
        );
        differs(
            ecdsa::verify_into(engine, C, &two, &two_keys, wrong, policy, codes),
            "public keys",
            found,
        );
        differs(
            ecdsa::sign_into(engine, C, &numbers, &key, form, out, codes),
            "digests",
            found,
        );
        differs(
            ecdsa::sign_into(engine, C, &two, &secret, form, out, codes),
            "secret keys",
            found,
        );
        differs(
            ecdsa::sign_into(engine, C, &two, &key, form, &mut rows_out, codes),
            "signatures",
            found,
        );
        let mut ids_out = vec![0; found];
        differs(
            ecdsa::sign_recoverable_into(engine, C, &two, &key, form, out, &mut ids_out, codes),
            "recovery ids",
            found,
        );
        differs(
            ecdsa::sign_recoverable_into(
                engine,
                C,
                &two,
                &key,
                form,
                &mut rows_out,
                &mut [0; 2],
                codes,
            ),
            "signatures",
            found,
        );
        let messages = vec!["a"; found];
        let ids_of = vec![&b"id"[..]; found];
        let id = sm2::UserIds::default();
        let ids_of = sm2::UserIds::each(&ids_of);
        differs(
            ecdsa::sign_messages_into(engine, C, &messages, &key, form, out, codes),
            "messages",
            found,
        );
        differs(
            ecdsa::sign_messages_into(engine, C, &["a"; 2], &secret, form, out, codes),
            "secret keys",
            found,
        );
        differs(
            ecdsa::verify_messages_into(engine, C, &messages, &two_keys, keys, policy, codes),
            "messages",
            found,
        );
        differs(
            ecdsa::verify_messages_into(engine, C, &["a"; 2], &two_keys, wrong, policy, codes),
            "public keys",
            found,
        );
        differs(
            sm2::sign_messages_into(engine, &messages, id, &key, out, codes),
            "messages",
            found,
        );
        differs(
            sm2::sign_messages_into(engine, &["a"; 2], ids_of, &key, out, codes),
            "user ids",
            found,
        );
        differs(
            sm2::sign_messages_into(engine, &["a"; 2], id, &key, &mut rows_out, codes),
            "signatures",
            found,
        );
        differs(
            sm2::verify_messages_into(engine, &["a"; 2], id, &rows, keys, codes),
            "signatures",
            found,
        );
        differs(
            sm2::verify_messages_into(engine, &["a"; 2], ids_of, &two_keys, keys, codes),
            "user ids",
            found,
        );
        differs(
            point::decode_keys_into(engine, C, wrong, out, codes),
            "public keys",
            found,
        );
        differs(
            point::decode_keys_into(engine, C, keys, &mut rows_out, codes),
            "points",
            found,
        );
        differs(
            ecdsa::recover_into(engine, C, &two, &two_keys, &ids, out, codes),
            "recovery ids",
            found,
        );
        differs(
            ecdsa::recover_into(
                engine,
                C,
                &two,
                &two_keys,
                Rows::all(&[0]),
                &mut rows_out,
                codes,
            ),
            "keys",
            found,
        );
        differs(
            ecdsa::recover_addresses_into(
                engine,
                &two,
                &two_keys,
                Rows::all(&[0]),
                &mut addresses,
                codes,
            ),
            "addresses",
            found,
        );
        differs(
            sm2::verify_into(engine, &two, &rows, keys, codes),
            "signatures",
            found,
        );
        differs(
            sm2::sign_into(engine, &two, &key, &mut rows_out, codes),
            "signatures",
            found,
        );
    }
    assert_eq!(codes, [0; 2]);
    assert!(out.iter().all(|row| *row == [0; 64]));
}
