//! Tests on a GPU that no secrets remain in memory when a chunk has ended, in whatever way.

use super::tests::{BY_CPU, codes_of, gpu, write_by_cpu};
use crate::cpu::CpuEngine;
use crate::curve::CurveId;
use crate::gpu::columns::{Codes, SecretKeys as KeyRows};
use crate::gpu::runtime::{Bytes, InputSource, Plan, Stream};
use crate::gpu::{Fault, FaultKind, GpuEngine, Launch, Running, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::ops::ecdh::Agreement;
use crate::ops::hash::SizedTexts;
use crate::ops::hash_to_curve::{Dst, HashToCurve, Suite};
use crate::ops::keys::PublicKeysOf;
use crate::ops::mask::{Form, Mask, Source};
use crate::ops::modular::Modexp;
use crate::ops::ristretto255;
use crate::ops::ristretto255::{Bases, Map, Multiply};
use crate::ops::x25519::{AllZero, X25519};
use crate::schemes::common::{Scheme, SignDigests, Signing, SigningInputs};
use crate::schemes::ecdsa::ECDSA;
use crate::schemes::sm2::SM2;
use crate::schemes::{bip340, ed25519};
use crate::types::{
    ByteRows, Check, PublicKeys, ResultSink, ResultsMut, Rows, SecretKey, SecretKeys, Signers,
    Verdict,
};
use sha2::Sha512;
use std::ops::Range;
use std::sync::mpsc;

/// Not a multiple of the buffers' alignment, so that there are gaps between them.
const ITEMS: usize = 1001;

fn keys() -> Vec<SecretKey> {
    let keys = (0..ITEMS).map(|item| std::array::from_fn(|i| (item * 7 + i * 13) as u8 | 1));
    keys.map(SecretKey::from_bytes).collect()
}

/// Returns some of the keys, which are searched for in memory.
fn some_of(keys: &[SecretKey]) -> Vec<&[u8]> {
    [0, 1, 500, ITEMS - 1]
        .map(|item| keys[item].expose_bytes().as_slice())
        .to_vec()
}

/// Asserts that no stream slot holds any of these secrets, and that the device memory of its last
/// chunk is all zeros.
fn assert_gone(gpu: &GpuEngine, secrets: &[&[u8]]) {
    let contents = gpu.contents();
    for [on_device, pinned] in &contents {
        assert!(
            on_device.iter().all(|byte| *byte == 0),
            "device memory is wiped"
        );
        assert!(!pinned.is_empty() && !pinned.windows(32).any(|window| secrets.contains(&window)));
    }
    assert!(!contents.is_empty(), "there is a stream slot to examine");
}

static DIGESTS: [[u8; 32]; ITEMS] = [[0x5a; 32]; ITEMS];

#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn keys_are_wiped_after_signing() {
    let gpu = gpu();
    let cpu = CpuEngine::new(None, None).unwrap();
    let keys = keys();
    let with_p256_data = Signers::with_additional_data(&keys[0], Rows::all(keys[1].expose_bytes()));
    let with_sm2_data =
        Signers::with_additional_data(&keys[0], Rows::all(keys[500].expose_bytes()));
    let batches: [(&Scheme, CurveId, Signers, Check, usize); 5] = [
        (&ECDSA, CurveId::P256, (&keys).into(), Check::Signatures, 0),
        (&ECDSA, CurveId::P256, (&keys).into(), Check::RecoveryIds, 1),
        (&SM2, CurveId::Sm2, (&keys[0]).into(), Check::Signatures, 0),
        (&ECDSA, CurveId::P256, with_p256_data, Check::Nothing, 0),
        (&SM2, CurveId::Sm2, with_sm2_data, Check::Nothing, 0),
    ];
    for (scheme, curve, signers, check, id_width) in batches {
        let mut codes = vec![0; ITEMS];
        let mut signatures = vec![0; 64 * ITEMS];
        let mut ids = vec![0; id_width * ITEMS];
        let inputs = SigningInputs {
            digests: Rows::from(&DIGESTS),
            signers,
        };
        let widths = [64, id_width];
        let sign = SignDigests {
            scheme,
            curve,
            signing: Signing {
                inputs,
                low_s: false,
                check,
                widths,
            },
            items: ITEMS,
        };
        let mut results = ResultsMut::new(&mut codes, [&mut signatures, &mut ids], widths).into();
        gpu.run(&cpu, &sign, &mut results, false).unwrap();
        assert_gone(&gpu, &some_of(&keys));
    }
}

#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn keys_are_wiped_after_signing_with_bip340() {
    let gpu = gpu();
    let cpu = CpuEngine::new(None, None).unwrap();
    let keys = keys();
    let digests = Rows::from(&DIGESTS);
    for is_checked in [false, true] {
        let mut codes = vec![0; ITEMS];
        let mut signatures = vec![[0; 64]; ITEMS];
        let messages = bip340::Messages::Rows(digests);
        let auxiliary = SecretKeys::rows(digests);
        let sign = bip340::SignBip340 {
            messages,
            keys: (&keys).into(),
            public: None,
            auxiliary,
            is_checked,
            items: ITEMS,
        };
        gpu.run(
            &cpu,
            &sign,
            &mut ResultsMut::rows(&mut codes, &mut signatures).into(),
            false,
        )
        .unwrap();
        assert_gone(&gpu, &some_of(&keys));
    }
}

#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn keys_and_shared_secrets_are_wiped_after_x25519() {
    let gpu = gpu();
    let cpu = CpuEngine::new(None, None).unwrap();
    let keys = keys();
    for (secret_keys, are_results_secret) in [
        (SecretKeys::from(&keys), true),
        ((&keys[0]).into(), true),
        ((&keys).into(), false),
    ] {
        let mut codes = vec![0; ITEMS];
        let mut secrets = vec![[0; 32]; ITEMS];
        let multiplication = X25519 {
            secret_keys,
            peers: PublicKeys::x25519(&DIGESTS),
            all_zero: AllZero::Reject,
            are_results_secret,
            items: ITEMS,
        };
        gpu.run(
            &cpu,
            &multiplication,
            &mut ResultsMut::rows(&mut codes, &mut secrets).into(),
            false,
        )
        .unwrap();
        let mut gone = some_of(&keys);
        if are_results_secret {
            gone.extend([0, 1, 500, ITEMS - 1].map(|item| secrets[item].as_slice()));
        }
        assert_gone(&gpu, &gone);
    }
}

#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn keys_inputs_and_elements_are_wiped_after_ristretto255() {
    let gpu = gpu();
    let cpu = CpuEngine::new(None, None).unwrap();
    // Below the order.
    let keys: Vec<SecretKey> = keys()
        .iter()
        .map(|key| {
            let mut bytes = *key.expose_bytes();
            bytes[31] &= 0x0f;
            SecretKey::from_bytes(bytes)
        })
        .collect();
    let inputs: Vec<[u8; 64]> = (0..ITEMS)
        .map(|item| std::array::from_fn(|i| (item * 11 + i * 17) as u8 | 1))
        .collect();
    let mut codes = vec![0; ITEMS];
    let mut elements = vec![[0; 32]; ITEMS];
    let mut hashed = vec![[0; 32]; ITEMS];
    let sources = [
        (
            ristretto255::Source::Messages {
                messages: SizedTexts::new(&cpu, ITEMS, |item| &inputs[item]),
                dst: Dst::of::<Sha512>(b"of wiping"),
            },
            &mut hashed,
        ),
        (
            ristretto255::Source::UniformBytes {
                rows: Rows::new(&inputs),
                items: ITEMS,
            },
            &mut elements,
        ),
    ];
    for (source, mapped) in sources {
        gpu.run(
            &cpu,
            &Map { source },
            &mut ResultsMut::rows(&mut codes, mapped).into(),
            false,
        )
        .unwrap();
        let of_items = [0, 1, 500, ITEMS - 1];
        let mut gone: Vec<&[u8]> = of_items.map(|item| mapped[item].as_slice()).into();
        gone.extend(of_items.map(|item| &inputs[item][..32]));
        assert_gone(&gpu, &gone);
    }
    for (secret_keys, bases) in [
        (
            SecretKeys::from(&keys),
            Bases::Elements(Rows::new(&elements)),
        ),
        ((&keys[0]).into(), Bases::Elements(Rows::new(&elements))),
        ((&keys).into(), Bases::Elements(Rows::all(&elements[0]))),
        ((&keys).into(), Bases::Generator),
    ] {
        let mut products = vec![[0; 32]; ITEMS];
        let multiplication = Multiply {
            secret_keys,
            bases,
            items: ITEMS,
        };
        gpu.run(
            &cpu,
            &multiplication,
            &mut ResultsMut::rows(&mut codes, &mut products).into(),
            false,
        )
        .unwrap();
        assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
        let mut gone = some_of(&keys);
        if matches!(bases, Bases::Elements(_)) {
            gone.extend([0, 1, 500, ITEMS - 1].map(|item| products[item].as_slice()));
        }
        assert_gone(&gpu, &gone);
    }
}

#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn keys_are_wiped_after_ed25519() {
    let gpu = gpu();
    let cpu = CpuEngine::new(None, None).unwrap();
    let keys = keys();
    let mut codes = vec![0; ITEMS];
    let mut signatures = vec![[0; 64]; ITEMS];
    let mut public = vec![[0; 32]; ITEMS];
    let with_context = ed25519::Variant::context(b"of wiping").unwrap();
    for (is_checked, variant) in [
        (false, ed25519::Variant::PURE),
        (true, ed25519::Variant::PURE),
        (false, with_context),
    ] {
        let messages = SizedTexts::new(&cpu, ITEMS, |item| &DIGESTS[item][..]);
        let sign = ed25519::SignEd25519 {
            variant,
            messages,
            keys: (&keys).into(),
            is_checked,
            items: ITEMS,
        };
        gpu.run(
            &cpu,
            &sign,
            &mut ResultsMut::rows(&mut codes, &mut signatures).into(),
            false,
        )
        .unwrap();
        assert_gone(&gpu, &some_of(&keys));
    }
    let public_keys = ed25519::PublicKeysOfSeeds {
        seeds: (&keys).into(),
        items: ITEMS,
    };
    gpu.run(
        &cpu,
        &public_keys,
        &mut ResultsMut::rows(&mut codes, &mut public).into(),
        false,
    )
    .unwrap();
    assert_gone(&gpu, &some_of(&keys));
}

#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn keys_and_shared_secrets_are_wiped_after_ecdh() {
    let gpu = gpu();
    let cpu = CpuEngine::new(None, None).unwrap();
    let keys = keys();
    let curve = CurveId::Secp256k1;
    let mut codes = vec![0; ITEMS];
    let mut peers = vec![[0; 64]; ITEMS];
    let public_keys = PublicKeysOf {
        curve,
        keys: (&keys).into(),
        items: ITEMS,
    };
    gpu.run(
        &cpu,
        &public_keys,
        &mut ResultsMut::rows(&mut codes, &mut peers).into(),
        false,
    )
    .unwrap();
    assert_gone(&gpu, &some_of(&keys));
    let peers = PublicKeys::raw(&peers);
    let agreement = Agreement {
        curve,
        secret_keys: (&keys[0]).into(),
        peers,
        width: 32,
        items: ITEMS,
    };
    let mut shared = vec![[0; 32]; ITEMS];
    gpu.run(
        &cpu,
        &agreement,
        &mut ResultsMut::rows(&mut codes, &mut shared).into(),
        false,
    )
    .unwrap();
    assert_ne!(shared[500], [0; 32]);
    let of_shared: Vec<&[u8]> = [0, 500].map(|item| shared[item].as_slice()).to_vec();
    assert_gone(&gpu, &[some_of(&keys), of_shared].concat());
}

#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn keys_and_messages_are_wiped_after_masking() {
    let gpu = gpu();
    let cpu = CpuEngine::new(None, None).unwrap();
    let keys = keys();
    let messages: Vec<[u8; 32]> = (0..ITEMS)
        .map(|item| std::array::from_fn(|i| (item * 11 + i * 17) as u8 | 1))
        .collect();
    let hashing = || HashToCurve {
        suite: Suite::P256SswuRo,
        dst: Dst::new(b"of wiping"),
        messages: SizedTexts::new(&cpu, ITEMS, |item| &messages[item]),
    };
    let of_messages: Vec<&[u8]> = [0, 500].map(|item| messages[item].as_slice()).to_vec();
    let mut codes = vec![0; ITEMS];
    let mut rows = vec![[0; 12]; ITEMS];
    let mask = Mask::new(
        Source::Items(hashing()),
        (&keys).into(),
        Form::Truncated(12),
    );
    gpu.run(
        &cpu,
        &mask.unwrap(),
        &mut ResultsMut::rows(&mut codes, &mut rows).into(),
        false,
    )
    .unwrap();
    assert_ne!(rows[500], [0; 12]);
    assert_gone(&gpu, &[some_of(&keys), of_messages.clone()].concat());
    let mut points = vec![[0; 64]; ITEMS];
    gpu.run(
        &cpu,
        &hashing(),
        &mut ResultsMut::rows(&mut codes, &mut points).into(),
        false,
    )
    .unwrap();
    assert_ne!(points[500], [0; 64]);
    let of_points: Vec<&[u8]> = [0, 500].map(|item| &points[item][..32]).to_vec();
    assert_gone(&gpu, &[of_messages, of_points].concat());
}

#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn exponents_and_powers_are_wiped_when_a_call_returns() {
    let gpu = gpu();
    let cpu = CpuEngine::new(None, None).unwrap();
    let [bases, exponents] = [0, 5000].map(|first| {
        let numbers = (first..first + ITEMS)
            .map(|seed| std::array::from_fn(|i| (seed * 31 + i * 7) as u8 | 1));
        numbers.collect::<Vec<[u8; 128]>>()
    });
    let [base_rows, exponent_rows] =
        [&bases, &exponents].map(|numbers| ByteRows::new(numbers.as_flattened(), 128));
    let modexp = Modexp::new(&[0xff; 128], base_rows, exponent_rows).unwrap();
    let mut codes = vec![0; ITEMS];
    let mut powers = vec![[0; 128]; ITEMS];
    gpu.run(
        &cpu,
        &modexp,
        &mut ResultsMut::rows(&mut codes, &mut powers).into(),
        false,
    )
    .unwrap();
    let power = &powers[3];
    assert_ne!(power[96..], [0; 32]);
    assert_gone(
        &gpu,
        &[
            &bases[3][..32],
            &exponents[3][..32],
            &exponents[3][96..],
            &power[96..],
            &[0xff; 32],
        ],
    );
}

/// Copies are still in progress when a chunk ends early.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn secrets_of_a_failed_chunk_are_wiped() {
    let gpu = gpu();
    let cpu = CpuEngine::new(Some(1), None).unwrap();
    const BYTES: usize = 32 << 20;
    let mut stream = Stream::new(gpu.device(0).clone()).unwrap();
    for _ in 0..3 {
        let ((), planned) = stream
            .begin((1, false), Bytes::default(), true, |plan| {
                let secret = plan.secret_input_of::<KeyRows>(BYTES - 3, filled_with(0xa5));
                plan.secret_result(0, secret, BYTES - 3);
                plan.input_of::<KeyRows>(100, filled_with(0x3c));
            })
            .unwrap();
        // SAFETY: nothing here is page-locked memory of a caller.
        let sent = unsafe {
            stream.send(planned.inputs(), |parts| {
                for (input, to) in parts {
                    let InputSource::Whole(write) = &input.source else {
                        panic!("all are written as a whole")
                    };
                    write(&cpu.pool, to);
                }
            })
        };
        sent.unwrap();
        // SAFETY: results go to the stream's own memory.
        unsafe { stream.receive(planned.outputs(), None) };
        stream.end().unwrap();
        let [on_device, pinned] = stream.contents().unwrap();
        assert!(on_device.len() > BYTES && on_device.iter().all(|byte| *byte == 0));
        assert!(
            !pinned.contains(&0xa5) && pinned.contains(&0x3c),
            "no more than secrets is wiped on the host"
        );
    }
}

fn filled_with(byte: u8) -> InputSource<'static> {
    InputSource::Whole(Box::new(move |_, to| to.fill(byte)))
}

/// Sixty items, with a secret input, whose computation ends as configured.
struct Ending<'a> {
    ended: mpsc::Sender<()>,
    end: &'a (dyn Fn() -> Result<(), Fault> + Sync),
}

impl Computation for Ending<'_> {
    fn items(&self) -> usize {
        60
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GpuThreshold::of(0)
    }

    fn compute_on_cpu(&self, _: &CpuEngine, _: Range<usize>, out: &mut ResultSink) {
        write_by_cpu(out);
    }

    fn is_secret(&self) -> bool {
        true
    }

    fn most_waves(&self) -> usize {
        2
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (CurveId::P256.name(), Vec::new())
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        Vec::new()
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        plan.secret_input_of::<KeyRows>(64 * items.len(), filled_with(0xa5));
        let codes = plan.column::<Codes>();
        plan.codes(codes);
        Box::new(|_: &mut Running| {
            self.ended.send(()).unwrap();
            (self.end)()
        })
    }
}

/// A worker that fails or panics leaves no stream slot, and the engine continues to compute.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn streams_of_failed_chunks_are_not_reused() {
    let gpu = gpu();
    let cpu = CpuEngine::new(None, None).unwrap();
    let (sender, receiver) = mpsc::channel();
    let run = |end: &(dyn Fn() -> Result<(), Fault> + Sync), rescue| {
        codes_of(
            &gpu,
            &cpu,
            &Ending {
                ended: sender.clone(),
                end,
            },
            rescue,
        )
    };
    let by_cpu = [BY_CPU; 60];
    assert_eq!(
        run(&|| Err(Fault::memory("short".to_owned())), true).unwrap(),
        by_cpu
    );
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        run(&|| panic!("on purpose"), true)
    }));
    assert!(panicked.is_err() && gpu.failures().is_empty());
    assert_eq!(gpu.count_slots(), (0, 0));
    // The fault of each device is reported with its name, after which no device is used.
    assert_eq!(
        run(&|| Err(Fault::device("broken".to_owned())), true).unwrap(),
        by_cpu
    );
    let failures = gpu.failures();
    assert!(
        failures
            .iter()
            .all(|failure| failure.kind == FaultKind::Device && failure.problem == "broken")
    );
    assert!(
        failures
            .iter()
            .map(|failure| &failure.device)
            .eq(&gpu.labels())
    );
    let before = receiver.try_iter().count();
    assert_eq!(run(&|| Ok(()), true).unwrap(), by_cpu);
    assert_eq!(
        (receiver.try_iter().count(), before),
        (0, 2 * gpu.labels().len() + 1)
    );
    let problem = run(&|| Ok(()), false).unwrap_err().message();
    assert!(
        problem.contains(&format!("{}: broken", gpu.labels()[0])),
        "{problem}"
    );
}
