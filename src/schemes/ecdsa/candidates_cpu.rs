//! Recovery on the CPU where the caller has candidates: for each item a public key that may have made the signature.
//!
//! The recovery id says which point R is. As r is not 0, one key alone fulfils u1 G + u2 Q = R, with u1 = e / s and u2 = r / s: the
//! key that is recovered, Q = (s R - e G) / r. Candidates for which that holds are found by equations of groups
//! (`frame::together`). An item whose candidate is not found is recovered, which gives its key or its reason.

use super::cpu::named_equations;
use super::recover_cpu::{self, Inputs, put_address};
use crate::cpu::point::Affine;
use crate::cpu::tables::BaseTables;
use crate::cpu::{CpuEngine, decode};
use crate::schemes::frame::together::cpu::find_valid;
use crate::schemes::frame::verify_cpu::NamedById;
use crate::types::{Address, KeyBytes, Place, Policy, PublicKeys, ResultsMut};

/// Items that are planned at once where the caller sets no limit, and bytes that one takes: its inputs and results where it is
/// recovered.
const MOST_PLANNED: usize = 1 << 20;
const PLANNED_BYTES: usize = 256;

/// The keys.
pub fn recover<C: BaseTables>(engine: &CpuEngine, inputs: Inputs, candidates: PublicKeys, out: &mut dyn Place) {
    recover_each::<C>(engine, inputs, candidates, 64, decode::put, out);
}

/// Ethereum addresses of the keys.
pub fn addresses<C: BaseTables>(engine: &CpuEngine, inputs: Inputs, candidates: PublicKeys, out: &mut dyn Place) {
    recover_each::<C>(engine, inputs, candidates, size_of::<Address>(), put_address, out);
}

/// Rows of so many bytes, which `put` makes of each key.
fn recover_each<C: BaseTables>(
    engine: &CpuEngine,
    inputs: Inputs,
    candidates: PublicKeys,
    width: usize,
    put: impl Fn(&mut ResultsMut, usize, &Affine<C::Base>) + Sync,
    out: &mut dyn Place,
) {
    for (part, mut place) in engine.planned_parts(out, MOST_PLANNED, PLANNED_BYTES) {
        recover_part::<C>(engine, inputs.slice(part.clone()), candidates.slice(part), width, &put, &mut *place);
    }
}

fn recover_part<C: BaseTables>(
    engine: &CpuEngine,
    inputs: Inputs,
    candidates: PublicKeys,
    width: usize,
    put: &(impl Fn(&mut ResultsMut, usize, &Affine<C::Base>) + Sync),
    out: &mut dyn Place,
) {
    let is_right = right_candidates::<C>(engine, inputs, &candidates, out.items());
    let others: Vec<usize> = (0..out.items()).filter(|item| !is_right[*item]).collect();
    if others.len() == out.items() {
        return recover_cpu::recover_each::<C>(engine, inputs, width, put, out);
    }
    let (mut codes, mut rows) = (vec![0; others.len()], vec![0; width * others.len()]);
    let mut recovered = ResultsMut::new(&mut codes, [&mut rows, &mut []], [width, 0]);
    recover_some::<C>(engine, inputs, &others, width, put, &mut recovered);
    let recovered = recovered.as_results();
    engine.fill(out, [width, 0], |range, out| {
        let right = range.clone().filter(|item| is_right[*item]).map(|item| candidates.get(item));
        let mut keys = decode::public_keys::<C>(engine.lanes, right).into_iter();
        let mut other = others.partition_point(|item| *item < range.start);
        for (place, item) in range.enumerate() {
            if is_right[item] {
                let key = keys.next().expect("one for each right candidate");
                put(out, place, &key.expect("no other candidate is right"));
            } else {
                out.codes[place] = recovered.codes[other];
                out.row(0, place).copy_from_slice(recovered.row(0, other));
                other += 1;
            }
        }
    });
}

/// Which items have a candidate that is found to be the key.
fn right_candidates<C: BaseTables>(
    engine: &CpuEngine,
    Inputs { digests, signatures, recovery_ids }: Inputs,
    candidates: &PublicKeys,
    items: usize,
) -> Vec<bool> {
    let mut is_right = vec![false; items];
    let given: Vec<usize> = (0..items).filter(|&item| is_given(candidates.get(item))).collect();
    let equations = |items: &[usize]| named_equations::<C>(items, digests, signatures, recovery_ids, Policy::default());
    find_valid::<C, NamedById<C>>(engine, &given, candidates, &equations, |item| is_right[item] = true);
    is_right
}

/// Whether there is a candidate, good or bad: neither the identity nor an empty octet string.
fn is_given(key: KeyBytes) -> bool {
    match key {
        KeyBytes::XOnly(_) => true,
        KeyBytes::Sec1(key) => !matches!(key, [] | [0]),
        KeyBytes::Raw(key) => *key != [0; 64],
    }
}

/// The results of some items.
fn recover_some<C: BaseTables>(
    engine: &CpuEngine,
    Inputs { digests, signatures, recovery_ids }: Inputs,
    items: &[usize],
    width: usize,
    put: &(impl Fn(&mut ResultsMut, usize, &Affine<C::Base>) + Sync),
    out: &mut ResultsMut,
) {
    let digests: Vec<_> = items.iter().map(|&item| *digests.get(item)).collect();
    let signatures: Vec<_> = items.iter().map(|&item| *signatures.get(item)).collect();
    let recovery_ids: Vec<_> = items.iter().map(|&item| *recovery_ids.get(item)).collect();
    let inputs =
        Inputs { digests: (&digests).into(), signatures: (&signatures).into(), recovery_ids: (&recovery_ids).into() };
    recover_cpu::recover_each::<C>(engine, inputs, width, put, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{CurveId, types};
    use crate::known_answers::{self, Signatures, repeat};
    use crate::types::Point;

    const ITEMS: usize = 5000;

    /// Equations find every candidate that is right, and no other: none of items whose id says another R, with which their
    /// signatures are valid all the same.
    #[test]
    fn right_candidates_are_found() {
        let Signatures { digests, signatures, recovery_ids, recovered, .. } =
            &known_answers::of(CurveId::Secp256k1).signatures;
        let good: Vec<usize> = (0..recovered.len()).filter(|item| recovered[*item].is_ok()).collect();
        let good = repeat(&good, ITEMS);
        let digests: Vec<[u8; 32]> = good.iter().map(|item| digests[*item]).collect();
        let signatures: Vec<[u8; 64]> = good.iter().map(|item| signatures[*item]).collect();
        let ids: Vec<[u8; 1]> = good.iter().map(|item| [recovery_ids[*item]]).collect();
        let other_ids: Vec<[u8; 1]> = ids.iter().map(|[id]| [id ^ 1]).collect();
        let keys: Vec<Point> = good.iter().map(|item| recovered[*item].expect("a good item")).collect();
        let mut every_second = keys.clone();
        every_second.iter_mut().step_by(2).for_each(|key| *key = Point::IDENTITY);
        let engine = || CpuEngine::new(Some(1), None).unwrap();
        for engine in [engine(), engine().portable()] {
            let find = |ids: &[[u8; 1]], keys: &[Point]| {
                let (digests, signatures) = ((&digests).into(), (&signatures).into());
                let inputs = Inputs { digests, signatures, recovery_ids: ids.into() };
                right_candidates::<types::Secp256k1>(&engine, inputs, &PublicKeys::points(keys), ITEMS)
            };
            assert_eq!(find(&ids, &keys), vec![true; ITEMS]);
            assert_eq!(find(&other_ids, &keys), vec![false; ITEMS]);
            assert_eq!(find(&ids, &vec![Point::IDENTITY; ITEMS]), vec![false; ITEMS]);
            assert!(find(&ids, &every_second).into_iter().eq((0..ITEMS).map(|item| item % 2 == 1)));
        }
    }

    #[test]
    fn the_identity_and_nothing_are_no_candidates() {
        let (identity, zeros) = ([Point::IDENTITY], [[0; 64]]);
        let none =
            [PublicKeys::points(&identity), PublicKeys::raw(&zeros), PublicKeys::all(&[]), PublicKeys::all(&[0])];
        assert!(none.iter().all(|keys| !is_given(keys.get(0))));
        let (raw, x_only) = ([[1; 64]], [[0; 32]]);
        let some =
            [PublicKeys::raw(&raw), PublicKeys::x_only(&x_only), PublicKeys::all(&[2]), PublicKeys::all(&[0, 0])];
        assert!(some.iter().all(|keys| is_given(keys.get(0))));
    }
}
