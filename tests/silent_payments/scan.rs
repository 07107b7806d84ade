//! Scanning against libsecp256k1, and adversarial rows.

use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use crate::support::silent_payments::{
    Reference, number, prefix, public_key, rows_match_libsecp256k1, tagged,
};
use gecc::silent_payments::{self, Outputs, Receiver};
use gecc::{Engine, Error, PublicKeys, Rejection, Secp256k1, SecretKey, Verdict};
use secp256k1::PublicKey;

/// Rows of which some pay one of two receivers, in each encoding of tweak points.
#[apply(on_every_engine)]
fn payments_of_libsecp256k1_are_found(engine: &Engine) {
    const ROWS: usize = 600;
    let mut random = Random::new();
    let references = [
        Reference::new(&mut random, &[]),
        Reference::new(&mut random, &[0, 7]),
    ];
    let receivers = references.each_ref().map(Reference::receiver);
    let mut points = Vec::new();
    let mut offsets = vec![0];
    let mut outputs = Vec::new();
    let mut known = Vec::new();
    for row in 0..ROWS {
        let point =
            PublicKey::from_slice(&public_key(&random.scalar_bytes::<Secp256k1>())).unwrap();
        let mut of_row = vec![random.bytes(); random.below(3)];
        if row % 7 == 3 {
            let receiver = row % 2;
            for k in 0..1 + random.below(3) as u32 {
                let label =
                    (receiver == 1 && random.below(2) == 0).then_some([0, 7][random.below(2)]);
                known.push((row, receiver, k, label, of_row.len()));
                of_row.push(references[receiver].output(&point, k, label));
            }
        }
        outputs.extend(&of_row);
        offsets.push(outputs.len() as u64);
        points.push(point);
    }
    let outputs_of = Outputs::x_only(&offsets, &outputs).unwrap();
    let compressed: Vec<[u8; 33]> = points.iter().map(PublicKey::serialize).collect();
    let raw: Vec<[u8; 64]> = points
        .iter()
        .map(|point| point.serialize_uncompressed()[1..].try_into().unwrap())
        .collect();
    for keys in [PublicKeys::compressed(&compressed), PublicKeys::raw(&raw)] {
        let found = silent_payments::scan(engine, &receivers, keys, outputs_of).unwrap();
        assert!(found.codes.iter().all(|code| *code == Verdict::VALID_CODE));
        let told: Vec<_> = found
            .matches
            .iter()
            .map(|of| (of.row, of.receiver, of.k, of.label, of.output))
            .collect();
        assert_eq!(told, known);
        for of in &found.matches {
            // The key of the output is the spend key plus the tweak's multiple of G.
            let paid = references[of.receiver]
                .spend
                .add_exp_tweak(&number(of.tweak.expose_bytes()))
                .unwrap();
            let x = paid.x_only_public_key().0.to_byte_array();
            assert_eq!(x, outputs[offsets[of.row] as usize + of.output]);
        }
    }
}

/// A small run of the soak test's comparison.
#[apply(on_every_engine)]
fn payments_in_rows_of_one_output_are_found(engine: &Engine) {
    rows_match_libsecp256k1(engine, &mut Random::new(), 3000, &[0, 3]);
    // On the CPU sums with several labels share an inversion, and the last of these are fewer.
    rows_match_libsecp256k1(engine, &mut Random::new(), 200, &Vec::from_iter(0..45));
}

/// Finds payments to labels of which only the points are known: the same payments, with the labels'
/// positions, and with tweaks that lack the labels' numbers.
#[apply(on_every_engine)]
fn payments_to_label_points_are_found(engine: &Engine) {
    let mut random = Random::new();
    let reference = Reference::new(&mut random, &[3, 9]);
    let scalars =
        [3_u32, 9].map(|label| tagged("BIP0352/Label", &[&reference.scan, &label.to_be_bytes()]));
    let compressed = public_key(&scalars[0]);
    let uncompressed = PublicKey::from_slice(&public_key(&scalars[1])).unwrap();
    let scan = || SecretKey::from_bytes(reference.scan);
    let spend = reference.spend.serialize();
    let with =
        |points: &[&[u8]]| Receiver::with_label_points(scan(), &spend, points.iter().copied());
    let receiver = with(&[&compressed, &uncompressed.serialize_uncompressed()]).unwrap();
    assert_eq!(receiver.spend_keys(), reference.receiver().spend_keys());
    let points = [0; 6].map(|_| public_key(&random.scalar_bytes::<Secp256k1>()));
    let labels = [None, Some(3), Some(9)].into_iter().cycle();
    let outputs: Vec<[u8; 32]> = points
        .iter()
        .zip(labels)
        .map(|(point, label)| reference.output(&PublicKey::from_slice(point).unwrap(), 0, label))
        .collect();
    let outputs_of = Outputs::x_only(&[0, 1, 2, 3, 4, 5, 6], &outputs).unwrap();
    let found = silent_payments::scan(
        engine,
        &[reference.receiver(), receiver],
        &points,
        outputs_of,
    )
    .unwrap();
    assert_eq!(found.matches.len(), 12);
    for of_row in found.matches.chunks(2) {
        let place = of_row[0].row % 3;
        assert_eq!(
            (of_row[0].label, of_row[1].label),
            (
                [None, Some(3), Some(9)][place],
                [None, Some(0), Some(1)][place]
            )
        );
        let without =
            secp256k1::SecretKey::from_secret_bytes(*of_row[1].tweak.expose_bytes()).unwrap();
        let with = place.checked_sub(1).map_or(without, |label| {
            without.add_tweak(&number(&scalars[label])).unwrap()
        });
        assert_eq!(with.to_secret_bytes(), *of_row[0].tweak.expose_bytes());
    }
    assert_eq!(
        with(&[&compressed[..32]]).err(),
        Some(Rejection::MalformedPoint)
    );
    assert_eq!(
        with(&[&reference.spend.negate().serialize()]).err(),
        Some(Rejection::IdentityResult)
    );
}

/// A row: a tweak point, outputs, and its findings by k, label and place.
type Row = (Vec<u8>, Vec<[u8; 32]>, Vec<(u32, Option<u32>, usize)>);

/// Rows with special points and outputs, each between ordinary ones.
#[apply(on_every_engine)]
fn adversarial_rows_do_not_change_others(engine: &Engine) {
    let mut random = Random::new();
    let mut reference = Reference::new(&mut random, &[3, 4]);
    // B = s G, and b with a known inverse: T = b^-1 B and its opposite lead to S = B and S = -B.
    let inverse = random.scalar::<Secp256k1>();
    let b = Option::<k256::Scalar>::from(k256::elliptic_curve::Field::invert(&inverse)).unwrap();
    reference.scan = b.to_bytes().into();
    let spend_over_b = reference
        .spend
        .mul_tweak(&number(&inverse.to_bytes().into()))
        .unwrap();
    let one = public_key(&number_bytes(1));
    let ordinary = PublicKey::from_slice(&public_key(&random.scalar_bytes::<Secp256k1>())).unwrap();
    let x_of_b = reference.spend.x_only_public_key().0.to_byte_array();
    let other = random.bytes();
    let mut rows: Vec<Row> = Vec::new();
    let pays = |point: &PublicKey, payments: &[(u32, Option<u32>)], found: usize| -> Row {
        let mut outputs = vec![other, x_of_b];
        outputs.extend(
            payments
                .iter()
                .map(|(k, label)| reference.output(point, *k, *label)),
        );
        let found = payments[..found]
            .iter()
            .enumerate()
            .map(|(place, (k, label))| (*k, *label, 2 + place))
            .collect();
        (point.serialize().to_vec(), outputs, found)
    };
    for small in 1..20 {
        let point = PublicKey::from_slice(&public_key(&number_bytes(small))).unwrap();
        rows.push(pays(&point, &[(0, None), (1, Some(4))], 2));
        rows.push(pays(&point.negate(), &[(0, Some(3))], 1));
    }
    for point in [spend_over_b, spend_over_b.negate()] {
        assert_eq!(
            point
                .mul_tweak(&number(&reference.scan))
                .unwrap()
                .x_only_public_key()
                .0
                .to_byte_array(),
            x_of_b
        );
        rows.push(pays(&point, &[(0, None)], 1));
    }
    // k = 2 without k = 1; k = 1 without k = 0; a label that is not in use.
    rows.push(pays(&ordinary, &[(0, None), (2, None)], 1));
    rows.push(pays(&ordinary, &[(0, None), (2, Some(3)), (4, None)], 1));
    rows.push(pays(&ordinary, &[(1, None)], 0));
    rows.push(pays(&ordinary, &[(0, Some(5))], 0));
    // Equal outputs, and two labels with one k: all of them are reported.
    rows.push(pays(&ordinary, &[(0, None), (0, None), (1, None)], 3));
    rows.push(pays(
        &ordinary,
        &[(0, None), (0, Some(3)), (1, Some(3)), (1, Some(4))],
        4,
    ));
    rows.push(pays(
        &ordinary,
        &[
            (0, None),
            (1, None),
            (2, None),
            (3, None),
            (4, Some(4)),
            (5, None),
        ],
        6,
    ));
    rows.push((ordinary.serialize().to_vec(), vec![], vec![]));
    // No points, with outputs that would match the point that devices compute with in their place.
    let generator = PublicKey::from_slice(&one).unwrap();
    let mut off_curve = vec![2; 33];
    let mut too_large = vec![0xff; 33];
    off_curve[1..].copy_from_slice(&number_bytes(5));
    too_large[0] = 2;
    let bad = [off_curve, too_large, vec![0], vec![5; 33], vec![]];
    let first_bad = rows.len();
    rows.extend(bad.iter().map(|point| {
        (
            point.clone(),
            vec![reference.output(&generator, 0, None), [0; 32]],
            vec![],
        )
    }));
    rows.push(pays(&ordinary, &[(0, None)], 1));
    check(engine, &reference, &rows, first_bad);
}

fn number_bytes(number: u8) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[31] = number;
    bytes
}

fn check(engine: &Engine, reference: &Reference, rows: &[Row], first_bad: usize) {
    let points: Vec<&[u8]> = rows.iter().map(|(point, ..)| point.as_slice()).collect();
    let mut offsets = vec![0];
    let mut outputs = Vec::new();
    for (_, of_row, _) in rows {
        outputs.extend(of_row);
        offsets.push(outputs.len() as u64);
    }
    let prefixes: Vec<u64> = outputs.iter().map(prefix).collect();
    let columns = [
        Outputs::x_only(&offsets, &outputs),
        Outputs::prefixes(&offsets, &prefixes),
    ];
    for column in columns.map(Result::unwrap) {
        let found =
            silent_payments::scan(engine, &[reference.receiver()], &points, column).unwrap();
        for (row, (.., known)) in rows.iter().enumerate() {
            let mut told: Vec<_> = found.matches.iter().filter(|of| of.row == row).collect();
            told.sort_by_key(|of| (of.k, of.label, of.output));
            let told: Vec<_> = told
                .into_iter()
                .map(|of| (of.k, of.label, of.output))
                .collect();
            assert_eq!(&told, known, "row {row}");
        }
        let reasons = [
            Rejection::NotOnCurve,
            Rejection::MalformedPoint,
            Rejection::IdentityKey,
            Rejection::MalformedPoint,
            Rejection::MalformedPoint,
        ];
        for (row, code) in found.codes.iter().enumerate() {
            let reason = row
                .checked_sub(first_bad)
                .and_then(|place| reasons.get(place));
            assert_eq!(
                *code,
                reason.map_or(Verdict::VALID_CODE, |reason| reason.code()),
                "row {row}"
            );
        }
    }
}

/// Inputs that a call refuses, and those that a receiver cannot be made of.
#[apply(on_every_engine)]
fn invalid_inputs_are_errors(engine: &Engine) {
    let mut random = Random::new();
    let reference = Reference::new(&mut random, &[]);
    let receiver = [reference.receiver()];
    let point = [reference.spend.serialize()];
    let outputs = [[1; 32]; 3];
    for offsets in [&[][..], &[0, 4], &[2, 1], &[u64::MAX, 0]] {
        assert!(
            matches!(
                Outputs::x_only(offsets, &outputs),
                Err(Error::InvalidColumn(_))
            ),
            "{offsets:?}"
        );
        assert!(
            matches!(
                Outputs::prefixes(offsets, &[1, 2, 3]),
                Err(Error::InvalidColumn(_))
            ),
            "{offsets:?}"
        );
    }
    let two_rows = Outputs::x_only(&[0, 1, 3], &outputs).unwrap();
    let found = silent_payments::scan(engine, &receiver, &point, two_rows);
    assert!(matches!(
        found,
        Err(Error::LengthMismatch {
            expected: 2,
            found: 1,
            ..
        })
    ));
    assert!(silent_payments::index(engine, &[[0; 36]; 2], &point).is_err());
    // No row, and no receiver.
    let none: [[u8; 33]; 0] = [];
    let found = silent_payments::scan(
        engine,
        &receiver,
        &none,
        Outputs::x_only(&[0], &outputs).unwrap(),
    )
    .unwrap();
    assert!(found.codes.is_empty() && found.matches.is_empty());
    let one_row = Outputs::x_only(&[0, 3], &outputs).unwrap();
    let found = silent_payments::scan(engine, &[], &point, one_row).unwrap();
    assert!(found.codes == [Verdict::VALID_CODE] && found.matches.is_empty());
    let bad_scan = Receiver::new(SecretKey::from_bytes([0xff; 32]), &point[0], &[]);
    assert_eq!(bad_scan.err(), Some(Rejection::SecretKeyOutOfRange));
    let bad_spend = Receiver::new(SecretKey::from_bytes([1; 32]), &[2; 32], &[]);
    assert_eq!(bad_spend.err(), Some(Rejection::MalformedPoint));
    let shown = format!("{:?}", reference.receiver());
    assert!(!shown.contains(&hex::encode(reference.scan)), "{shown}");
}
