//! Known answers of hashing to points: for the suites of RFC 9380 those of the RustCrypto crates, for
//! others those of the CPU.

use super::{Dst, HashToCurve, Suite, cpu};
use crate::cpu::CpuEngine;
use crate::gpu::schedule::operation::{ITEMS, RunSelfTest};
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::repeat;
use crate::ops::hash::SizedTexts;
use crate::types::{Point, bytes_of};

/// The number of different messages in a test: the CPU computes their points in a few milliseconds.
/// It is coprime to the number of lanes of a warp, so that lanes have different numbers of tries.
const DISTINCT: usize = 63;

/// Returns the self-tests of all suites.
pub fn all() -> Vec<SelfTest> {
    Suite::ALL.iter().copied().map(of).collect()
}

pub fn of(suite: Suite) -> SelfTest {
    let run: RunSelfTest = match suite {
        Suite::P256SswuRo => |trial| run(trial, Suite::P256SswuRo),
        Suite::P256SswuNu => |trial| run(trial, Suite::P256SswuNu),
        Suite::Secp256k1SswuRo => |trial| run(trial, Suite::Secp256k1SswuRo),
        Suite::Secp256k1SswuNu => |trial| run(trial, Suite::Secp256k1SswuNu),
        Suite::Sm2Rehash => |trial| run(trial, Suite::Sm2Rehash),
        Suite::Sm2Increment => |trial| run(trial, Suite::Sm2Increment),
        Suite::P256Rehash => |trial| run(trial, Suite::P256Rehash),
    };
    SelfTest::new(suite.name(), suite.curve().name(), run)
}

/// Messages of all lengths around that of a block.
fn messages() -> Vec<Vec<u8>> {
    (0..DISTINCT)
        .map(|item| (0..2 * item).map(|byte| (5 * item + byte) as u8).collect())
        .collect()
}

/// Tests tags whose hashes have one block and two.
fn run(trial: &mut SelfTestRun, suite: Suite) -> Result<(), Fault> {
    let tags = if suite.takes_dst() {
        vec![Dst::new(&[0x51; 10]), Dst::new(&[0x51; 50])]
    } else {
        vec![Dst::NONE]
    };
    let texts = messages();
    for dst in tags {
        let few = hashing(trial.cpu, suite, dst, &texts, DISTINCT);
        let known = if suite.is_constant_time() {
            cpu::reference_points(&few)
                .iter()
                .map(|point| point.map(|point| coordinates(&point)))
                .collect()
        } else {
            trial.compute_on_cpu(&few, bytes_of::<64>)
        };
        let many = hashing(trial.cpu, suite, dst, &texts, ITEMS);
        trial.check(&many, bytes_of::<64>, repeat(&known, ITEMS))?;
    }
    Ok(())
}

/// Returns `x || y`.
fn coordinates(point: &Point) -> [u8; 64] {
    *point.as_sec1().last_chunk().expect("uncompressed")
}

/// Returns the operation on `items` messages, cycling through `texts`.
fn hashing<'a>(
    cpu: &CpuEngine,
    suite: Suite,
    dst: Dst,
    texts: &'a [Vec<u8>],
    items: usize,
) -> HashToCurve<'a> {
    let messages = SizedTexts::new(cpu, items, |item| &texts[item % texts.len()]);
    HashToCurve {
        suite,
        dst,
        messages,
    }
}
