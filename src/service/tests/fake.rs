//! An engine with known answers and scripted faults: a signature is the digest followed by the key.

use crate::call::Operation;
use crate::curve::CurveId;
use crate::engine::{Device, PageLocked};
use crate::service::compute::Compute;
use crate::service::kind::{COLUMNS, RequestKind};
use crate::service::lock;
use crate::service::{Caller, Coalescer, CoalescerBuilder, Request};
use crate::types::{Error, Rejection, Verdict};
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// The outcome of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    Error,
    Panic,
}

#[derive(Default)]
pub struct Fake {
    /// Numbers of all items that were computed.
    pub computed: Mutex<HashSet<u64>>,
    /// Batches that have been passed to the engine; their requests can no longer be dropped or
    /// refused.
    begun: AtomicUsize,
    /// Sizes of batches.
    pub batches: Mutex<Vec<usize>>,
    /// The outcomes of the next batches, in this order.
    pub faults: Mutex<Vec<Fault>>,
    /// The time that each batch takes.
    pub takes: Duration,
    /// Number of batches of ECDSA that may be computed; unlimited if `None`.
    allowed: Mutex<Option<usize>>,
    /// Number of arena columns that were allocated, and the maximum; unlimited if `None`.
    columns: Mutex<(usize, Option<usize>)>,
    changed: Condvar,
}

pub struct OnFake(pub Arc<Fake>);

impl Fake {
    pub fn taking(takes: Duration) -> Arc<Self> {
        Arc::new(Fake {
            takes,
            ..Fake::default()
        })
    }

    /// Creates an engine that computes no batch of ECDSA until it is allowed to.
    pub fn held() -> Arc<Self> {
        Arc::new(Fake {
            allowed: Mutex::new(Some(0)),
            ..Fake::default()
        })
    }

    /// Allows `batches` more batches to be computed.
    pub fn allow(&self, batches: usize) {
        *lock(&self.allowed).get_or_insert(0) += batches;
        self.changed.notify_all();
    }

    /// Prevents further arenas from being allocated until it is called with `None`.
    pub fn hold_arenas(&self, more: Option<usize>) {
        let mut columns = lock(&self.columns);
        columns.1 = more.map(|more| columns.0 + more * COLUMNS);
        self.changed.notify_all();
    }

    /// Returns the number of arenas that were requested.
    pub fn arenas(&self) -> usize {
        lock(&self.columns).0.div_ceil(COLUMNS)
    }

    pub fn begun(&self) -> usize {
        self.begun.load(Ordering::Relaxed)
    }

    /// Allows all batches from now on.
    pub fn release(&self) {
        *lock(&self.allowed) = None;
        self.changed.notify_all();
    }

    pub fn coalescer(self: &Arc<Self>, options: CoalescerBuilder) -> Coalescer {
        let options = options.options(1000, 2).expect("they fit each other");
        Coalescer::start(Box::new(OnFake(self.clone())), options).expect("threads")
    }

    fn wait(&self) {
        let mut allowed = self
            .changed
            .wait_while(lock(&self.allowed), |allowed| *allowed == Some(0))
            .unwrap();
        if let Some(allowed) = &mut *allowed {
            *allowed -= 1;
        }
    }
}

impl Compute for OnFake {
    fn only(&self) -> Option<Device> {
        Some(Device::Cpu)
    }

    fn first_choice(&self, _: RequestKind, _: usize) -> Device {
        Device::Cpu
    }

    fn compute(
        &self,
        _: Device,
        kind: RequestKind,
        [digests, keys, _]: [&[u8]; COLUMNS],
        codes: &mut [u8],
        rows: &mut [u8],
    ) -> Result<(), Error> {
        assert!(matches!(
            kind.operation,
            Operation::EcdsaSign(..) | Operation::Sm2Sign
        ));
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        if !matches!(kind.operation, Operation::Sm2Sign) {
            self.0.wait();
        }
        thread::sleep(self.0.takes);
        lock(&self.0.batches).push(codes.len());
        let items = digests
            .chunks(32)
            .zip(keys.chunks(32))
            .zip(codes)
            .zip(rows.chunks_mut(64));
        for (((digest, key), code), row) in items {
            let number = u64::from_le_bytes(digest[..8].try_into().unwrap());
            assert!(
                lock(&self.0.computed).insert(number),
                "{number} is computed twice"
            );
            *code = expected_code(number);
            row[..32].copy_from_slice(digest);
            row[32..].copy_from_slice(key);
        }
        let fault = lock(&self.0.faults).pop().unwrap_or(Fault::None);
        match fault {
            Fault::None => Ok(()),
            Fault::Error => Err(Error::Device("on purpose".to_owned())),
            Fault::Panic => panic!("on purpose"),
        }
    }

    fn memory(&self, bytes: usize) -> PageLocked<u8> {
        let Fake {
            columns, changed, ..
        } = &*self.0;
        let mut columns = lock(columns);
        columns.0 += 1;
        drop(
            changed
                .wait_while(columns, |(asked, most)| {
                    most.is_some_and(|most| *asked > most)
                })
                .unwrap(),
        );
        vec![0xee; bytes].into()
    }
}

fn expected_code(number: u64) -> u8 {
    if number % 7 == 3 {
        Rejection::SecretKeyOutOfRange.code()
    } else {
        Verdict::VALID_CODE
    }
}

/// Items with distinct numbers.
#[derive(Clone)]
pub struct Items {
    pub numbers: Vec<u64>,
    digests: Vec<[u8; 32]>,
    key: [u8; 32],
}

pub type Signed = Vec<Result<[u8; 64], Rejection>>;

impl Items {
    pub fn new(first: u64, count: usize) -> Self {
        let numbers: Vec<u64> = (first..first + count as u64).collect();
        let digests = numbers.iter().map(|number| {
            let mut digest = [number.wrapping_mul(31) as u8; 32];
            digest[..8].copy_from_slice(&number.to_le_bytes());
            digest
        });
        Items {
            digests: digests.collect(),
            key: [first as u8; 32],
            numbers,
        }
    }

    /// Signs on a curve, or with SM2 if `curve` is `None`.
    pub fn sign<'a>(&'a self, caller: &'a Caller, curve: Option<CurveId>) -> Request<'a, Signed> {
        let keys = crate::SecretKeys::rows(crate::Rows::all(&self.key));
        match curve {
            Some(curve) => caller.ecdsa_sign(curve, &self.digests, keys, Default::default()),
            None => caller.sm2_sign(&self.digests, keys),
        }
    }

    /// Compares answers with the expected ones.
    pub fn check(&self, signed: &Signed) {
        assert_eq!(signed.len(), self.numbers.len());
        for ((signed, number), digest) in signed.iter().zip(&self.numbers).zip(&self.digests) {
            let expected: [u8; 64] = [*digest, self.key].concat().try_into().unwrap();
            let is_rejected = expected_code(*number) != Verdict::VALID_CODE;
            assert_eq!(
                *signed,
                if is_rejected {
                    Err(Rejection::SecretKeyOutOfRange)
                } else {
                    Ok(expected)
                }
            );
        }
    }
}
