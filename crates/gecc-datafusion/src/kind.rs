//! What the functions are: their names, arguments and results.

use datafusion::arrow::datatypes::DataType;
use gecc::CurveId;
use gecc_arrow::{Field, Mapping};

/// What a function computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    EcdsaVerify,
    EcdsaVerifyDer,
    EcdsaRecover,
    EthAddress,
    Sm2Verify,
    Sm2VerifyDer,
    Bip340Verify,
}

impl Kind {
    pub const ALL: [Kind; 7] = [
        Kind::EcdsaVerify,
        Kind::EcdsaVerifyDer,
        Kind::EcdsaRecover,
        Kind::EthAddress,
        Kind::Sm2Verify,
        Kind::Sm2VerifyDer,
        Kind::Bip340Verify,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::EcdsaVerify => "ecdsa_verify",
            Kind::EcdsaVerifyDer => "ecdsa_verify_der",
            Kind::EcdsaRecover => "ecdsa_recover",
            Kind::EthAddress => "eth_address",
            Kind::Sm2Verify => "sm2_verify",
            Kind::Sm2VerifyDer => "sm2_verify_der",
            Kind::Bip340Verify => "bip340_verify",
        }
    }

    /// Whether the first argument is a curve. Otherwise there is only one that it can be.
    pub fn takes_curve(self) -> bool {
        self.only_curve().is_none()
    }

    pub fn only_curve(self) -> Option<CurveId> {
        match self {
            Kind::EcdsaVerify | Kind::EcdsaVerifyDer | Kind::EcdsaRecover => None,
            Kind::EthAddress | Kind::Bip340Verify => Some(CurveId::Secp256k1),
            Kind::Sm2Verify | Kind::Sm2VerifyDer => Some(CurveId::Sm2),
        }
    }

    /// The arguments behind the curve.
    pub fn fields(self) -> &'static [Field] {
        match self {
            Kind::EcdsaVerify | Kind::Sm2Verify => &[Field::Digest, Field::Signature, Field::PublicKey],
            Kind::EcdsaVerifyDer | Kind::Sm2VerifyDer => &[Field::Digest, Field::Der, Field::PublicKey],
            Kind::Bip340Verify => &[Field::Message, Field::Signature, Field::PublicKey],
            Kind::EcdsaRecover => &[Field::Digest, Field::Signature, Field::RecoveryId],
            Kind::EthAddress => &[Field::PublicKey],
        }
    }

    /// Whether a field may be of this type. Keys of 32 bytes are for BIP 340 alone.
    pub fn takes(self, field: Field, data_type: &DataType) -> bool {
        let values = match data_type {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        let is_x_only = field == Field::PublicKey && *values == DataType::FixedSizeBinary(32);
        field.takes(data_type) && (!is_x_only || self == Kind::Bip340Verify)
    }

    /// How many of the last arguments may be left out.
    pub fn optional(self) -> usize {
        usize::from(self == Kind::EcdsaRecover)
    }

    pub fn result(self) -> DataType {
        match self {
            Kind::EcdsaRecover => DataType::FixedSizeBinary(65),
            Kind::EthAddress => DataType::FixedSizeBinary(20),
            Kind::EcdsaVerify | Kind::EcdsaVerifyDer | Kind::Sm2Verify | Kind::Sm2VerifyDer | Kind::Bip340Verify => {
                DataType::Boolean
            }
        }
    }

    /// The names of all arguments.
    pub fn arguments(self) -> Vec<String> {
        let curve = self.takes_curve().then(|| "curve".to_owned());
        curve.into_iter().chain(self.fields().iter().map(Field::to_string)).collect()
    }

    /// The first `count` fields as columns of their own names.
    pub fn mapping(self, count: usize) -> Mapping {
        self.fields()[..count].iter().fold(Mapping::new(), |mapping, field| mapping.with(*field, field.to_string()))
    }
}
