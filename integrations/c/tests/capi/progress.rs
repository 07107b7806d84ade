//! Long calls that ask whether they shall go on.

use super::{Handle, NO_DATA, cpu, expect_failure, expect_ok, keys, one, rows, strings};
use crate::capi::ecdsa::{gecc_ecdsa_sign, gecc_ecdsa_sign_messages};
use crate::capi::keys::{gecc_generate_keys, gecc_public_keys};
use crate::capi::point::gecc_mul_base;
use crate::capi::progress::gecc_on_progress;
use crate::capi::status::GeccStatus;
use crate::capi::sums::gecc_msm;
use std::ffi::c_void;
use std::ptr::null_mut;

const SECP256K1: i32 = 1;
/// Several pieces of an engine with two threads.
const ITEMS: usize = 20_000;

/// What a function was asked, and after how many items it ends the call.
#[derive(Default)]
struct Asked {
    times: Vec<(usize, usize)>,
    end_after: Option<usize>,
    /// An engine with which a call is made in between.
    engine: Option<Handle>,
}

unsafe extern "C" fn ask(context: *mut c_void, done: usize, items: usize) -> bool {
    let asked = unsafe { &mut *context.cast::<Asked>() };
    asked.times.push((done, items));
    if let Some(engine) = &asked.engine {
        // Its own calls ask nobody.
        assert_eq!(public_keys(engine, ITEMS).0, GeccStatus::Ok);
    }
    asked.end_after.is_some_and(|end| done >= end)
}

/// Runs a call while this thread is asked.
fn while_asked<T>(asked: &mut Asked, run: impl FnOnce() -> T) -> T {
    unsafe { gecc_on_progress(Some(ask), (&raw mut *asked).cast()) };
    let result = run();
    unsafe { gecc_on_progress(None, null_mut()) };
    result
}

fn public_keys(engine: &Handle, items: usize) -> (GeccStatus, Vec<u8>, Vec<[u8; 64]>) {
    let (mut codes, mut points) = (vec![7; items], vec![[7; 64]; items]);
    let status = unsafe {
        let (to, codes_to) = (points.as_mut_ptr().cast(), codes.as_mut_ptr());
        gecc_public_keys(engine.0, SECP256K1, items, one(&[3; 32]), to, codes_to)
    };
    (status, codes, points)
}

pub fn a_call_goes_on_or_ends() {
    let engine = cpu();
    let whole = public_keys(&engine, ITEMS);
    assert_eq!(whole.0, GeccStatus::Ok);
    let mut asked = Asked::default();
    let in_pieces = while_asked(&mut asked, || public_keys(&engine, ITEMS));
    assert!(in_pieces == whole);
    assert!(
        !asked.times.is_empty() && asked.times.is_sorted(),
        "{:?}",
        asked.times
    );
    assert!(
        asked
            .times
            .iter()
            .all(|(done, items)| (1..ITEMS).contains(done) && *items == ITEMS)
    );

    let mut asked = Asked {
        end_after: Some(1),
        ..Asked::default()
    };
    let (status, codes, _) = while_asked(&mut asked, || public_keys(&engine, ITEMS));
    expect_failure(status, GeccStatus::Cancelled, "ended by the caller after");
    assert_eq!(asked.times.len(), 1);
    assert!(codes.iter().all(|code| *code == 0));

    // Few items are one piece, and nobody is asked any more.
    let mut asked = Asked {
        end_after: Some(0),
        ..Asked::default()
    };
    while_asked(&mut asked, || expect_ok(public_keys(&engine, 10).0));
    expect_ok(public_keys(&engine, ITEMS).0);
    assert!(asked.times.is_empty());
}

pub fn a_call_in_between_asks_nobody() {
    let engine = cpu();
    let mut asked = Asked {
        engine: Some(cpu()),
        ..Asked::default()
    };
    expect_ok(while_asked(&mut asked, || public_keys(&engine, ITEMS).0));
    assert!(asked.times.iter().all(|(_, items)| *items == ITEMS));
    assert!(
        asked.times.is_sorted_by(|one, other| one < other),
        "{:?}",
        asked.times
    );
}

/// Another thread is not asked.
pub fn functions_are_of_their_thread() {
    let engine = cpu();
    let mut asked = Asked {
        end_after: Some(0),
        ..Asked::default()
    };
    while_asked(&mut asked, || {
        std::thread::scope(|scope| {
            scope
                .spawn(|| expect_ok(public_keys(&engine, ITEMS).0))
                .join()
                .unwrap()
        });
    });
    assert!(asked.times.is_empty());
}

/// Calls of every kind return the same results in pieces as at once.
pub fn pieces_make_the_whole() {
    let engine = cpu();
    let scalars: Vec<[u8; 32]> = (1..=ITEMS as u64).map(|item| *array_of(item)).collect();
    let texts: Vec<Vec<u8>> = (0..ITEMS).map(|item| vec![item as u8; item % 7]).collect();
    let messages = strings(texts.iter().map(Vec::as_slice));
    let run = || {
        let (mut points, mut signatures, mut of_messages) = (
            vec![[0; 64]; ITEMS],
            vec![[0; 64]; ITEMS],
            vec![[0; 64]; ITEMS],
        );
        let (mut codes, mut sum, mut code, mut bad) = (vec![0; ITEMS], [0; 64], 0, 0);
        unsafe {
            let codes_to = codes.as_mut_ptr();
            let to = points.as_mut_ptr().cast();
            expect_ok(gecc_mul_base(
                engine.0,
                SECP256K1,
                ITEMS,
                rows(&scalars),
                to,
                codes_to,
            ));
            let to = signatures.as_mut_ptr().cast();
            let (digests, secrets) = (rows(&scalars), rows(&scalars));
            expect_ok(gecc_ecdsa_sign(
                engine.0, SECP256K1, ITEMS, digests, secrets, secrets, 0, to, codes_to,
            ));
            let to = of_messages.as_mut_ptr().cast();
            let texts = messages.as_ptr();
            expect_ok(gecc_ecdsa_sign_messages(
                engine.0, SECP256K1, ITEMS, texts, secrets, NO_DATA, 0, to, codes_to,
            ));
            let (sum_to, key) = (sum.as_mut_ptr(), keys(&points));
            expect_ok(gecc_msm(
                engine.0,
                SECP256K1,
                ITEMS,
                rows(&scalars),
                key,
                sum_to,
                &mut code,
                &mut bad,
            ));
        }
        assert_eq!((code, bad), (1, ITEMS));
        (points, signatures, of_messages, codes, sum)
    };
    let mut asked = Asked::default();
    assert!(while_asked(&mut asked, run) == run());
    assert!(asked.times.len() >= 4, "{:?}", asked.times);
}

fn array_of(number: u64) -> Box<[u8; 32]> {
    let mut bytes = Box::new([0; 32]);
    bytes[24..].copy_from_slice(&number.to_be_bytes());
    bytes
}

/// A bad item of a later piece has its number in the whole.
pub fn a_bad_item_of_a_sum_is_counted_from_the_first() {
    let (engine, bad) = (cpu(), ITEMS - 3);
    let mut scalars = vec![[1; 32]; ITEMS];
    scalars[bad] = [0xff; 32];
    let generator = public_keys(&engine, 1).2;
    let (mut sum, mut code, mut item) = ([0; 64], 0, 0);
    let one_point = super::GeccKeys {
        stride: 0,
        ..keys(&generator)
    };
    let mut asked = Asked::default();
    expect_ok(while_asked(&mut asked, || unsafe {
        gecc_msm(
            engine.0,
            SECP256K1,
            ITEMS,
            rows(&scalars),
            one_point,
            sum.as_mut_ptr(),
            &mut code,
            &mut item,
        )
    }));
    assert!(!asked.times.is_empty());
    assert_eq!(
        (code, item, sum),
        (gecc::Rejection::ScalarOutOfRange.code(), bad, [0; 64])
    );
}

pub fn keys_that_were_not_all_made_are_wiped() {
    let engine = cpu();
    let (mut secrets, mut points) = (vec![[7; 32]; ITEMS], vec![[7; 64]; ITEMS]);
    let mut generate = |asked: &mut Asked| {
        let status = while_asked(asked, || unsafe {
            let (to, points_to) = (secrets.as_mut_ptr().cast(), points.as_mut_ptr().cast());
            gecc_generate_keys(engine.0, SECP256K1, ITEMS, to, points_to)
        });
        (status, secrets.clone(), points.clone())
    };
    let (status, secrets, points) = generate(&mut Asked {
        end_after: Some(0),
        ..Asked::default()
    });
    expect_failure(status, GeccStatus::Cancelled, "ended by the caller");
    assert!(
        secrets
            .as_flattened()
            .iter()
            .chain(points.as_flattened())
            .all(|byte| *byte == 0)
    );
    let (status, secrets, points) = generate(&mut Asked::default());
    expect_ok(status);
    let (mut codes, mut again) = (vec![0; ITEMS], vec![[0; 64]; ITEMS]);
    expect_ok(unsafe {
        let to = again.as_mut_ptr().cast();
        gecc_public_keys(
            engine.0,
            SECP256K1,
            ITEMS,
            rows(&secrets),
            to,
            codes.as_mut_ptr(),
        )
    });
    assert!(again == points && codes.iter().all(|code| *code == 1));
    assert!(secrets.windows(2).all(|two| two[0] != two[1]));
}
