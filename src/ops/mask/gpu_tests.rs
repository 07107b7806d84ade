//! Tests that a GPU masks as the CPU does.

use super::{Form, Mask, Source};
use crate::cpu::CpuEngine;
use crate::curve::CurveId;
use crate::gpu::{GpuEngine, Limits};
use crate::operation::Computation;
use crate::ops::hash::{LONGEST, SizedTexts};
use crate::ops::hash_to_curve::{Dst, HashToCurve, Suite};
use crate::types::{PublicKeys, ResultsMut, SecretKey, SecretKeys};

/// Several chunks, the last of which is small and no multiple of a warp.
const ITEMS: usize = 1_000_003;

/// Computes rows and codes on both engines, and checks that they are equal.
fn check(gpu: &GpuEngine, cpu: &CpuEngine, operation: &impl Computation, width: usize) -> Vec<u8> {
    let items = operation.items();
    let mut results = [(); 2].map(|()| (vec![0; items], vec![0; width * items]));
    let [of_cpu, of_gpu] = &mut results;
    for ((codes, rows), on_gpu) in [(of_cpu, false), (of_gpu, true)] {
        let mut out = ResultsMut::new(codes, [rows, &mut []], [width, 0]).into();
        if on_gpu {
            gpu.run(cpu, operation, &mut out, false)
                .expect("the GPU works");
        } else {
            operation.compute_on_cpu(cpu, 0..items, &mut out);
        }
    }
    let [of_cpu, (codes, rows)] = results;
    let differs = (0..items).find(|item| {
        let row = item * width..(item + 1) * width;
        of_cpu.0[*item] != codes[*item] || codes[*item] == 1 && of_cpu.1[row.clone()] != rows[row]
    });
    assert_eq!(differs, None);
    assert!(gpu.failures().is_empty());
    rows
}

/// Messages of 0 to 79 bytes, and some that are as long as a device hashes, or longer.
fn messages() -> Vec<Vec<u8>> {
    let length = |item: usize| match item {
        1000 => LONGEST,
        1001 => LONGEST + 1,
        _ => item * 7 % 80,
    };
    let message = |item: usize| {
        let mut bytes = item.to_le_bytes().to_vec();
        bytes.resize(length(item), 0x5a);
        bytes
    };
    (0..ITEMS).map(message).collect()
}

fn hashing<'a>(cpu: &CpuEngine, suite: Suite, messages: &'a [Vec<u8>]) -> HashToCurve<'a> {
    HashToCurve {
        suite,
        dst: if suite.takes_dst() {
            Dst::new(b"gecc-V01-tests")
        } else {
            Dst::NONE
        },
        messages: SizedTexts::new(cpu, messages.len(), |item| &messages[item]),
    }
}

#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn points_of_messages_are_those_of_the_cpu() {
    let gpu = GpuEngine::new(Limits::default()).expect("there is a GPU");
    let cpu = CpuEngine::new(None, None).unwrap();
    let messages = messages();
    for &suite in Suite::ALL {
        check(&gpu, &cpu, &hashing(&cpu, suite, &messages), 64);
    }
}

/// With keys out of range, and items with several reasons to be rejected.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn masks_are_those_of_the_cpu() {
    let gpu = GpuEngine::new(Limits::default()).expect("there is a GPU");
    let cpu = CpuEngine::new(None, None).unwrap();
    let few = &messages()[..3011];
    let keys: Vec<SecretKey> = (0..few.len())
        .map(|item| match item % 100 {
            7 => [0; 32],
            8 => [0xff; 32],
            _ => std::array::from_fn(|i| (item * 3 + i * 19) as u8 | 1),
        })
        .map(SecretKey::from_bytes)
        .collect();
    for form in [
        Form::Compressed,
        Form::Uncompressed,
        Form::Raw,
        Form::X,
        Form::Truncated(9),
    ] {
        for &suite in Suite::ALL {
            let source = Source::Items(hashing(&cpu, suite, few));
            let mask = Mask::new(source, SecretKeys::each(&keys), form).unwrap();
            check(&gpu, &cpu, &mask, form.width());
        }
        for &curve in CurveId::ALL {
            let points: Vec<[u8; 33]> = few
                .iter()
                .enumerate()
                .map(|(item, _)| std::array::from_fn(|i| if i == 0 { 2 } else { (item * i) as u8 }))
                .collect();
            let source = Source::Points {
                curve,
                points: PublicKeys::compressed(&points),
                items: points.len(),
            };
            let mask = Mask::new(source, SecretKeys::all(&keys[0]), form).unwrap();
            check(&gpu, &cpu, &mask, form.width());
        }
    }
}
