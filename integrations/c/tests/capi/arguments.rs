//! Arguments that calls reject, and arguments that they accept.

use super::{
    COMPRESSED, Handle, NO_DATA, cpu, expect_failure, expect_ok, keys, last_error, no_options, one,
    rows,
};
use crate::capi::buffer::{
    gecc_buffer_data, gecc_buffer_free, gecc_buffer_is_locked, gecc_buffer_new,
};
use crate::capi::choices::{GeccCurve, gecc_curve_by_name};
use crate::capi::codes::{GeccCode, gecc_code_text, gecc_count_valid};
use crate::capi::ecdsa::{gecc_ecdsa_sign, gecc_ecdsa_verify};
use crate::capi::engine::*;
use crate::capi::memory::{GeccBytes, GeccKeys, GeccRows, Memory};
use crate::capi::point::{gecc_add, gecc_mul, gecc_mul_base};
use crate::capi::sm2::{gecc_sm2_sign_messages, gecc_sm2_verify_messages};
use crate::capi::status::GeccStatus::{self, InvalidArgument, NoScheme, NullPointer, OutOfMemory};
use crate::capi::status::call;
use crate::capi::status::{GECC_ABI_VERSION, gecc_abi_version};
use crate::capi::sums::{gecc_msm, gecc_sum};
use crate::harness::needs::GPU;
use gecc::Rejection;
use std::ffi::CStr;
use std::panic::resume_unwind;
use std::ptr::{null, null_mut};

const SECP256K1: i32 = GeccCurve::Secp256k1 as i32;
const NOTHING: GeccRows = GeccRows {
    data: null(),
    stride: 32,
};

pub fn null_is_refused() {
    let (engine, scalars) = (cpu(), [[1; 32]; 2]);
    let (mut points, mut codes) = ([[0xaa; 64]; 2], [0xaa; 2]);
    let call = |engine, scalars, points: *mut u8, codes: *mut u8| unsafe {
        gecc_mul_base(engine, SECP256K1, 2, scalars, points, codes)
    };
    let (out, verdicts) = (points.as_mut_ptr().cast(), codes.as_mut_ptr());
    expect_failure(
        call(null(), rows(&scalars), out, verdicts),
        NullPointer,
        "engine",
    );
    expect_failure(
        call(engine.0, NOTHING, out, verdicts),
        NullPointer,
        "scalars",
    );
    expect_failure(
        call(engine.0, rows(&scalars), null_mut(), verdicts),
        NullPointer,
        "points",
    );
    expect_failure(
        call(engine.0, rows(&scalars), out, null_mut()),
        NullPointer,
        "codes",
    );
    expect_failure(
        unsafe { gecc_engine_new(null(), null_mut()) },
        NullPointer,
        "engine",
    );
    expect_failure(
        unsafe { gecc_buffer_new(engine.0, 1, null_mut()) },
        NullPointer,
        "buffer",
    );
    expect_failure(
        unsafe { gecc_curve_by_name(null(), &mut GeccCurve::Sm2) },
        NullPointer,
        "name",
    );
    expect_failure(
        unsafe { gecc_curve_by_name(c"p256".as_ptr(), null_mut()) },
        NullPointer,
        "curve",
    );
    // Refused arguments leave results as they were.
    assert_eq!((points, codes), ([[0xaa; 64]; 2], [0xaa; 2]));
    unsafe {
        gecc_engine_free(null_mut());
        gecc_buffer_free(null_mut());
        assert!(gecc_buffer_data(null()).is_null() && !gecc_buffer_is_locked(null()));
    }
}

pub fn numbers_are_refused() {
    let (engine, digests, signatures, points) = (cpu(), [[1; 32]], [[1; 64]], [[2; 33]]);
    let mut codes = [0];
    let mut verify = |curve, encoding, policy| unsafe {
        let key = GeccKeys {
            encoding,
            ..keys(&points)
        };
        gecc_ecdsa_verify(
            engine.0,
            curve,
            1,
            rows(&digests),
            rows(&signatures),
            key,
            policy,
            codes.as_mut_ptr(),
        )
    };
    expect_ok(verify(SECP256K1, COMPRESSED, 0));
    for number in [i32::MIN, -1, 0, 5, i32::MAX] {
        expect_failure(verify(number, COMPRESSED, 0), InvalidArgument, "curve");
    }
    for number in [-33, 0, 1, 31, 66] {
        expect_failure(verify(SECP256K1, number, 0), InvalidArgument, "encoding");
    }
    expect_failure(verify(SECP256K1, COMPRESSED, 2), InvalidArgument, "policy");
    expect_failure(
        verify(GeccCurve::Sm2 as i32, COMPRESSED, 0),
        NoScheme,
        "ECDSA",
    );
    let mut signatures = [[0; 64]];
    let signed = unsafe {
        let (digests, out) = (rows(&digests), signatures.as_mut_ptr().cast());
        gecc_ecdsa_sign(
            engine.0,
            SECP256K1,
            1,
            digests,
            digests,
            NO_DATA,
            3,
            out,
            codes.as_mut_ptr(),
        )
    };
    expect_failure(signed, InvalidArgument, "form of s");
    let mut curve = GeccCurve::Sm2;
    for name in [
        c"p256",
        c"P-256",
        c"secp256r1",
        c"prime256v1",
        c"1.2.840.10045.3.1.7",
    ] {
        expect_ok(unsafe { gecc_curve_by_name(name.as_ptr(), &mut curve) });
        assert_eq!(curve, GeccCurve::P256);
    }
    let unknown = "no curve is called `p-384`; the curves are";
    expect_failure(
        unsafe { gecc_curve_by_name(c"p-384".as_ptr(), &mut curve) },
        InvalidArgument,
        unknown,
    );
    expect_failure(
        unsafe { gecc_curve_by_name(c"\xff".as_ptr(), &mut curve) },
        InvalidArgument,
        "UTF-8",
    );
    expect_failure(
        unsafe { gecc_engine_warm_up(engine.0, 9) },
        InvalidArgument,
        "curve",
    );
    for curve in 1..=4 {
        expect_ok(unsafe { gecc_engine_warm_up(engine.0, curve) });
    }
    assert_eq!(gecc_abi_version(), GECC_ABI_VERSION);
}

fn new_engine(options: *const GeccEngineOptions) -> GeccStatus {
    let mut engine = null_mut();
    let status = unsafe { gecc_engine_new(options, &mut engine) };
    assert_eq!(engine.is_null(), status != GeccStatus::Ok);
    unsafe { gecc_engine_free(engine) };
    status
}

pub fn options_of_other_sizes() {
    /// As a later version might have them.
    #[repr(C)]
    struct Later {
        known: GeccEngineOptions,
        more: [u64; 4],
    }
    expect_ok(new_engine(null()));
    let cpu = GeccEngineOptions {
        backend: 1,
        ..no_options()
    };
    expect_ok(new_engine(&cpu));
    for size in [0, 1, cpu.size - 1, 4097, usize::MAX] {
        expect_failure(
            new_engine(&GeccEngineOptions { size, ..cpu }),
            InvalidArgument,
            "size",
        );
    }
    let mut later = Later {
        known: GeccEngineOptions {
            size: size_of::<Later>(),
            ..cpu
        },
        more: [0; 4],
    };
    expect_ok(new_engine((&raw const later).cast()));
    later.more[3] = 1;
    expect_failure(
        new_engine((&raw const later).cast()),
        InvalidArgument,
        "does not know",
    );
    expect_failure(
        new_engine(&GeccEngineOptions { backend: 3, ..cpu }),
        InvalidArgument,
        "backend",
    );
    expect_failure(
        new_engine(&GeccEngineOptions {
            check_signatures: 2,
            ..cpu
        }),
        InvalidArgument,
        "check_signatures",
    );
    expect_failure(
        new_engine(&GeccEngineOptions {
            batch_verification: 2,
            ..cpu
        }),
        InvalidArgument,
        "batch_verification",
    );
    expect_failure(
        new_engine(&GeccEngineOptions {
            threads: 5000,
            ..cpu
        }),
        InvalidArgument,
        "threads",
    );
    let misaligned = (&raw const cpu).cast::<u8>().wrapping_add(1);
    expect_failure(new_engine(misaligned.cast()), InvalidArgument, "aligned");
}

pub fn options_are_passed_on() {
    let memory = GeccEngineOptions {
        max_memory: 1 << 26,
        ..no_options()
    };
    let options = GeccEngineOptions {
        backend: 1,
        threads: 3,
        check_signatures: 1,
        batch_verification: 1,
        ..memory
    };
    let mut engine = null_mut();
    expect_ok(unsafe { gecc_engine_new(&options, &mut engine) });
    let engine = Handle(engine);
    let info = unsafe { engine_of(engine.0) }.unwrap().info();
    assert_eq!((info.backend, info.threads), (gecc::Backend::Cpu, 3));
    assert_eq!(
        (info.max_memory, info.check_signatures),
        (Some(1 << 26), true)
    );
    assert!(info.batch_verification);
}

pub fn gpus_are_used_or_missed() {
    let status = new_engine(&GeccEngineOptions {
        backend: 2,
        ..no_options()
    });
    match GPU.problem() {
        Some(problem) => expect_failure(status, GeccStatus::NoDevice, problem),
        None => expect_ok(status),
    }
}

/// A panic ends as a status, and takes the codes and keys that were written so far with it.
pub fn no_panic_gets_out() {
    let (mut codes, mut keys, mut memory) = ([0xaa; 3], [[0xaa_u8; 32]; 3], Memory::of(3));
    let codes_out = memory.writes::<1>("codes", codes.as_mut_ptr()).unwrap();
    let keys_out = memory
        .writes::<32>("secret_keys", keys.as_mut_ptr().cast())
        .unwrap();
    let status = call(|| unsafe {
        keys_out.complete(|keys| {
            keys[40] = 1;
            codes_out.complete(|codes| {
                codes[0] = 1;
                // Without a message that looks like a failed test's.
                resume_unwind(Box::new("as a test wants it"))
            })
        })
    });
    expect_failure(status, GeccStatus::Panic, "defect");
    assert!(!last_error().contains("test"));
    assert_eq!((codes, keys), ([0; 3], [[0; 32]; 3]));
}

pub fn strides_and_sizes() {
    let (engine, scalars) = (cpu(), [[1; 32]; 4]);
    let (mut points, mut codes) = ([[0; 64]; 4], [0; 4]);
    let mut call = |stride, items| unsafe {
        let scalars = GeccRows {
            stride,
            ..rows(&scalars)
        };
        gecc_mul_base(
            engine.0,
            SECP256K1,
            items,
            scalars,
            points.as_mut_ptr().cast(),
            codes.as_mut_ptr(),
        )
    };
    for stride in [0, 32, 40] {
        expect_ok(call(stride, 3));
    }
    for stride in [1, 31] {
        expect_failure(call(stride, 3), InvalidArgument, "stride");
        expect_failure(call(stride, 1), InvalidArgument, "stride");
        // Without rows the stride is ignored.
        expect_ok(call(stride, 0));
    }
    for stride in [usize::MAX, usize::MAX / 2, usize::MAX / 3 + 1] {
        expect_failure(call(stride, 4), InvalidArgument, "address space");
        // One row has no distance to another.
        expect_ok(call(stride, 1));
    }
    for items in [
        usize::MAX,
        usize::MAX / 2 + 1,
        usize::MAX / 64,
        usize::MAX / 128 + 1,
    ] {
        expect_failure(call(32, items), InvalidArgument, "address space");
        expect_failure(call(0, items), InvalidArgument, "address space");
    }
    let mut buffer = null_mut();
    for bytes in [usize::MAX, usize::MAX / 2, 1 << 60] {
        expect_failure(
            unsafe { gecc_buffer_new(engine.0, bytes, &mut buffer) },
            OutOfMemory,
            "bytes",
        );
        assert!(buffer.is_null());
    }
}

/// The result of a sum is one, however many items there are.
pub fn results_of_sums() {
    let (engine, points) = (cpu(), [[1; 64]; 2]);
    let (mut sum, mut code, mut bad_item) = ([0xaa; 64], 0xaa, 7);
    let (to, code_to, item_to) = (sum.as_mut_ptr(), &raw mut code, &raw mut bad_item);
    let add = |items, points, sum, code, bad_item| unsafe {
        gecc_sum(engine.0, SECP256K1, items, points, sum, code, bad_item)
    };
    for items in [0, 2] {
        expect_failure(
            add(items, keys(&points), null_mut(), code_to, item_to),
            NullPointer,
            "sum",
        );
        expect_failure(
            add(items, keys(&points), to, null_mut(), item_to),
            NullPointer,
            "code",
        );
        expect_failure(
            add(items, keys(&points), to, code_to, null_mut()),
            NullPointer,
            "bad_item",
        );
        let misaligned = item_to.cast::<u8>().wrapping_add(1).cast();
        expect_failure(
            add(items, keys(&points), to, code_to, misaligned),
            InvalidArgument,
            "aligned",
        );
        expect_failure(
            add(items, keys(&points), to, to.wrapping_add(63), item_to),
            InvalidArgument,
            "overlap",
        );
    }
    let none = GeccKeys {
        data: null(),
        ..keys(&points)
    };
    expect_failure(add(1, none, to, code_to, item_to), NullPointer, "points");
    expect_failure(
        add(usize::MAX, keys(&points), to, code_to, item_to),
        InvalidArgument,
        "address space",
    );
    expect_failure(
        unsafe { gecc_sum(engine.0, 9, 1, keys(&points), to, code_to, item_to) },
        InvalidArgument,
        "curve",
    );
    let one_point = GeccKeys {
        stride: 0,
        ..keys(&points)
    };
    let multiply = |items, scalars| unsafe {
        gecc_msm(
            engine.0, SECP256K1, items, scalars, one_point, to, code_to, item_to,
        )
    };
    expect_failure(multiply(1, NOTHING), NullPointer, "scalars");
    let in_sum = GeccRows {
        data: to.wrapping_add(40),
        stride: 32,
    };
    expect_failure(
        multiply(1, in_sum),
        InvalidArgument,
        "scalars and sum overlap",
    );
    // No column limits the number of items.
    for items in [2, usize::MAX] {
        expect_failure(
            multiply(items, one(&[1; 32])),
            InvalidArgument,
            "row for each",
        );
        expect_failure(
            add(items, one_point, to, code_to, item_to),
            InvalidArgument,
            "row for each",
        );
    }
    // Refused arguments leave results as they were.
    assert_eq!((sum, code, bad_item), ([0xaa; 64], 0xaa, 7));
    expect_ok(add(0, none, to, code_to, item_to));
    assert_eq!((sum, code, bad_item), ([0; 64], 1, 0));
    expect_ok(add(2, keys(&points), to, code_to, item_to));
    assert_eq!(
        (sum, code, bad_item),
        ([0; 64], GeccCode::NotOnCurve as u8, 0)
    );
}

pub fn no_items() {
    let engine = cpu();
    let no_keys = GeccKeys {
        data: null(),
        stride: 0,
        encoding: COMPRESSED,
    };
    let (out, codes) = (null_mut(), null_mut());
    unsafe {
        expect_ok(gecc_mul_base(engine.0, SECP256K1, 0, NOTHING, out, codes));
        expect_ok(gecc_add(
            engine.0, SECP256K1, 0, no_keys, no_keys, out, codes,
        ));
        expect_ok(gecc_sm2_verify_messages(
            engine.0,
            0,
            null(),
            null(),
            0,
            GeccRows {
                stride: 0,
                ..NOTHING
            },
            no_keys,
            codes,
        ));
        expect_ok(gecc_sm2_sign_messages(
            engine.0,
            0,
            null(),
            null(),
            0,
            NOTHING,
            NO_DATA,
            out,
            codes,
        ));
        // All zeros, and what would be refused were there an item.
        for (stride, encoding) in [(0, 0), (1, -1), (usize::MAX, 66)] {
            let (scalars, points) = (
                GeccRows { stride, ..NOTHING },
                GeccKeys {
                    data: null(),
                    stride,
                    encoding,
                },
            );
            expect_ok(gecc_mul(
                engine.0, SECP256K1, 0, scalars, points, out, codes,
            ));
        }
        // Arguments that do not depend on items are checked nevertheless.
        expect_failure(
            gecc_mul_base(engine.0, 0, 0, NOTHING, out, codes),
            InvalidArgument,
            "curve",
        );
        expect_failure(
            gecc_mul_base(null(), SECP256K1, 0, NOTHING, out, codes),
            NullPointer,
            "engine",
        );
    }
    user_ids_fit_their_items(&engine);
}

fn user_ids_fit_their_items(engine: &Handle) {
    let (texts, mut signatures, mut codes) = (
        [GeccBytes {
            data: null(),
            length: 0,
        }; 3],
        [[0; 64]; 3],
        [0; 3],
    );
    let mut sign_some = |items, ids: *const GeccBytes, count| unsafe {
        let (keys, out) = (one(&[1; 32]), signatures.as_mut_ptr().cast());
        gecc_sm2_sign_messages(
            engine.0,
            items,
            texts.as_ptr(),
            ids,
            count,
            keys,
            NO_DATA,
            out,
            codes.as_mut_ptr(),
        )
    };
    // Without items they are not looked at.
    expect_ok(sign_some(0, null(), 2));
    let mut sign = |ids, count| sign_some(3, ids, count);
    for count in [0, 1, 3] {
        expect_ok(sign(texts.as_ptr(), count));
    }
    expect_failure(sign(texts.as_ptr(), 2), InvalidArgument, "user_ids");
    expect_failure(sign(null(), 1), NullPointer, "user_ids");
    expect_failure(
        sign(texts.as_ptr(), usize::MAX),
        InvalidArgument,
        "user_ids",
    );
    let misaligned = texts.as_ptr().cast::<u8>().wrapping_add(1);
    expect_failure(sign(misaligned.cast(), 1), InvalidArgument, "aligned");
    let missing = [GeccBytes {
        data: null(),
        length: 1,
    }];
    expect_failure(
        sign(missing.as_ptr(), 1),
        NullPointer,
        "user_ids is null, at item 0",
    );
}

/// Numbers, names and texts are those of the library.
pub fn codes_have_texts() {
    let header = include_str!("../../include/gecc.h");
    let text = |code: u8| {
        unsafe { CStr::from_ptr(gecc_code_text(code)) }
            .to_str()
            .unwrap()
    };
    let rejections: Vec<Rejection> = (0..=u8::MAX).filter_map(Rejection::from_code).collect();
    for rejection in &rejections {
        assert_eq!(text(rejection.code()), rejection.to_string());
        let name = format!("{rejection:?}");
        let constant = name.chars().flat_map(|c| {
            c.is_uppercase()
                .then_some('_')
                .into_iter()
                .chain([c.to_ascii_uppercase()])
        });
        let constant = constant.collect::<String>();
        let constant = format!("GECC_CODE{constant} = {},", rejection.code());
        assert!(header.contains(&constant), "{constant}");
    }
    assert_eq!(header.matches("  GECC_CODE_").count(), rejections.len() + 2);
    assert_eq!(text(GeccCode::Valid as u8), "valid");
    for code in [0, 21, 255] {
        assert_eq!(text(code), "no such code");
    }
    let every_code: Vec<u8> = (0..=u8::MAX).chain([GeccCode::Valid as u8]).collect();
    assert_eq!(
        unsafe { gecc_count_valid(every_code.as_ptr(), every_code.len()) },
        2
    );
    assert_eq!(unsafe { gecc_count_valid(std::ptr::null(), 5) }, 0);
}

pub fn texts_are_cut() {
    let engine = cpu();
    let describe = |text: &mut [u8], length: *mut usize| unsafe {
        gecc_engine_describe(engine.0, text.as_mut_ptr().cast(), text.len(), length)
    };
    let (mut whole, mut length) = ([0xaa; 200], 0);
    expect_ok(describe(&mut whole, &mut length));
    let text = CStr::from_bytes_until_nul(&whole)
        .unwrap()
        .to_str()
        .unwrap();
    assert!(
        text.starts_with("CPU, 2 threads") && text.len() == length,
        "{text}"
    );
    for capacity in [1, 2, length, length + 1] {
        let mut cut = vec![0xaa; capacity];
        expect_ok(describe(&mut cut, null_mut()));
        let kept = capacity - 1;
        assert_eq!((&cut[..kept], cut[kept]), (&whole[..kept], 0));
    }
    length = 0;
    expect_ok(unsafe { gecc_engine_describe(engine.0, null_mut(), 0, &mut length) });
    assert_eq!(length, text.len());
    expect_failure(
        unsafe { gecc_engine_describe(engine.0, null_mut(), 1, &mut length) },
        NullPointer,
        "text",
    );
    expect_ok(unsafe {
        gecc_engine_failures(
            engine.0,
            whole.as_mut_ptr().cast(),
            whole.len(),
            &mut length,
        )
    });
    assert_eq!((length, whole[0]), (0, 0));
}
