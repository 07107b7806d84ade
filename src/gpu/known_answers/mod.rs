//! Operations are tested by known answers on each device before they are used there.
//!
//! Kernels come from whatever NVRTC is installed. These tests stand between one that it compiled wrongly and a wrong verdict:
//! where an answer is not the known one, the operation is out of use on the device. Each operation names its tests
//! (`Operation::tests`), which together run every kernel that it starts.

mod numbers;
mod points;
mod secrets;
mod signatures;

use super::fault::{Fault, FaultKind};
use super::lane::Lane;
use super::lock;
use super::pipeline::{Chunk, Operation};
use super::plan::Bytes;
use crate::cpu::CpuEngine;
use crate::curve::{Curve, EcdsaCurve, SecretCurve, Sm2, types};
use crate::known_answers;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Mutex;

/// Items of a test. One block of threads computes them, so that its threads have several each, as in a large batch.
const ITEMS: usize = 300;

/// A test of an operation.
#[derive(Clone, Copy)]
pub struct Test {
    pub operation: &'static str,
    /// The curve, or the size of numbers.
    pub on: &'static str,
    run: fn(&mut Trial) -> Result<(), Fault>,
}

/// A lane on which an operation is tried.
pub struct Trial<'a> {
    test: Test,
    lane: &'a mut Lane,
    cpu: &'a CpuEngine,
    /// What the lane will need for the work itself.
    most: Bytes,
}

impl Trial<'_> {
    /// What a chunk of all items gives.
    fn compute<O: Operation>(&mut self, operation: &O) -> Result<Vec<O::Output>, Fault> {
        let before = self.lane.use_one_block(true);
        let results = self.compute_expecting(operation, operation.items());
        self.lane.use_one_block(before);
        results
    }

    /// The same on the whole device, as a part of a batch of which so many items are still to come.
    fn compute_expecting<O: Operation>(&mut self, operation: &O, expected: usize) -> Result<Vec<O::Output>, Fault> {
        let Trial { lane, cpu, most, .. } = self;
        let items = operation.items();
        let buffers = lane.begin(items, *most, O::SECRET, |plan| operation.plan(plan, &(0..items)))?;
        let mut results = Vec::with_capacity(items);
        let out = &mut results.spare_capacity_mut()[..items];
        operation.compute(Chunk { lane, cpu, items: 0..items, expected }, &buffers, out)?;
        // SAFETY: a chunk that is computed has written one result for each of its items.
        unsafe { results.set_len(items) };
        // Nobody has asked for the times of a test's kernels.
        lane.forget_times();
        lane.end()?;
        Ok(results)
    }

    /// Whether these are the known answers.
    fn compare<T: PartialEq>(
        &self,
        given: impl IntoIterator<Item = T>,
        known: impl IntoIterator<Item = T>,
    ) -> Result<(), Fault> {
        known_answers::compare(self.test.operation, self.test.on, given, known).map_err(Fault::answers)
    }

    fn check<O: Operation<Output: PartialEq>>(&mut self, operation: &O, known: Vec<O::Output>) -> Result<(), Fault> {
        let given = self.compute(operation)?;
        self.compare(given, known)
    }
}

/// What came of tests, by the operation and what it was on.
type Outcomes = HashMap<(&'static str, &'static str), Result<(), Fault>>;

/// What is known of the operations on one device.
#[derive(Debug, Default)]
pub struct Tested(Mutex<Outcomes>);

impl Tested {
    /// Runs a test unless that was done. Lanes that come at the same time may all run it: none waits for another.
    ///
    /// # Errors
    /// The wrong answer, at once the next time; or why the test could not be run, and then the next one tries again.
    fn pass(&self, test: &Test, run: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
        let key = (test.operation, test.on);
        if let Some(result) = lock(&self.0).get(&key) {
            return result.clone();
        }
        let result = run();
        match &result {
            Err(fault) if fault.kind != FaultKind::Answers => {}
            // One wrong answer is enough, whatever others got.
            Err(_) => _ = lock(&self.0).insert(key, result.clone()),
            Ok(()) => _ = lock(&self.0).entry(key).or_insert(Ok(())),
        }
        result
    }

    /// Wrong answers.
    pub fn problems(&self) -> Vec<String> {
        let tested = lock(&self.0);
        let mut problems: Vec<String> =
            tested.values().filter_map(|result| Some(result.as_ref().err()?.problem.clone())).collect();
        problems.sort_unstable();
        problems
    }
}

/// Runs tests on a lane, unless its device has passed them.
///
/// # Errors
/// As for `Tested::pass`. Then the lane is not to be used again.
pub fn pass(lane: &mut Lane, cpu: &CpuEngine, most: Bytes, tests: &[Test]) -> Result<(), Fault> {
    let device = lane.device.clone();
    tests
        .iter()
        .try_for_each(|test| device.tested.pass(test, || (test.run)(&mut Trial { test: *test, lane, cpu, most })))
}

/// The tests of the operations on a curve.
pub struct Tests<C>(PhantomData<C>);

macro_rules! test {
    ($operation:literal, $on:expr, $run:expr) => {
        Test { operation: $operation, on: $on, run: $run }
    };
}

impl<C: Curve> Tests<C> {
    const OF_KEYS: Test = test!("decoding of keys", C::NAME, points::keys::<C>);
    const OF_SUMS: Test = test!("addition", C::NAME, points::sums::<C>);
    const OF_DOUBLES: Test = test!("doubling", C::NAME, points::doubles::<C>);
    const OF_BASE_PRODUCTS: Test = test!("multiplication of G", C::NAME, points::base_products::<C>);
    const OF_PRODUCTS: Test = test!("multiplication", C::NAME, points::products::<C>);

    pub const KEYS: &'static [Test] = &[Self::OF_KEYS];
    pub const ADD: &'static [Test] = &[Self::OF_SUMS];
    pub const DOUBLE: &'static [Test] = &[Self::OF_DOUBLES];
    pub const MUL_BASE: &'static [Test] = &[Self::OF_BASE_PRODUCTS];
    pub const MUL: &'static [Test] = &[Self::OF_PRODUCTS];
}

impl<C: SecretCurve> Tests<C> {
    const OF_PUBLIC_KEYS: Test = test!("computing public keys", C::NAME, secrets::public_keys::<C>);
    const OF_AGREEMENT: Test = test!("ECDH", C::NAME, secrets::agreement::<C>);

    pub const PUBLIC_KEYS: &'static [Test] = &[Self::OF_PUBLIC_KEYS];
    pub const AGREEMENT: &'static [Test] = &[Self::OF_KEYS, Self::OF_AGREEMENT];
}

/// Those of a scheme for signatures: where tables of keys are not used, and where they may be.
#[derive(Clone, Copy)]
pub struct SchemeTests {
    pub verify: [&'static [Test]; 2],
    pub sign: &'static [Test],
    pub sign_and_verify: [&'static [Test]; 2],
    /// Empty where there is no recovery.
    pub sign_and_recover: &'static [Test],
}

impl<C: EcdsaCurve> Tests<C> {
    const OF_VERIFICATION: Test = test!("verification", C::NAME, signatures::verification::<C>);
    const OF_KEY_TABLES: Test = test!("verification by tables of keys", C::NAME, signatures::key_tables::<C>);
    const OF_RECOVERY: Test = test!("recovery", C::NAME, signatures::recovery::<C>);
    const OF_ADDRESSES: Test = test!("recovery of addresses", C::NAME, signatures::addresses::<C>);
    const OF_SIGNING: Test = test!("signing", C::NAME, secrets::signing::<C>);

    pub const RECOVER: &'static [Test] = &[Self::OF_RECOVERY];
    pub const ADDRESSES: &'static [Test] = &[Self::OF_ADDRESSES];
    pub const ECDSA: SchemeTests = SchemeTests {
        verify: [&[Self::OF_KEYS, Self::OF_VERIFICATION], &[Self::OF_KEYS, Self::OF_VERIFICATION, Self::OF_KEY_TABLES]],
        sign: &[Self::OF_SIGNING],
        sign_and_verify: [
            &[Self::OF_SIGNING, Self::OF_PUBLIC_KEYS, Self::OF_VERIFICATION],
            &[Self::OF_SIGNING, Self::OF_PUBLIC_KEYS, Self::OF_VERIFICATION, Self::OF_KEY_TABLES],
        ],
        sign_and_recover: &[Self::OF_SIGNING, Self::OF_PUBLIC_KEYS, Self::OF_RECOVERY],
    };
}

impl Tests<Sm2> {
    const OF_SM2_VERIFICATION: Test = test!("verification", Sm2::NAME, signatures::sm2_verification);
    const OF_SM2_KEY_TABLES: Test = test!("verification by tables of keys", Sm2::NAME, signatures::sm2_key_tables);
    const OF_SM2_SIGNING: Test = test!("signing", Sm2::NAME, secrets::sm2_signing);
    const OF_SM3: Test = test!("SM3 of messages", Sm2::NAME, numbers::sm3);

    pub const SM3: &'static [Test] = &[Self::OF_KEYS, Self::OF_SM3];
    pub const SM2: SchemeTests = SchemeTests {
        verify: [
            &[Self::OF_KEYS, Self::OF_SM2_VERIFICATION],
            &[Self::OF_KEYS, Self::OF_SM2_VERIFICATION, Self::OF_SM2_KEY_TABLES],
        ],
        sign: &[Self::OF_SM2_SIGNING],
        sign_and_verify: [
            &[Self::OF_SM2_SIGNING, Self::OF_PUBLIC_KEYS, Self::OF_SM2_VERIFICATION],
            &[Self::OF_SM2_SIGNING, Self::OF_PUBLIC_KEYS, Self::OF_SM2_VERIFICATION, Self::OF_SM2_KEY_TABLES],
        ],
        sign_and_recover: &[],
    };
}

/// Tests of operations that have no curve.
pub const SHA256: &[Test] = &[test!("SHA-256", "messages", numbers::sha256)];

/// Of numbers of so many bytes.
pub struct OfNumbers<const BYTES: usize>;

impl<const BYTES: usize> OfNumbers<BYTES> {
    const SIZE: &'static str = match BYTES {
        16 => "128 bits",
        24 => "192 bits",
        32 => "256 bits",
        40 => "320 bits",
        48 => "384 bits",
        56 => "448 bits",
        64 => "512 bits",
        128 => "1024 bits",
        192 => "1536 bits",
        256 => "2048 bits",
        _ => panic!("no operation has this size"),
    };
    pub const POWERS: &'static [Test] = &[test!("modular exponentiation", Self::SIZE, numbers::powers::<BYTES>)];
    pub const PRODUCTS: &'static [Test] = &[test!("modular multiplication", Self::SIZE, numbers::products::<BYTES>)];
}

/// All tests that a device can run.
pub fn all() -> Vec<Test> {
    macro_rules! of_ecdsa_curves {
        ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
            [$(of_ecdsa::<types::$curve>()),*]
        };
    }
    let ecdsa = for_each_ecdsa_curve!(of_ecdsa_curves!);
    let sm2 = [of_scheme::<Sm2>(Tests::<Sm2>::SM2), Tests::<Sm2>::SM3.to_vec()];
    let numbers = [
        OfNumbers::<16>::PRODUCTS,
        OfNumbers::<24>::PRODUCTS,
        OfNumbers::<32>::PRODUCTS,
        OfNumbers::<40>::PRODUCTS,
        OfNumbers::<48>::PRODUCTS,
        OfNumbers::<56>::PRODUCTS,
        OfNumbers::<64>::PRODUCTS,
        OfNumbers::<128>::POWERS,
        OfNumbers::<192>::POWERS,
        OfNumbers::<256>::POWERS,
    ];
    let mut all = [ecdsa.concat(), sm2.concat(), SHA256.to_vec(), numbers.concat()].concat();
    let mut seen = std::collections::HashSet::new();
    all.retain(|test| seen.insert((test.operation, test.on)));
    all
}

fn of_ecdsa<C: EcdsaCurve>() -> Vec<Test> {
    [of_scheme::<C>(Tests::<C>::ECDSA), [Tests::<C>::RECOVER, Tests::<C>::ADDRESSES].concat()].concat()
}

fn of_scheme<C: SecretCurve>(scheme: SchemeTests) -> Vec<Test> {
    let points = [Tests::<C>::KEYS, Tests::<C>::ADD, Tests::<C>::DOUBLE, Tests::<C>::MUL_BASE, Tests::<C>::MUL];
    let secrets = [Tests::<C>::PUBLIC_KEYS, Tests::<C>::AGREEMENT];
    [points.concat(), secrets.concat(), scheme.verify[1].to_vec(), scheme.sign.to_vec()].concat()
}

/// Of the tests without and with tables of keys, those before a chunk of so many items.
pub fn with_tables(tests: [&'static [Test]; 2], items: usize) -> &'static [Test] {
    tests[usize::from(super::key_tables::may_build(items))]
}

#[cfg(test)]
mod tests;
