//! Callers of a coalescer, and the requests that they can make.

use super::dispatch::Dispatcher;
use super::kind::{RequestColumn, RequestInputs, RequestKind};
use super::quota::Quota;
use super::request::Request;
use crate::call::Operation;
use crate::curve::CurveId;
use crate::host::stack;
use crate::ops::mask::Form;
use crate::ops::point::point_of;
use crate::ops::x25519::AllZero;
use crate::schemes::common::verdict_of;
use crate::schemes::ed25519::Rule;
use crate::types::{
    Points, Policy, PublicKeys, Rejection, Results, Rows, SForm, SecretKeys, SharedSecret, Signers,
    Verdicts, bytes_of,
};
use std::fmt;
use std::sync::Arc;

/// A source of requests, such as a connection, a tenant or a partition. Created by
/// [`crate::service::Coalescer::caller`].
///
/// Room in the queue is shared between callers: each may have as many items in flight as places are
/// left free. A single caller gets half of the queue, two get a third each, and there is always
/// room for a caller that has less in flight than others. With [`crate::service::WhenFull::Wait`],
/// waiting callers are admitted in turn.
///
/// Clones are the same caller. Requests may be made from any number of threads at once; those of
/// one caller then contend for a lock that is held for a few nanoseconds.
#[derive(Clone)]
pub struct Caller {
    pub(super) dispatcher: Arc<Dispatcher>,
    pub(super) quota: Arc<Quota>,
}

/// Signatures, one per item, or the reason for its rejection.
type Signatures = Vec<Result<[u8; 64], Rejection>>;

impl Caller {
    fn request<'a, T>(
        &'a self,
        kind: impl Into<RequestKind>,
        columns: [(&'static str, RequestColumn<'a>); 3],
        read: fn(&Results) -> T,
    ) -> Request<'a, T> {
        Request::new(
            &self.dispatcher,
            &self.quota,
            kind.into(),
            RequestInputs::new(columns),
            read,
        )
    }

    /// Verifies ECDSA signatures, like [`crate::ecdsa::verify`]: a verdict per item. Variable-time:
    /// everything here is public.
    pub fn ecdsa_verify<'a>(
        &'a self,
        curve: CurveId,
        digests: impl Into<Rows<'a, 32>>,
        signatures: impl Into<Rows<'a, 64>>,
        keys: impl Into<PublicKeys<'a>>,
        policy: Policy,
    ) -> Request<'a, Verdicts> {
        let columns = verification("digests", digests.into(), signatures.into(), keys.into());
        self.request(Operation::EcdsaVerify(curve, policy), columns, verdicts)
    }

    /// Verifies BIP 340 signatures of 32-byte messages on secp256k1, like
    /// [`crate::bip340::verify`]: a verdict per item. Variable-time: everything here is public. For
    /// messages of other lengths, use [`crate::bip340::verify_messages`].
    pub fn bip340_verify<'a>(
        &'a self,
        messages: impl Into<Rows<'a, 32>>,
        signatures: impl Into<Rows<'a, 64>>,
        keys: impl Into<PublicKeys<'a>>,
    ) -> Request<'a, Verdicts> {
        let columns = verification("messages", messages.into(), signatures.into(), keys.into());
        self.request(Operation::Bip340Verify, columns, verdicts)
    }

    /// Verifies signatures of 32-byte messages with plain Ed25519, like [`crate::ed25519::verify`]:
    /// a verdict per item. Variable-time: everything here is public.
    pub fn ed25519_verify<'a>(
        &'a self,
        messages: impl Into<Rows<'a, 32>>,
        signatures: impl Into<Rows<'a, 64>>,
        keys: impl Into<PublicKeys<'a>>,
        rule: Rule,
    ) -> Request<'a, Verdicts> {
        let columns = verification("messages", messages.into(), signatures.into(), keys.into());
        self.request(Operation::Ed25519Verify(rule), columns, verdicts)
    }

    /// Verifies SM2 signatures of the digest e, like [`crate::sm2::verify`]: a verdict per item.
    /// Variable-time: everything here is public.
    pub fn sm2_verify<'a>(
        &'a self,
        digests: impl Into<Rows<'a, 32>>,
        signatures: impl Into<Rows<'a, 64>>,
        keys: impl Into<PublicKeys<'a>>,
    ) -> Request<'a, Verdicts> {
        let columns = verification("digests", digests.into(), signatures.into(), keys.into());
        self.request(Operation::Sm2Verify, columns, verdicts)
    }

    /// Recovers the key that made each signature, like [`crate::ecdsa::recover`]. Variable-time:
    /// everything here is public.
    pub fn ecdsa_recover<'a>(
        &'a self,
        curve: CurveId,
        digests: impl Into<Rows<'a, 32>>,
        signatures: impl Into<Rows<'a, 64>>,
        recovery_ids: impl Into<Rows<'a, 1>>,
    ) -> Request<'a, Points> {
        let columns = [
            ("digests", RequestColumn::rows(digests.into())),
            ("signatures", RequestColumn::rows(signatures.into())),
            ("recovery ids", RequestColumn::rows(recovery_ids.into())),
        ];
        self.request(Operation::EcdsaRecover(curve), columns, points)
    }

    /// Signs digests with ECDSA, like [`crate::ecdsa::sign`]: 64 bytes `r || s` per item.
    /// **Constant-time** in keys and nonces. The copies of the keys are wiped when the batch is
    /// done.
    pub fn ecdsa_sign<'a>(
        &'a self,
        curve: CurveId,
        digests: impl Into<Rows<'a, 32>>,
        signers: impl Into<Signers<'a>>,
        s_form: SForm,
    ) -> Request<'a, Signatures> {
        let signers = signers.into();
        let kind = RequestKind::of_signing(Operation::EcdsaSign(curve, s_form), &signers);
        self.request(kind, signing(digests.into(), signers), rows)
    }

    /// Signs digests e with SM2, like [`crate::sm2::sign`]: 64 bytes `r || s` per item.
    /// **Constant-time** in keys and nonces. The copies of the keys are wiped when the batch is
    /// done.
    pub fn sm2_sign<'a>(
        &'a self,
        digests: impl Into<Rows<'a, 32>>,
        signers: impl Into<Signers<'a>>,
    ) -> Request<'a, Signatures> {
        let signers = signers.into();
        self.request(
            RequestKind::of_signing(Operation::Sm2Sign, &signers),
            signing(digests.into(), signers),
            rows,
        )
    }

    /// Signs 32-byte messages with plain Ed25519, like [`crate::ed25519::sign`]: a signature per
    /// item. **Constant-time** in keys and nonces. The copies of the seeds are wiped when the batch
    /// is done.
    pub fn ed25519_sign<'a>(
        &'a self,
        messages: impl Into<Rows<'a, 32>>,
        seeds: impl Into<SecretKeys<'a>>,
    ) -> Request<'a, Signatures> {
        let columns = [
            ("messages", RequestColumn::rows(messages.into())),
            ("seeds", RequestColumn::secret_keys(seeds.into())),
            NO_COLUMN,
        ];
        self.request(Operation::Ed25519Sign, columns, rows)
    }

    /// Computes the shared secret of each private key with its peer, like
    /// [`crate::ecdh::shared_secrets`]. **Constant-time** in the keys. The copies of the keys are
    /// wiped when the batch is done, and those of the secrets when the last request of the batch
    /// has its answer.
    pub fn shared_secrets<'a>(
        &'a self,
        curve: CurveId,
        secret_keys: impl Into<SecretKeys<'a>>,
        peers: impl Into<PublicKeys<'a>>,
    ) -> Request<'a, Vec<Result<SharedSecret, Rejection>>> {
        self.request(
            Operation::SharedSecrets(curve),
            agreement(secret_keys.into(), peers.into()),
            shared_secrets,
        )
    }

    /// Multiplies each point by its secret key, like [`crate::mask::points`] with
    /// [`Form::Compressed`]: the masked points in 33 bytes each. This is also the step of the server
    /// in an OPRF (RFC 9497, `BlindEvaluate`). **Constant-time** in the keys, whose copies are wiped
    /// when the batch is done; the points are public. For items of any length, other forms and
    /// unmasking, call [`crate::mask`] directly.
    pub fn mask_points<'a>(
        &'a self,
        curve: CurveId,
        secret_keys: impl Into<SecretKeys<'a>>,
        points: impl Into<PublicKeys<'a>>,
    ) -> Request<'a, Vec<Result<[u8; 33], Rejection>>> {
        let columns = [
            (
                "secret keys",
                RequestColumn::secret_keys(secret_keys.into()),
            ),
            ("points", RequestColumn::Keys(points.into())),
            NO_COLUMN,
        ];
        let operation = Operation::MaskPoints(curve, Form::Compressed);
        self.request(operation, columns, rows)
    }

    /// Computes the public key of each private key, like [`crate::keys::public_keys`].
    /// **Constant-time** in the keys. Their copies are wiped when the batch is done.
    pub fn public_keys<'a>(
        &'a self,
        curve: CurveId,
        secret_keys: impl Into<SecretKeys<'a>>,
    ) -> Request<'a, Points> {
        let columns = [
            (
                "secret keys",
                RequestColumn::secret_keys(secret_keys.into()),
            ),
            NO_COLUMN,
            NO_COLUMN,
        ];
        self.request(Operation::PublicKeys(curve), columns, points)
    }

    /// Computes the public key of each seed, like [`crate::ed25519::public_keys`]. Seeds are never
    /// rejected. **Constant-time** in the seeds. Their copies are wiped when the batch is done.
    pub fn ed25519_public_keys<'a>(
        &'a self,
        seeds: impl Into<SecretKeys<'a>>,
    ) -> Request<'a, Vec<Result<[u8; 32], Rejection>>> {
        let columns = [
            ("seeds", RequestColumn::secret_keys(seeds.into())),
            NO_COLUMN,
            NO_COLUMN,
        ];
        self.request(Operation::Ed25519PublicKeys, columns, rows)
    }

    /// Computes the X25519 shared secret of each private key with its peer, like
    /// [`crate::x25519::shared_secrets`]. **Constant-time** in the keys. The copies of the keys are
    /// wiped when the batch is done, and those of the secrets when the last request of the batch
    /// has its answer.
    pub fn x25519_shared_secrets<'a>(
        &'a self,
        secret_keys: impl Into<SecretKeys<'a>>,
        peers: impl Into<PublicKeys<'a>>,
        all_zero: AllZero,
    ) -> Request<'a, Vec<Result<SharedSecret, Rejection>>> {
        self.request(
            Operation::X25519(all_zero),
            agreement(secret_keys.into(), peers.into()),
            shared_secrets,
        )
    }

    /// Computes the X25519 public key of each private key, like [`crate::x25519::public_keys`].
    /// Keys are never rejected. **Constant-time** in the keys. Their copies are wiped when the
    /// batch is done.
    pub fn x25519_public_keys<'a>(
        &'a self,
        secret_keys: impl Into<SecretKeys<'a>>,
    ) -> Request<'a, Vec<Result<[u8; 32], Rejection>>> {
        let columns = [
            (
                "secret keys",
                RequestColumn::secret_keys(secret_keys.into()),
            ),
            NO_COLUMN,
            NO_COLUMN,
        ];
        self.request(Operation::X25519PublicKeys, columns, rows)
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Caller")
    }
}

/// Placeholder for operations with fewer columns.
const NO_COLUMN: (&str, RequestColumn) = ("", RequestColumn::None);

fn verification<'a>(
    contents: &'static str,
    rows: Rows<'a, 32>,
    signatures: Rows<'a, 64>,
    keys: PublicKeys<'a>,
) -> [(&'static str, RequestColumn<'a>); 3] {
    [
        (contents, RequestColumn::rows(rows)),
        ("signatures", RequestColumn::rows(signatures)),
        ("public keys", RequestColumn::Keys(keys)),
    ]
}

fn agreement<'a>(
    secret_keys: SecretKeys<'a>,
    peers: PublicKeys<'a>,
) -> [(&'static str, RequestColumn<'a>); 3] {
    [
        ("secret keys", RequestColumn::secret_keys(secret_keys)),
        ("peers", RequestColumn::Keys(peers)),
        NO_COLUMN,
    ]
}

fn signing<'a>(
    digests: Rows<'a, 32>,
    Signers {
        keys, additional, ..
    }: Signers<'a>,
) -> [(&'static str, RequestColumn<'a>); 3] {
    let data = additional.map_or(RequestColumn::None, RequestColumn::secret_keys);
    [
        ("digests", RequestColumn::rows(digests)),
        ("secret keys", RequestColumn::secret_keys(keys)),
        ("additional data", data),
    ]
}

/// Converts the results to one value per item.
fn each<T>(results: &Results, value: impl Fn(&Results, usize) -> T) -> Vec<T> {
    (0..results.items())
        .map(|item| value(results, item))
        .collect()
}

fn verdicts(results: &Results) -> Verdicts {
    Verdicts::new(each(results, verdict_of))
}

fn points(results: &Results) -> Points {
    each(results, point_of)
}

fn rows<const W: usize>(results: &Results) -> Vec<Result<[u8; W], Rejection>> {
    each(results, bytes_of)
}

fn shared_secrets(results: &Results) -> Vec<Result<SharedSecret, Rejection>> {
    stack::wiped(|| {
        each(results, |results, item| {
            results.get(item).map(SharedSecret::of)
        })
    })
}
