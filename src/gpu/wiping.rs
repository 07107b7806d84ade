//! Tests on a GPU: what is left of secrets when a chunk has ended, in whatever way.

use super::columns::SecretKeys;
use super::fault::Fault;
use super::known_answers::Test;
use super::lane::Lane;
use super::pipeline::{Chunk, Operation};
use super::plan::{Bytes, Plan, Upload};
use super::{FaultKind, GpuEngine, Limits, lock, modular, secret, sign};
use crate::cpu::CpuEngine;
use crate::curve::{P256, Secp256k1};
use crate::ecdsa::Check;
use crate::engine::Engines;
use crate::point::Points;
use crate::types::PublicKeys;
use crate::types::SecretKey;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::mpsc;

/// Short of a whole number of buffers, so that gaps between them are there.
const ITEMS: usize = 1001;

fn engine() -> GpuEngine {
    GpuEngine::new(Limits::default()).expect("there is a GPU")
}

fn with_engines(test: impl FnOnce(Engines)) {
    let (gpu, cpu) = (engine(), CpuEngine::new(None, None).unwrap());
    test(Engines { gpu: &gpu, cpu: &cpu, rescue: false, check_signatures: true });
}

fn keys() -> Vec<SecretKey> {
    let bytes = |item: usize| std::array::from_fn(|i| (item * 7 + i * 13) as u8 | 1);
    (0..ITEMS).map(|item| SecretKey::from_bytes(bytes(item))).collect()
}

/// No lane holds any of these, and what the last chunk used of the device is all zeros.
fn assert_gone(gpu: &GpuEngine, secrets: &[&[u8]]) {
    let mut lanes = 0;
    for slot in &gpu.devices {
        for lane in &mut lock(&slot.lanes).idle {
            let [on_device, pinned] = lane.contents().unwrap();
            assert!(on_device.iter().all(|byte| *byte == 0), "device memory is wiped");
            assert!(!pinned.is_empty() && !pinned.windows(32).any(|window| secrets.contains(&window)));
            lanes += 1;
        }
    }
    assert!(lanes > 0, "there is a lane to look at");
}

#[test]
#[cfg_attr(gecc_tests_without_gpu, ignore = "no GPU where this was built; GECC_REQUIRE_GPU=1 makes that a failure")]
fn keys_are_gone_when_a_call_returns() {
    with_engines(|engines| {
        let (keys, digests) = (keys(), [[0x5a; 32]; ITEMS]);
        let of_keys: Vec<&[u8]> = [0, 1, 500, ITEMS - 1].map(|item| keys[item].expose_bytes().as_slice()).to_vec();
        for check in [Check::Signatures, Check::RecoveryIds] {
            sign::ecdsa::<P256, _>(engines, &digests, (&keys[..]).into(), false, check, |signed| signed).unwrap();
            assert_gone(engines.gpu, &of_keys);
        }
        sign::sm2(engines, &digests, (&keys[0]).into()).unwrap();
        assert_gone(engines.gpu, &of_keys);
        let public: Points = secret::public_keys::<Secp256k1>(engines, &keys).unwrap();
        assert_gone(engines.gpu, &of_keys);
        let peers: Vec<_> = public.into_iter().map(Result::unwrap).collect();
        let peers = PublicKeys::points(&peers);
        let shared = secret::shared_secrets::<Secp256k1>(engines, ITEMS, (&keys[0]).into(), peers).unwrap();
        let shared: Vec<&[u8]> = shared.iter().map(|item| item.as_ref().unwrap().expose_bytes().as_slice()).collect();
        assert_gone(engines.gpu, &[&of_keys[..], &shared[..1], &shared[500..501]].concat());
    });
}

#[test]
#[cfg_attr(gecc_tests_without_gpu, ignore = "no GPU where this was built; GECC_REQUIRE_GPU=1 makes that a failure")]
fn exponents_and_powers_are_gone_when_a_call_returns() {
    with_engines(|engines| {
        let number = |seed: usize| std::array::from_fn::<u8, 128, _>(|i| (seed * 31 + i * 7) as u8 | 1);
        let (bases, exponents): (Vec<_>, Vec<_>) = (0..ITEMS).map(|item| (number(item), number(item + 5000))).unzip();
        let powers = modular::modexp(engines, &[0xff; 128], &bases, &exponents).unwrap();
        let power = powers[3].as_ref().unwrap();
        assert_gone(
            engines.gpu,
            &[&bases[3][..32], &exponents[3][..32], &exponents[3][96..], &power[96..], &[0xff; 32]],
        );
    });
}

/// Copies are still under way when a chunk ends early.
#[test]
#[cfg_attr(gecc_tests_without_gpu, ignore = "no GPU where this was built; GECC_REQUIRE_GPU=1 makes that a failure")]
fn secrets_of_a_chunk_that_fails_are_gone() {
    let gpu = engine();
    const BYTES: usize = 32 << 20;
    let mut lane = Lane::new(gpu.devices[0].device.clone()).unwrap();
    for _ in 0..3 {
        let buffers = |plan: &mut Plan| {
            let secret = plan.upload_secret::<SecretKeys>(BYTES - 3);
            (plan.download(secret.column, BYTES - 3), secret, plan.upload::<SecretKeys>(100))
        };
        let (back, secret, public) = lane.begin(1, Bytes::default(), true, buffers).unwrap();
        lane.upload(&secret, |to| to.fill(0xa5)).unwrap();
        lane.upload(&public, |to| to.fill(0x3c)).unwrap();
        lane.download_secret(&back);
        lane.end().unwrap();
        let [on_device, pinned] = lane.contents().unwrap();
        assert!(on_device.len() > BYTES && on_device.iter().all(|byte| *byte == 0));
        assert!(!pinned.contains(&0xa5) && pinned.contains(&0x3c), "no more than secrets is wiped on the host");
    }
}

/// Sixty items that end as told, with a secret on the way.
struct Ending<'a> {
    ended: mpsc::Sender<()>,
    end: &'a (dyn Fn() -> Result<(), Fault> + Sync),
}

impl Operation for Ending<'_> {
    type Output = u8;
    type Buffers = Upload<SecretKeys>;
    const SECRET: bool = true;
    const MOST_WAVES: usize = 2;

    fn items(&self) -> usize {
        60
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> Upload<SecretKeys> {
        plan.upload_secret(64 * plan.items())
    }

    fn tests(&self, _: usize) -> &'static [Test] {
        &[]
    }

    fn compute(&self, chunk: Chunk, secret: &Upload<SecretKeys>, _: &mut [MaybeUninit<u8>]) -> Result<(), Fault> {
        chunk.lane.upload(secret, |to| to.fill(0xa5))?;
        self.ended.send(()).unwrap();
        (self.end)()
    }

    fn on_cpu(&self, _: &CpuEngine, items: Range<usize>) -> Vec<u8> {
        vec![7; items.len()]
    }
}

/// A worker that fails or panics leaves no lane behind, and the engine computes on.
#[test]
#[cfg_attr(gecc_tests_without_gpu, ignore = "no GPU where this was built; GECC_REQUIRE_GPU=1 makes that a failure")]
fn lanes_of_failed_chunks_are_not_used_again() {
    let gpu = engine();
    let cpu = CpuEngine::new(None, None).unwrap();
    let engines = Engines { gpu: &gpu, cpu: &cpu, rescue: true, check_signatures: false };
    let (sender, receiver) = mpsc::channel();
    let run = |end: &(dyn Fn() -> Result<(), Fault> + Sync)| engines.run(&Ending { ended: sender.clone(), end });
    assert_eq!(run(&|| Err(Fault::memory("short".to_owned()))).unwrap(), vec![7; 60]);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&|| panic!("on purpose"))));
    assert!(panicked.is_err() && gpu.failures().is_empty());
    assert!(gpu.devices.iter().all(|slot| lock(&slot.lanes).idle.is_empty() && lock(&slot.lanes).lent == 0));
    // A fault of each device is told by its name, and that is the end of them.
    assert_eq!(run(&|| Err(Fault::device("broken".to_owned()))).unwrap(), vec![7; 60]);
    let failures = gpu.failures();
    assert!(failures.iter().all(|failure| failure.kind == FaultKind::Device && failure.problem == "broken"));
    assert!(failures.iter().map(|failure| &failure.device).eq(&gpu.labels()));
    let before = receiver.try_iter().count();
    assert_eq!(run(&|| Ok(())).unwrap(), vec![7; 60]);
    assert_eq!((receiver.try_iter().count(), before), (0, 2 * gpu.devices.len() + 1));
    let strict = Engines { rescue: false, ..engines };
    let problem = strict.run(&Ending { ended: sender, end: &|| Ok(()) }).unwrap_err().message();
    assert!(problem.contains(&format!("{}: broken", gpu.labels()[0])), "{problem}");
}
