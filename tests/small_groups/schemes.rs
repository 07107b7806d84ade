//! ECDSA, SM2 and BIP 340 verification, and recovery.

use super::cases::{self, Recoverable, Signed};
use super::*;
use crate::schemes::bip340::verify_cpu::Bip340Signatures;
use crate::schemes::common::Verification;
use crate::schemes::common::verify_cpu::{self, best_window};
use crate::schemes::ecdsa::recover_cpu;
use crate::types::{Policy, PublicKeys, ResultSink, rows_of};

/// Uses of a key in a call: too few for a table, and enough for a small one.
const FEW: usize = 5;
const MANY: usize = 18;

/// The number of times that all combinations of residues are taken, with other representatives each
/// time.
const TIMES: u64 = 2;

pub fn tests() -> impl Iterator<Item = Test> {
    let verification = in_groups!(ecdsa, sm2, bip340; in lanes [of_order_13 of_order_199]);
    verification.chain(in_groups!(recovery; in lanes [of_order_199]))
}

pub fn signature(r: &BigUint, s: &BigUint) -> [u8; 64] {
    [bytes(r), bytes(s)].concat().try_into().expect("64 bytes")
}

/// The engine's verification of the signatures of a scheme.
type Verify = fn(&CpuEngine, Verification, Policy, &mut ResultSink);

/// Verifies the items, with few and with many uses of a key in a call, or with the number of uses
/// that the engine supports.
fn check<C: SmallGroup>(engine: &CpuEngine, group: &Group, items: &[Signed], verify: Verify) {
    assert_eq!(best_window::<C>(engine.lanes, FEW), None);
    let window = best_window::<C>(engine.lanes, MANY).expect("the key gets a table");
    let few = takes_single_points(engine, group.order);
    let many = window <= C::WINDOW;
    assert!(few || many, "something is verified");
    for uses in [few.then_some(FEW), many.then_some(MANY)]
        .into_iter()
        .flatten()
    {
        check_calls(engine, group, &calls(group, items, uses), verify);
    }
}

/// The items in calls in which every key occurs `uses` times; to that end some occur again.
fn calls<'a>(group: &Group, items: &'a [Signed], uses: usize) -> Vec<Vec<&'a Signed>> {
    let mut calls: Vec<Vec<&Signed>> = Vec::new();
    for key in 1..group.order {
        let of_key: Vec<&Signed> = items.iter().filter(|item| item.key == key).collect();
        for (call, start) in (0..of_key.len()).step_by(uses).enumerate() {
            calls.resize_with(calls.len().max(call + 1), Vec::new);
            calls[call].extend(of_key.iter().cycle().skip(start).take(uses));
        }
    }
    calls
}

fn check_calls(engine: &CpuEngine, group: &Group, calls: &[Vec<&Signed>], verify: Verify) {
    for call in calls {
        let digests: Vec<_> = call.iter().map(|item| bytes(&item.digest)).collect();
        let signatures: Vec<_> = call
            .iter()
            .map(|item| signature(&item.r, &item.s))
            .collect();
        let keys: Vec<_> = call
            .iter()
            .map(|item| encode(group.point(item.key)))
            .collect();
        let digests = (&digests).into();
        let signatures = (&signatures).into();
        let keys = PublicKeys::points(&keys);
        let inputs = Verification::new(digests, signatures, keys);
        let results = rows_of::<0>(call.len(), |out| {
            verify(engine, inputs, Policy::default(), out)
        });
        for (item, result) in call.iter().zip(results) {
            let verdict = Verdict::from(result.map(|_| ()));
            assert_eq!(
                verdict, item.verdict,
                "{:x} {:x} of {:x} by {} G",
                item.r, item.s, item.digest, item.key
            );
        }
    }
    println!("{} items", calls.iter().map(Vec::len).sum::<usize>());
}

fn ecdsa<C: SmallGroup>(engine: &CpuEngine) {
    let mut group = group::<C>();
    let items = cases::ecdsa(&mut group, TIMES);
    let valid = items.iter().filter(|item| item.verdict.is_valid()).count();
    assert!(valid * 20 > items.len());
    check::<C>(
        engine,
        &group,
        &items,
        crate::schemes::ecdsa::cpu::verify::<C>,
    );
}

fn sm2<C: SmallGroup>(engine: &CpuEngine) {
    let mut group = group::<C>();
    let items = cases::sm2(&mut group, TIMES);
    check::<C>(
        engine,
        &group,
        &items,
        crate::schemes::sm2::cpu::verify::<C>,
    );
}

/// The digests are messages.
fn bip340<C: SmallGroup>(engine: &CpuEngine) {
    fn verify<C: SmallGroup>(
        engine: &CpuEngine,
        inputs: Verification,
        _: Policy,
        out: &mut ResultSink,
    ) {
        let signatures = Bip340Signatures {
            message: &|item| &inputs.digests.get(item)[..],
            message_bytes: 32,
            signatures: inputs.signatures,
            keys: inputs.keys,
            batch_verification: false,
        };
        verify_cpu::verify::<C>(engine, &signatures, out);
    }
    let mut group = group::<C>();
    let items = cases::bip340(&mut group, TIMES);
    let valid = items.iter().filter(|item| item.verdict.is_valid()).count();
    assert!(valid * 20 > items.len());
    check::<C>(engine, &group, &items, verify::<C>);
}

fn recovery<C: SmallGroup>(engine: &CpuEngine) {
    let mut group = group::<C>();
    let items = cases::recovery(&mut group, TIMES);
    assert!((2..4).all(|id| items.iter().any(|item| item.id == id && item.key.is_ok())));
    let digests: Vec<_> = items.iter().map(|item| bytes(&item.digest)).collect();
    let signatures: Vec<_> = items
        .iter()
        .map(|item| signature(&item.r, &item.s))
        .collect();
    let ids: Vec<_> = items.iter().map(|item| [item.id]).collect();
    let inputs = recover_cpu::RecoveryInputs::new(&digests, &signatures, &ids);
    let keys = rows_of(items.len(), |out| {
        recover_cpu::recover::<C>(engine, inputs, out)
    });
    for (
        key,
        Recoverable {
            digest,
            r,
            s,
            id,
            key: expected,
        },
    ) in keys.into_iter().zip(&items)
    {
        let expected = expected.map(|key| encode(group.point(key)));
        assert_eq!(
            key.map(|row| Point::from_row(&row)),
            expected,
            "{r:x} {s:x} of {digest:x}, id {id}"
        );
    }
    println!("{} items", items.len());
}
