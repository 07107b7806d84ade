//! The SQL functions: their names, arguments and results.

use crate::cells::append_hexadecimal;
use crate::mapping::{accepted_contents, takes};
use arrow_schema::DataType;
use gecc::call::{Operation, Options};
use gecc::ecdsa::Policy;
use gecc::ed25519::{Rule, UnknownRule, Variant};
use gecc::fields::{Field, Hash, Mapping, SignatureForm, UnknownHash, UnknownSignatureForm};
use gecc::hash_to_curve::{Dst, Suite, UnknownSuite};
use gecc::mask::{Form, UnknownForm};
use gecc::{CurveId, UnknownCurve};

/// A SQL function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// Verdicts on ECDSA signatures.
    EcdsaVerify,
    /// Verdicts on ECDSA signatures in DER.
    EcdsaVerifyDer,
    /// The public keys recovered from ECDSA signatures.
    EcdsaRecover,
    /// Verdicts on ECDSA signatures in a form that the statement specifies.
    EcdsaVerifyForm,
    /// The public keys recovered from ECDSA signatures in a form that the statement specifies.
    EcdsaRecoverForm,
    /// The Ethereum addresses of public keys.
    EthAddress,
    /// Verdicts on SM2 signatures.
    Sm2Verify,
    /// Verdicts on SM2 signatures in DER.
    Sm2VerifyDer,
    /// Verdicts on BIP 340 signatures.
    Bip340Verify,
    /// Verdicts on Ed25519 signatures, by a rule that the statement specifies.
    Ed25519Verify,
    /// Verdicts on Ed25519ctx signatures, with a context that the statement specifies.
    Ed25519ctxVerify,
    /// Verdicts on Ed25519ph signatures, with a context that the statement specifies.
    Ed25519phVerify,
    /// The digests of messages, for ECDSA, by a hash that the statement specifies.
    MessageDigest,
    /// Masked items, with the suite, the domain separation tag and the form that the statement
    /// specifies. This and the following functions take a private key from outside the statement.
    Mask,
    /// Points times the key.
    MaskPoints,
    /// Points times the inverse of the key.
    Unmask,
}

/// A function together with the values that its statement specifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    pub(super) computed: Computed,
    /// The options of the operation.
    pub(super) options: Options,
    /// The signature form of ECDSA.
    pub(super) form: SignatureForm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Computed {
    /// An operation of the library.
    Operation(Operation),
    /// The Ethereum addresses of public keys.
    EthAddress,
    /// The digests of messages.
    Digests(Hash),
}

/// Selects one of two functions with the same arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultKind {
    /// The result.
    Result,
    /// The reason why there is no result, or why a signature is not valid.
    Reason,
}

impl FunctionKind {
    /// All functions.
    pub const ALL: [FunctionKind; 16] = [
        FunctionKind::EcdsaVerify,
        FunctionKind::EcdsaVerifyDer,
        FunctionKind::EcdsaRecover,
        FunctionKind::EcdsaVerifyForm,
        FunctionKind::EcdsaRecoverForm,
        FunctionKind::EthAddress,
        FunctionKind::Sm2Verify,
        FunctionKind::Sm2VerifyDer,
        FunctionKind::Bip340Verify,
        FunctionKind::Ed25519Verify,
        FunctionKind::Ed25519ctxVerify,
        FunctionKind::Ed25519phVerify,
        FunctionKind::MessageDigest,
        FunctionKind::Mask,
        FunctionKind::MaskPoints,
        FunctionKind::Unmask,
    ];

    /// Returns the name, and the results of `names`, `fields` and `result`.
    fn described(
        self,
    ) -> (
        &'static str,
        &'static [&'static str],
        &'static [Field],
        DataType,
    ) {
        use DataType::{Binary, Boolean, FixedSizeBinary};
        use Field::{Der, Digest, Message, PublicKey, RecoveryId, Signature};
        const OVER_DIGESTS: &[Field] = &[Digest, Signature, PublicKey];
        const OVER_MESSAGES: &[Field] = &[Message, Signature, PublicKey];
        const IN_DER: &[Field] = &[Digest, Der, PublicKey];
        match self {
            FunctionKind::EcdsaVerify => ("ecdsa_verify", &["curve"], OVER_DIGESTS, Boolean),
            FunctionKind::EcdsaVerifyDer => ("ecdsa_verify_der", &["curve"], IN_DER, Boolean),
            FunctionKind::EcdsaRecover => (
                "ecdsa_recover",
                &["curve"],
                &[Digest, Signature, RecoveryId],
                FixedSizeBinary(65),
            ),
            FunctionKind::EcdsaVerifyForm => (
                "ecdsa_verify_form",
                &["curve", "form"],
                OVER_DIGESTS,
                Boolean,
            ),
            FunctionKind::EcdsaRecoverForm => (
                "ecdsa_recover_form",
                &["curve", "form"],
                &[Digest, Signature, RecoveryId],
                FixedSizeBinary(65),
            ),
            FunctionKind::EthAddress => ("eth_address", &[], &[PublicKey], FixedSizeBinary(20)),
            FunctionKind::Sm2Verify => ("sm2_verify", &[], OVER_DIGESTS, Boolean),
            FunctionKind::Sm2VerifyDer => ("sm2_verify_der", &[], IN_DER, Boolean),
            FunctionKind::Bip340Verify => ("bip340_verify", &[], OVER_MESSAGES, Boolean),
            FunctionKind::Ed25519Verify => ("ed25519_verify", &["rule"], OVER_MESSAGES, Boolean),
            FunctionKind::Ed25519ctxVerify => (
                "ed25519ctx_verify",
                &["rule", "context"],
                OVER_MESSAGES,
                Boolean,
            ),
            FunctionKind::Ed25519phVerify => (
                "ed25519ph_verify",
                &["rule", "context"],
                OVER_MESSAGES,
                Boolean,
            ),
            FunctionKind::MessageDigest => {
                ("message_digest", &["hash"], &[Message], FixedSizeBinary(32))
            }
            FunctionKind::Mask => ("mask", &["suite", "dst", "form"], &[Message], Binary),
            FunctionKind::MaskPoints => ("mask_points", &["curve", "form"], &[PublicKey], Binary),
            FunctionKind::Unmask => ("unmask", &["curve", "form"], &[PublicKey], Binary),
        }
    }

    /// Returns the name in a statement.
    pub fn name(self, gives: ResultKind) -> String {
        let reason = if gives == ResultKind::Reason {
            "_reason"
        } else {
            ""
        };
        format!("{}{reason}", self.described().0)
    }

    /// Returns the names of the first arguments, which are text constants in the statement: a curve
    /// with or without a form of signatures or points, a rule of Ed25519 with or without a context,
    /// a hash, or a suite with its domain separation tag and a form. The other arguments are fields.
    pub fn names(self) -> &'static [&'static str] {
        self.described().1
    }

    /// Returns the fields that follow as arguments.
    pub fn fields(self) -> &'static [Field] {
        self.described().2
    }

    /// Checks whether a field may have this type. Keys of 32 bytes are only for BIP 340 and
    /// Ed25519.
    ///
    /// # Errors
    /// A description of the required type.
    pub fn require(self, field: Field, data_type: &DataType) -> Result<(), String> {
        let values = match data_type {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        let is_x_only = field == Field::PublicKey && *values == DataType::FixedSizeBinary(32);
        // Verifications of signatures over messages.
        let takes_x_only = matches!(self.fields(), [Field::Message, _, Field::PublicKey]);
        if takes(field, data_type) && (!is_x_only || takes_x_only) {
            return Ok(());
        }
        Err(format!(
            "`{field}` is {data_type}, but must be {}",
            accepted_contents(field)
        ))
    }

    /// Returns the task of a call, given the statement's values for [`FunctionKind::names`].
    ///
    /// # Errors
    /// A name that is required but missing, an unknown name, or a curve without ECDSA.
    pub fn task(self, named: &[Option<&str>], policy: Policy) -> Result<Task, String> {
        let [first, second, third] = [0, 1, 2].map(|place| named.get(place).copied().flatten());
        let computed = match self {
            FunctionKind::EcdsaVerify
            | FunctionKind::EcdsaVerifyDer
            | FunctionKind::EcdsaVerifyForm => {
                Computed::Operation(Operation::EcdsaVerify(ecdsa_curve(first)?, policy))
            }
            FunctionKind::EcdsaRecover | FunctionKind::EcdsaRecoverForm => {
                Computed::Operation(Operation::EcdsaRecover(ecdsa_curve(first)?))
            }
            FunctionKind::EthAddress => Computed::EthAddress,
            FunctionKind::MessageDigest => Computed::Digests(hash(first)?),
            FunctionKind::Mask => {
                Computed::Operation(Operation::MaskItems(suite(first)?, mask_form(third)?))
            }
            FunctionKind::MaskPoints => {
                Computed::Operation(Operation::MaskPoints(curve(first)?, mask_form(second)?))
            }
            FunctionKind::Unmask => {
                Computed::Operation(Operation::UnmaskPoints(curve(first)?, mask_form(second)?))
            }
            FunctionKind::Sm2Verify | FunctionKind::Sm2VerifyDer => {
                Computed::Operation(Operation::Sm2Verify)
            }
            FunctionKind::Bip340Verify => Computed::Operation(Operation::Bip340Verify),
            FunctionKind::Ed25519Verify
            | FunctionKind::Ed25519ctxVerify
            | FunctionKind::Ed25519phVerify => {
                Computed::Operation(Operation::Ed25519Verify(rule(first)?))
            }
        };
        let variant = match self {
            FunctionKind::Ed25519ctxVerify => Variant::context(&context(second)?),
            FunctionKind::Ed25519phVerify => Variant::prehashed(&context(second)?),
            _ => Ok(Variant::PURE),
        };
        let variant = variant.map_err(|problem| format!("`context`: {problem}"))?;
        let form = match (self, computed) {
            (
                FunctionKind::EcdsaVerifyForm | FunctionKind::EcdsaRecoverForm,
                Computed::Operation(operation),
            ) => form(second, operation)?,
            _ => SignatureForm::Auto,
        };
        let dst = match computed {
            Computed::Operation(Operation::MaskItems(suite, _)) => dst(second, suite)?,
            _ => Dst::NONE,
        };
        Ok(Task {
            computed,
            options: Options {
                variant,
                dst,
                ..Options::default()
            },
            form,
        })
    }

    /// Returns the number of trailing arguments that may be omitted.
    pub fn optional(self) -> usize {
        usize::from(matches!(
            self,
            FunctionKind::EcdsaRecover | FunctionKind::EcdsaRecoverForm
        ))
    }

    /// Returns the type of the result. That of masked points is `Binary`; see [`Task::result`].
    pub fn result(self) -> DataType {
        self.described().3
    }

    /// Returns whether the function takes a private key, which is never an argument: statements end
    /// up in logs and histories.
    pub fn takes_key(self) -> bool {
        matches!(
            self,
            FunctionKind::Mask | FunctionKind::MaskPoints | FunctionKind::Unmask
        )
    }

    /// Returns the names of all arguments.
    pub fn arguments(self) -> Vec<String> {
        let named = self.names().iter().map(|name| (*name).to_owned());
        named
            .chain(self.fields().iter().map(Field::to_string))
            .collect()
    }

    /// Returns a mapping of the first `count` fields to columns of the same names.
    pub fn mapping(self, count: usize) -> Mapping {
        self.fields()[..count]
            .iter()
            .fold(Mapping::new(), |mapping, field| {
                mapping.with(*field, field.to_string())
            })
    }
}

impl Task {
    /// Returns the type of the results of a function with this task.
    pub fn result(&self, kind: FunctionKind) -> DataType {
        match self.computed {
            Computed::Operation(
                Operation::MaskItems(_, form)
                | Operation::MaskPoints(_, form)
                | Operation::UnmaskPoints(_, form),
            ) => DataType::FixedSizeBinary(form.width() as i32),
            _ => kind.result(),
        }
    }

    /// Returns the curve of the keys that the function takes, if it takes any.
    pub fn curve_of_key(&self) -> Option<CurveId> {
        match self.computed {
            Computed::Operation(operation) if operation.reads().secret_keys => operation.curve(),
            _ => None,
        }
    }
}

fn curve(name: Option<&str>) -> Result<CurveId, String> {
    let name = name.ok_or("`curve` must be a text in the statement, such as 'p256'")?;
    name.parse()
        .map_err(|unknown: UnknownCurve| unknown.to_string())
}

fn suite(name: Option<&str>) -> Result<Suite, String> {
    let name =
        name.ok_or("`suite` must be a text in the statement, such as 'P256_XMD:SHA-256_SSWU_RO_'")?;
    name.parse()
        .map_err(|unknown: UnknownSuite| unknown.to_string())
}

fn mask_form(name: Option<&str>) -> Result<Form, String> {
    let name =
        name.ok_or("`form` must be a text in the statement, such as 'compressed' or '12'")?;
    name.parse()
        .map_err(|unknown: UnknownForm| unknown.to_string())
}

/// Returns the tag of a text, which is empty for a suite that takes none.
fn dst(text: Option<&str>, suite: Suite) -> Result<Dst, String> {
    let text = text.ok_or("`dst` must be a text in the statement, such as 'example.com/psi-v1'")?;
    match (suite.takes_dst(), text.is_empty()) {
        (true, true) => Err(format!("{suite} requires a `dst`")),
        (false, false) => Err(format!("{suite} takes no `dst`: pass ''")),
        _ => Ok(Dst::new(text.as_bytes())),
    }
}

fn ecdsa_curve(name: Option<&str>) -> Result<CurveId, String> {
    let name = name.ok_or("`curve` must be a text in the statement, such as 'secp256k1'")?;
    let curve = name
        .parse()
        .ok()
        .filter(|curve: &CurveId| curve.has_ecdsa());
    curve.ok_or_else(|| {
        let known = CurveId::ALL.iter().filter(|curve| curve.has_ecdsa());
        let known = known
            .map(|curve| format!("'{curve}'"))
            .collect::<Vec<_>>()
            .join(", ");
        let note = if name.parse() == Ok(CurveId::Sm2) {
            "; for this one there is `sm2_verify`"
        } else {
            ""
        };
        format!("there is no ECDSA on the curve '{name}'; the curves are {known}{note}")
    })
}

/// Parses a form of signatures that the operation supports.
fn form(name: Option<&str>, operation: Operation) -> Result<SignatureForm, String> {
    let name = name.ok_or("`form` must be a text in the statement, such as 'header-first'")?;
    let form = name
        .parse()
        .map_err(|unknown: UnknownSignatureForm| unknown.to_string())?;
    operation
        .signature_reader(form)
        .map_err(|problem| problem.to_string())?;
    Ok(form)
}

fn rule(name: Option<&str>) -> Result<Rule, String> {
    let name = name.ok_or("`rule` must be a text in the statement, such as 'strict'")?;
    name.parse()
        .map_err(|unknown: UnknownRule| unknown.to_string())
}

/// Decodes a context from hexadecimal digits, like all texts that represent bytes.
fn context(digits: Option<&str>) -> Result<Vec<u8>, String> {
    const WANTED: &str =
        "`context` must be a text in the statement of hexadecimal digits, such as 'beef'";
    let mut context = Vec::new();
    append_hexadecimal(digits.ok_or(WANTED)?.as_bytes(), &mut context).map_err(|_| WANTED)?;
    Ok(context)
}

fn hash(name: Option<&str>) -> Result<Hash, String> {
    let name = name.ok_or("`hash` must be a text in the statement, such as 'keccak256'")?;
    name.parse()
        .map_err(|unknown: UnknownHash| unknown.to_string())
}
