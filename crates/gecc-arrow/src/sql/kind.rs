//! What the functions are: their names, arguments and results.

use crate::mapping::{takes, wanted};
use arrow_schema::DataType;
use gecc::CurveId;
use gecc::call::Operation;
use gecc::ecdsa::Policy;
use gecc::ed25519::{Rule, UnknownRule};
use gecc::fields::{Field, Hash, Mapping, UnknownHash};

/// What a function computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// Verdicts on ECDSA signatures.
    EcdsaVerify,
    /// The same of signatures in DER.
    EcdsaVerifyDer,
    /// The public keys that made ECDSA signatures.
    EcdsaRecover,
    /// The Ethereum addresses of public keys.
    EthAddress,
    /// Verdicts on SM2 signatures.
    Sm2Verify,
    /// The same of signatures in DER.
    Sm2VerifyDer,
    /// Verdicts on BIP 340 signatures.
    Bip340Verify,
    /// Verdicts on Ed25519 signatures, by a rule that the statement names.
    Ed25519Verify,
    /// The digests of messages by a hash that the statement names, which ECDSA signs.
    MessageDigest,
}

/// What a call computes: a function, and what its statement names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// An operation of the library's.
    Operation(Operation),
    /// The Ethereum addresses of public keys.
    EthAddress,
    /// The digests of messages.
    Digests(Hash),
}

/// Which of two functions of the same arguments it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gives {
    /// What is computed.
    Result,
    /// Why there is none, or why a signature is not valid.
    Reason,
}

impl FunctionKind {
    /// All of them.
    pub const ALL: [FunctionKind; 9] = [
        FunctionKind::EcdsaVerify,
        FunctionKind::EcdsaVerifyDer,
        FunctionKind::EcdsaRecover,
        FunctionKind::EthAddress,
        FunctionKind::Sm2Verify,
        FunctionKind::Sm2VerifyDer,
        FunctionKind::Bip340Verify,
        FunctionKind::Ed25519Verify,
        FunctionKind::MessageDigest,
    ];

    /// Its name in a statement.
    pub fn name(self, gives: Gives) -> String {
        let reason = if gives == Gives::Reason { "_reason" } else { "" };
        let name = match self {
            FunctionKind::EcdsaVerify => "ecdsa_verify",
            FunctionKind::EcdsaVerifyDer => "ecdsa_verify_der",
            FunctionKind::EcdsaRecover => "ecdsa_recover",
            FunctionKind::EthAddress => "eth_address",
            FunctionKind::Sm2Verify => "sm2_verify",
            FunctionKind::Sm2VerifyDer => "sm2_verify_der",
            FunctionKind::Bip340Verify => "bip340_verify",
            FunctionKind::Ed25519Verify => "ed25519_verify",
            FunctionKind::MessageDigest => "message_digest",
        };
        format!("{name}{reason}")
    }

    /// What the first argument names, a text in the statement: a curve, a rule of Ed25519, or a hash. `None` where it
    /// is a field.
    pub fn names(self) -> Option<&'static str> {
        match self {
            FunctionKind::EcdsaVerify | FunctionKind::EcdsaVerifyDer | FunctionKind::EcdsaRecover => Some("curve"),
            FunctionKind::Ed25519Verify => Some("rule"),
            FunctionKind::MessageDigest => Some("hash"),
            FunctionKind::EthAddress
            | FunctionKind::Sm2Verify
            | FunctionKind::Sm2VerifyDer
            | FunctionKind::Bip340Verify => None,
        }
    }

    /// The arguments behind that.
    pub fn fields(self) -> &'static [Field] {
        match self {
            FunctionKind::EcdsaVerify | FunctionKind::Sm2Verify => &[Field::Digest, Field::Signature, Field::PublicKey],
            FunctionKind::EcdsaVerifyDer | FunctionKind::Sm2VerifyDer => &[Field::Digest, Field::Der, Field::PublicKey],
            FunctionKind::Bip340Verify | FunctionKind::Ed25519Verify => {
                &[Field::Message, Field::Signature, Field::PublicKey]
            }
            FunctionKind::EcdsaRecover => &[Field::Digest, Field::Signature, Field::RecoveryId],
            FunctionKind::EthAddress => &[Field::PublicKey],
            FunctionKind::MessageDigest => &[Field::Message],
        }
    }

    /// Whether a field may be of this type. Keys of 32 bytes are for BIP 340 and Ed25519 alone.
    ///
    /// # Errors
    /// What it has to be.
    pub fn require(self, field: Field, data_type: &DataType) -> Result<(), String> {
        let values = match data_type {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        let is_x_only = field == Field::PublicKey && *values == DataType::FixedSizeBinary(32);
        let takes_x_only = matches!(self, FunctionKind::Bip340Verify | FunctionKind::Ed25519Verify);
        if takes(field, data_type) && (!is_x_only || takes_x_only) {
            return Ok(());
        }
        Err(format!("`{field}` is {data_type}, but must be {}", wanted(field)))
    }

    /// What a call computes, with the name that its statement has, where that names something.
    ///
    /// # Errors
    /// Where a name is needed and there is none, where nothing is called so, or it is a curve without ECDSA.
    pub fn task(self, name: Option<&str>, policy: Policy) -> Result<Task, String> {
        let operation = match self {
            FunctionKind::EcdsaVerify | FunctionKind::EcdsaVerifyDer => {
                Operation::EcdsaVerify(ecdsa_curve(name)?, policy)
            }
            FunctionKind::EcdsaRecover => Operation::EcdsaRecover(ecdsa_curve(name)?),
            FunctionKind::EthAddress => return Ok(Task::EthAddress),
            FunctionKind::MessageDigest => return Ok(Task::Digests(hash(name)?)),
            FunctionKind::Sm2Verify | FunctionKind::Sm2VerifyDer => Operation::Sm2Verify,
            FunctionKind::Bip340Verify => Operation::Bip340Verify,
            FunctionKind::Ed25519Verify => Operation::Ed25519Verify(rule(name)?),
        };
        Ok(Task::Operation(operation))
    }

    /// How many of the last arguments may be left out.
    pub fn optional(self) -> usize {
        usize::from(self == FunctionKind::EcdsaRecover)
    }

    /// The type of the result.
    pub fn result(self) -> DataType {
        match self {
            FunctionKind::EcdsaRecover => DataType::FixedSizeBinary(65),
            FunctionKind::EthAddress => DataType::FixedSizeBinary(20),
            FunctionKind::MessageDigest => DataType::FixedSizeBinary(32),
            FunctionKind::EcdsaVerify | FunctionKind::EcdsaVerifyDer => DataType::Boolean,
            FunctionKind::Sm2Verify
            | FunctionKind::Sm2VerifyDer
            | FunctionKind::Bip340Verify
            | FunctionKind::Ed25519Verify => DataType::Boolean,
        }
    }

    /// The names of all arguments.
    pub fn arguments(self) -> Vec<String> {
        let named = self.names().map(str::to_owned);
        named.into_iter().chain(self.fields().iter().map(Field::to_string)).collect()
    }

    /// The first `count` fields as columns of their own names.
    pub fn mapping(self, count: usize) -> Mapping {
        self.fields()[..count].iter().fold(Mapping::new(), |mapping, field| mapping.with(*field, field.to_string()))
    }
}

fn ecdsa_curve(name: Option<&str>) -> Result<CurveId, String> {
    let name = name.ok_or("`curve` must be a text in the statement, such as 'secp256k1'")?;
    let curve = name.parse().ok().filter(|curve: &CurveId| curve.has_ecdsa());
    curve.ok_or_else(|| {
        let known = CurveId::ALL.iter().filter(|curve| curve.has_ecdsa());
        let known = known.map(|curve| format!("'{curve}'")).collect::<Vec<_>>().join(", ");
        let note = if name.parse() == Ok(CurveId::Sm2) { "; for this one there is `sm2_verify`" } else { "" };
        format!("there is no ECDSA on the curve '{name}'; the curves are {known}{note}")
    })
}

fn rule(name: Option<&str>) -> Result<Rule, String> {
    let name = name.ok_or("`rule` must be a text in the statement, such as 'strict'")?;
    name.parse().map_err(|unknown: UnknownRule| unknown.to_string())
}

fn hash(name: Option<&str>) -> Result<Hash, String> {
    let name = name.ok_or("`hash` must be a text in the statement, such as 'keccak256'")?;
    name.parse().map_err(|unknown: UnknownHash| unknown.to_string())
}
