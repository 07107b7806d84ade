//! Proofs that do not match, and batches that cannot be proved.

use super::suites::OprfSuite;
use super::{elements, results};
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use gecc::oprf::{self, Mode, Outputs, Proof};
use gecc::{Engine, Error, Rejection, SecretKey};

/// The messages of a client and a server.
struct Transcript<S: OprfSuite> {
    inputs: Vec<Vec<u8>>,
    blinds: Vec<SecretKey>,
    blinded: Vec<S::Element>,
    key: SecretKey,
    public_key: S::Element,
    evaluated: Vec<S::Element>,
    proof: Proof,
}

impl<S: OprfSuite> Transcript<S> {
    fn new(engine: &Engine, items: usize) -> Self {
        let mut random = Random::new();
        let inputs: Vec<_> = (0..items).map(|_| random.vector(16)).collect();
        let (key, public_key) = S::key_pair(engine);
        let (blinds, blinded) = oprf::blind(engine, S::SUITE, Mode::Voprf, &inputs).unwrap();
        let blinded = elements(&blinded);
        let (evaluated, proof) =
            oprf::evaluate_with_proof(engine, S::SUITE, &key, &blinded).unwrap();
        Transcript {
            inputs,
            blinds,
            blinded,
            key,
            public_key,
            evaluated,
            proof,
        }
    }

    fn finalize(&self, engine: &Engine) -> Result<Outputs<S>, Error> {
        oprf::finalize_with_proof(
            engine,
            S::SUITE,
            &self.inputs,
            &self.blinds,
            &self.blinded,
            &self.evaluated,
            &self.public_key,
            &self.proof,
        )
    }

    fn verify(&self, engine: &Engine) -> Result<(), Error> {
        oprf::verify_proof(
            engine,
            S::SUITE,
            &self.public_key,
            &self.blinded,
            &self.evaluated,
            &self.proof,
        )
    }

    #[track_caller]
    fn is_valid(&self, engine: &Engine) {
        self.verify(engine).unwrap();
        let known =
            oprf::evaluate_inputs(engine, S::SUITE, Mode::Voprf, &self.key, &self.inputs).unwrap();
        assert_eq!(results(&self.finalize(engine).unwrap()), results(&known));
    }

    #[track_caller]
    fn is_invalid(&self, engine: &Engine) {
        assert!(matches!(self.verify(engine), Err(Error::InvalidProof)));
        assert!(matches!(self.finalize(engine), Err(Error::InvalidProof)));
    }
}

/// Returns a scalar in place of the half of a proof that begins at a byte.
fn with_scalar(proof: &Proof, start: usize, scalar: [u8; 32]) -> Proof {
    let mut altered = *proof;
    altered[start..][..32].copy_from_slice(&scalar);
    altered
}

#[apply(on_every_engine)]
fn altered_proofs_fail<S: OprfSuite>(engine: &Engine) {
    let mut transcript = Transcript::<S>::new(engine, 5);
    transcript.is_valid(engine);
    let proof = transcript.proof;
    for bit in (0..512).step_by(37) {
        transcript.proof = proof;
        transcript.proof[bit / 8] ^= 1 << (bit % 8);
        transcript.is_invalid(engine);
    }
    // Zero, the order and numbers above it, for c and for s.
    let order = S::order();
    for start in [0, 32] {
        for scalar in [[0; 32], order, [0xff; 32]] {
            transcript.proof = with_scalar(&proof, start, scalar);
            transcript.is_invalid(engine);
        }
    }
    transcript.proof = [0; 64];
    transcript.is_invalid(engine);
    transcript
        .proof
        .copy_from_slice(&[&proof[32..], &proof[..32]].concat());
    transcript.is_invalid(engine);
    transcript.proof = proof;
    transcript.is_valid(engine);
}

#[apply(on_every_engine)]
fn elements_that_do_not_belong_together_fail<S: OprfSuite>(engine: &Engine) {
    for items in [2, 70] {
        let mut transcript = Transcript::<S>::new(engine, items);
        let evaluated = transcript.evaluated.clone();
        let blinded = transcript.blinded.clone();
        // Swapped on one side, and on both: the proof is of an ordered list.
        transcript.evaluated.swap(0, items - 1);
        transcript.is_invalid(engine);
        transcript.blinded.swap(0, items - 1);
        transcript.is_invalid(engine);
        transcript.evaluated = evaluated.clone();
        transcript.is_invalid(engine);
        transcript.blinded = blinded.clone();
        transcript.is_valid(engine);
        // The negative of an element.
        for item in [0, items / 2, items - 1] {
            transcript.evaluated[item] = S::negative(&evaluated[item]);
            transcript.is_invalid(engine);
            transcript.evaluated = evaluated.clone();
            transcript.blinded[item] = S::negative(&blinded[item]);
            transcript.is_invalid(engine);
            transcript.blinded = blinded.clone();
        }
        // One element of another key.
        let (other, _) = S::key_pair(engine);
        let of_other = oprf::evaluate(engine, S::SUITE, &other, &blinded).unwrap();
        let of_other = elements(&of_other);
        transcript.evaluated[items - 1] = of_other[items - 1];
        transcript.is_invalid(engine);
        transcript.evaluated = evaluated;
        transcript.is_valid(engine);
    }
}

/// A proof for a part of the elements, or for more of them.
#[apply(on_every_engine)]
fn proofs_of_other_batches_fail<S: OprfSuite>(engine: &Engine) {
    let mut transcript = Transcript::<S>::new(engine, 4);
    transcript.inputs.pop();
    transcript.blinds.pop();
    transcript.blinded.pop();
    transcript.evaluated.pop();
    transcript.is_invalid(engine);
    let (_, proof) =
        oprf::evaluate_with_proof(engine, S::SUITE, &transcript.key, &transcript.blinded[..2])
            .unwrap();
    transcript.proof = proof;
    transcript.is_invalid(engine);
}

#[apply(on_every_engine)]
fn other_keys_fail<S: OprfSuite>(engine: &Engine) {
    let mut transcript = Transcript::<S>::new(engine, 3);
    let public_key = transcript.public_key;
    let (other, other_public) = S::key_pair(engine);
    transcript.public_key = other_public;
    transcript.is_invalid(engine);
    transcript.public_key = public_key;
    transcript.public_key = S::negative(&public_key);
    transcript.is_invalid(engine);
    transcript.public_key = public_key;
    // A server that proves the use of a key which is not that of its public key.
    (transcript.evaluated, transcript.proof) =
        oprf::evaluate_with_proof(engine, S::SUITE, &other, &transcript.blinded).unwrap();
    transcript.is_invalid(engine);
    transcript.public_key = other_public;
    transcript.key = other;
    transcript.is_valid(engine);
}

#[apply(on_every_engine)]
fn malformed_public_keys_are_errors<S: OprfSuite>(engine: &Engine) {
    let mut transcript = Transcript::<S>::new(engine, 2);
    for (public_key, expected) in S::malformed() {
        transcript.public_key = public_key;
        for result in [
            transcript.verify(engine),
            transcript.finalize(engine).map(drop),
        ] {
            match result {
                Err(Error::InvalidServerKey(reason)) => assert_eq!(reason, expected),
                other => panic!("{other:?}"),
            }
        }
    }
}

/// A malformed element makes the whole call fail, on both sides.
#[apply(on_every_engine)]
fn malformed_elements_are_errors<S: OprfSuite>(engine: &Engine) {
    const ITEMS: usize = 70;
    #[track_caller]
    fn fails<T>(result: Result<T, Error>, list: &str, index: usize, expected: Rejection) {
        match result.map(drop) {
            Err(Error::InvalidElement { what, item, reason }) => {
                assert_eq!((what, item, reason), (list, index, expected))
            }
            other => panic!("{other:?}"),
        }
    }
    let mut transcript = Transcript::<S>::new(engine, ITEMS);
    for (row, reason) in S::malformed() {
        for item in [0, ITEMS / 2, ITEMS - 1] {
            let right = std::mem::replace(&mut transcript.blinded[item], row);
            let evaluated =
                oprf::evaluate_with_proof(engine, S::SUITE, &transcript.key, &transcript.blinded);
            fails(evaluated, "blinded elements", item, reason);
            fails(transcript.verify(engine), "blinded elements", item, reason);
            transcript.blinded[item] = right;
            let right = std::mem::replace(&mut transcript.evaluated[item], row);
            fails(
                transcript.verify(engine),
                "evaluated elements",
                item,
                reason,
            );
            fails(
                transcript.finalize(engine),
                "evaluated elements",
                item,
                reason,
            );
            transcript.evaluated[item] = right;
        }
    }
    transcript.is_valid(engine);
}

#[apply(on_every_engine)]
fn keys_out_of_range_are_errors<S: OprfSuite>(engine: &Engine) {
    let (_, blinded) = oprf::blind(engine, S::SUITE, Mode::Voprf, &["a", "b"]).unwrap();
    for bytes in [[0; 32], S::order(), [0xff; 32]] {
        let key = SecretKey::from_bytes(bytes);
        for result in [
            oprf::evaluate_with_proof(engine, S::SUITE, &key, &elements(&blinded)).map(drop),
            oprf::public_key(engine, S::SUITE, &key).map(drop),
        ] {
            match result {
                Err(Error::InvalidServerKey(reason)) => {
                    assert_eq!(reason, Rejection::SecretKeyOutOfRange)
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// One element less than the smallest batch, and one more than the largest.
#[apply(on_every_engine)]
fn batches_that_cannot_be_proved_are_errors<S: OprfSuite>(engine: &Engine) {
    #[track_caller]
    fn fails<T>(result: Result<T, Error>, expected: usize) {
        match result.map(drop) {
            Err(Error::Unprovable { items, .. }) => assert_eq!(items, expected),
            other => panic!("{other:?}"),
        }
    }
    let transcript = Transcript::<S>::new(engine, 1);
    transcript.is_valid(engine);
    let Transcript {
        key,
        public_key,
        proof,
        ..
    } = &transcript;
    for items in [0, oprf::MOST_PROVED + 1] {
        let inputs = vec![""; items];
        let blinds = vec![key.clone(); items];
        let elements = vec![*public_key; items];
        fails(
            oprf::evaluate_with_proof(engine, S::SUITE, key, &elements),
            items,
        );
        fails(
            oprf::verify_proof(engine, S::SUITE, public_key, &elements, &elements, proof),
            items,
        );
        fails(
            oprf::finalize_with_proof(
                engine,
                S::SUITE,
                &inputs,
                &blinds,
                &elements,
                &elements,
                public_key,
                proof,
            ),
            items,
        );
    }
}
