//! Recovery on the CPU, optionally with candidates: for each item a public key that may have made
//! the signature.
//!
//! The recovery id determines the point R. As r is not 0, exactly one key satisfies u1 G + u2 Q =
//! R, with u1 = e / s and u2 = r / s: the key that is recovered, Q = (s R - e G) / r. Candidates
//! that satisfy it are found with the equations of groups (`common::batch_verification`). An item
//! whose candidate is not confirmed is recovered, which yields its key or its reason.
//!
//! The returned key is the one that was used in the equation: the caller's memory is not read
//! again, since it may have changed.

use super::cpu::EcdsaSignatures;
use super::recover_cpu::{self, RecoveryInputs, put_address};
use crate::cpu::point::Affine;
use crate::cpu::tables::BaseTables;
use crate::cpu::{CpuEngine, decode};
use crate::schemes::common::Verification;
use crate::schemes::common::batch_verification::cpu::find_valid;
use crate::types::{Address, KeyBytes, Policy, PublicKeys, ResultSink, ResultsMut};

/// The number of items planned at a time if the caller sets no memory limit, and the bytes per
/// item: its candidate, and its inputs and results if it is recovered.
const MOST_PLANNED: usize = 1 << 20;
const PLANNED_BYTES: usize = 256;

/// Recovers keys.
pub fn recover<C: BaseTables>(
    engine: &CpuEngine,
    inputs: RecoveryInputs,
    candidates: Option<PublicKeys>,
    out: &mut ResultSink,
) {
    recover_each::<C>(engine, inputs, candidates, 64, decode::put, out);
}

/// Recovers Ethereum addresses of the keys (yellow paper, appendix F).
pub fn addresses<C: BaseTables>(
    engine: &CpuEngine,
    inputs: RecoveryInputs,
    candidates: Option<PublicKeys>,
    out: &mut ResultSink,
) {
    recover_each::<C>(
        engine,
        inputs,
        candidates,
        size_of::<Address>(),
        put_address,
        out,
    );
}

/// Writes rows of `width` bytes, which `put` derives from each key.
fn recover_each<C: BaseTables>(
    engine: &CpuEngine,
    inputs: RecoveryInputs,
    candidates: Option<PublicKeys>,
    width: usize,
    put: impl Fn(&mut ResultsMut, usize, &Affine<C::Base>) + Sync,
    out: &mut ResultSink,
) {
    let Some(candidates) = candidates else {
        return recover_cpu::recover_each::<C>(engine, inputs, width, &put, out);
    };
    for (part, mut results) in engine.planned_parts(out, MOST_PLANNED, PLANNED_BYTES) {
        recover_part::<C>(
            engine,
            inputs.slice(part.clone()),
            candidates.slice(part),
            width,
            &put,
            &mut results,
        );
    }
}

fn recover_part<C: BaseTables>(
    engine: &CpuEngine,
    inputs: RecoveryInputs,
    candidates: PublicKeys,
    width: usize,
    put: &(impl Fn(&mut ResultsMut, usize, &Affine<C::Base>) + Sync),
    out: &mut ResultSink,
) {
    let right = right_candidates::<C>(engine, inputs, &candidates, out.items());
    let others: Vec<usize> = (0..out.items())
        .filter(|item| right[*item].is_none())
        .collect();
    if others.len() == out.items() {
        return recover_cpu::recover_each::<C>(engine, inputs, width, put, out);
    }
    let digests: Vec<_> = others
        .iter()
        .map(|&item| *inputs.digests.get(item))
        .collect();
    let signatures: Vec<_> = others
        .iter()
        .map(|&item| *inputs.signatures.get(item))
        .collect();
    let recovery_ids: Vec<_> = others
        .iter()
        .map(|&item| *inputs.recovery_ids.get(item))
        .collect();
    let mut codes = vec![0; others.len()];
    let mut rows = vec![0; width * others.len()];
    let mut recovered = ResultsMut::new(&mut codes, [&mut rows, &mut []], [width, 0]);
    let of_others = RecoveryInputs::new(&digests, &signatures, &recovery_ids);
    recover_cpu::recover_each::<C>(
        engine,
        of_others,
        width,
        put,
        &mut recovered.reborrow().into(),
    );
    let recovered = recovered.as_results();
    engine.fill(out, [width, 0], |range, out| {
        let mut other = others.partition_point(|item| *item < range.start);
        for (place, item) in range.enumerate() {
            if let Some(key) = &right[item] {
                put(out, place, key);
            } else {
                out.codes[place] = recovered.codes[other];
                out.row(0, place).copy_from_slice(recovered.row(0, other));
                other += 1;
            }
        }
    });
}

/// Returns the candidate of each item if it is confirmed to be the key.
fn right_candidates<C: BaseTables>(
    engine: &CpuEngine,
    RecoveryInputs {
        digests,
        signatures,
        recovery_ids,
    }: RecoveryInputs,
    candidates: &PublicKeys,
    items: usize,
) -> Vec<Option<Affine<C::Base>>> {
    let mut right = vec![None; items];
    let given: Vec<usize> = (0..items)
        .filter(|&item| is_given(candidates.get(item)))
        .collect();
    let signatures = EcdsaSignatures {
        inputs: Verification {
            recovery_ids: Some(recovery_ids),
            ..Verification::new(digests, signatures, *candidates)
        },
        policy: Policy::default(),
    };
    find_valid::<C>(engine, &given, &signatures, |item, key| {
        right[item] = Some(*key)
    });
    right
}

/// Returns `true` if there is a candidate, valid or not: neither the identity nor an empty octet
/// string.
fn is_given(key: KeyBytes) -> bool {
    match key {
        KeyBytes::XOnly(_) => true,
        KeyBytes::Sec1(key) => !matches!(key, [] | [0]),
        KeyBytes::Raw(key) => *key != [0; 64],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{CurveId, types};
    use crate::known_answers::repeat;
    use crate::known_answers::signatures::Signatures;
    use crate::schemes::ecdsa::known_answers::answers;
    use crate::types::{Point, Verdict};
    use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
    use std::ffi::c_void;
    use std::fs::{self, File};
    use std::os::unix::fs::FileExt;
    use std::{env, process, ptr, slice};

    const ITEMS: usize = 5000;

    /// Items whose keys can be recovered.
    struct RecoverableItems {
        digests: Vec<[u8; 32]>,
        signatures: Vec<[u8; 64]>,
        ids: Vec<[u8; 1]>,
        keys: Vec<Point>,
    }

    impl RecoverableItems {
        fn new(curve: CurveId) -> Self {
            let Signatures {
                digests,
                signatures,
                recovery_ids,
                recovered,
                ..
            } = &answers(curve).signatures;
            let recoverable: Vec<usize> = (0..recovered.len())
                .filter(|item| recovered[*item].is_ok())
                .collect();
            let recoverable = repeat(&recoverable, ITEMS);
            RecoverableItems {
                digests: recoverable.iter().map(|item| digests[*item]).collect(),
                signatures: recoverable.iter().map(|item| signatures[*item]).collect(),
                ids: recoverable
                    .iter()
                    .map(|item| [recovery_ids[*item]])
                    .collect(),
                keys: recoverable
                    .iter()
                    .map(|item| recovered[*item].expect("a recoverable item"))
                    .collect(),
            }
        }

        fn inputs<'a>(&'a self, ids: &'a [[u8; 1]]) -> RecoveryInputs<'a> {
            RecoveryInputs::new(&self.digests, &self.signatures, ids)
        }
    }

    fn engine() -> CpuEngine {
        CpuEngine::new(Some(1), None).unwrap()
    }

    /// Returns for each item whether its candidate was confirmed.
    fn found(engine: &CpuEngine, inputs: RecoveryInputs, candidates: &[Point]) -> Vec<bool> {
        let candidates = PublicKeys::points(candidates);
        let right = right_candidates::<types::Secp256k1>(engine, inputs, &candidates, ITEMS);
        right.iter().map(Option::is_some).collect()
    }

    /// Equations find every right candidate, and no other. In particular they find none for items
    /// whose id denotes another R, although their signatures are valid.
    #[test]
    fn right_candidates_are_found() {
        let recoverable = RecoverableItems::new(CurveId::Secp256k1);
        let ids = &recoverable.ids;
        let keys = &recoverable.keys;
        let other_ids: Vec<[u8; 1]> = ids.iter().map(|[id]| [id ^ 1]).collect();
        let mut every_second = keys.clone();
        every_second
            .iter_mut()
            .step_by(2)
            .for_each(|key| *key = Point::IDENTITY);
        let no_keys = vec![Point::IDENTITY; ITEMS];
        for engine in [engine(), engine().portable()] {
            assert_eq!(
                found(&engine, recoverable.inputs(ids), keys),
                vec![true; ITEMS]
            );
            assert_eq!(
                found(&engine, recoverable.inputs(&other_ids), keys),
                vec![false; ITEMS]
            );
            assert_eq!(
                found(&engine, recoverable.inputs(ids), &no_keys),
                vec![false; ITEMS]
            );
            let of_every_second = found(&engine, recoverable.inputs(ids), &every_second);
            assert!(
                of_every_second
                    .into_iter()
                    .eq((0..ITEMS).map(|item| item % 2 == 1))
            );
        }
    }

    /// A file mapped as memory that is changed while it is read.
    struct SharedMemory {
        file: File,
        memory: *mut c_void,
        bytes: usize,
    }

    impl SharedMemory {
        fn new(content: &[u8]) -> Self {
            let path = env::temp_dir().join(format!("gecc-candidates-{}", process::id()));
            let file = File::options()
                .read(true)
                .write(true)
                .create_new(true)
                .open(&path);
            let file = file.expect("the temporary folder is writable");
            fs::remove_file(&path).expect("the file was just created");
            file.write_all_at(content, 0)
                .expect("the disk has free space");
            let flags = MapFlags::SHARED;
            let read = ProtFlags::READ;
            // SAFETY: a new mapping, of no more than the file has.
            let memory = unsafe { mmap(ptr::null_mut(), content.len(), read, flags, &file, 0) };
            SharedMemory {
                file,
                memory: memory.expect("files can be mapped"),
                bytes: content.len(),
            }
        }

        fn bytes(&self) -> &[u8] {
            // SAFETY: mapped until it is dropped. That its bytes change is what the test is about;
            // any byte is a `u8`.
            unsafe { slice::from_raw_parts(self.memory.cast(), self.bytes) }
        }
    }

    impl Drop for SharedMemory {
        fn drop(&mut self) {
            // SAFETY: no references to the mapping remain.
            unsafe { munmap(self.memory, self.bytes) }.expect("it is mapped");
        }
    }

    /// Tests candidates that are overwritten when the first result is available.
    #[test]
    fn concurrently_changed_candidates_are_read_once() {
        let recoverable = RecoverableItems::new(CurveId::P256);
        let rows: Vec<u8> = recoverable
            .keys
            .iter()
            .flat_map(|key| &key.as_sec1()[1..])
            .copied()
            .collect();
        let engine = engine();
        for other in [
            vec![0; rows.len()],
            rows[64..].iter().chain(&rows[..64]).copied().collect(),
        ] {
            let candidates = SharedMemory::new(&rows);
            let mut codes = vec![0; ITEMS];
            let mut out = vec![0; 64 * ITEMS];
            let mut results = ResultsMut::new(&mut codes, [&mut out, &mut []], [64, 0]).into();
            let given = PublicKeys::raw(candidates.bytes().as_chunks().0);
            recover_each::<types::P256>(
                &engine,
                recoverable.inputs(&recoverable.ids),
                Some(given),
                64,
                |out, place, key| {
                    candidates.file.write_all_at(&other, 0).unwrap();
                    decode::put(out, place, key);
                },
                &mut results,
            );
            assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
            assert_eq!(out, rows);
        }
    }

    #[test]
    fn identity_and_empty_keys_are_not_candidates() {
        let identity = [Point::IDENTITY];
        let zeros = [[0; 64]];
        let none = [
            PublicKeys::points(&identity),
            PublicKeys::raw(&zeros),
            PublicKeys::all(&[]),
            PublicKeys::all(&[0]),
        ];
        assert!(none.iter().all(|keys| !is_given(keys.get(0))));
        let raw = [[1; 64]];
        let x_only = [[0; 32]];
        let some = [
            PublicKeys::raw(&raw),
            PublicKeys::x_only(&x_only),
            PublicKeys::all(&[2]),
            PublicKeys::all(&[0, 0]),
        ];
        assert!(some.iter().all(|keys| is_given(keys.get(0))));
    }
}
