//! Mapping from the columns of a schema to fields.

use crate::cells::{Integers, holds_bytes};
use crate::error::Error;
use crate::operation::TableOperation;
use arrow_schema::{DataType, Schema};
use gecc::call::RecoveryIds;
use gecc::fields::{Field, Mapping, is_ecdsa_digest};

/// Describes the accepted contents of a field's column, for errors.
pub(crate) fn accepted_contents(field: Field) -> &'static str {
    match field {
        Field::Digest => {
            "32 bytes, or for ECDSA 20, 28, 48 or 64: FixedSizeBinary, Binary, or hexadecimal text"
        }
        Field::SecretKey => {
            "32 bytes: FixedSizeBinary(32), Binary, or hexadecimal text; or PEM, DER or JWK: Binary or text"
        }
        Field::Signature => "64 or 65 bytes, or DER: FixedSizeBinary, Binary, or hexadecimal text",
        Field::R | Field::S => "at most 32 bytes: FixedSizeBinary, Binary, or hexadecimal text",
        Field::YParityAndS => "32 bytes: FixedSizeBinary(32), Binary, or hexadecimal text",
        Field::PublicKey => {
            "33, 64 or 65 bytes, or 32 for BIP 340, Ed25519 and X25519: FixedSizeBinary, Binary, or hexadecimal text; or PEM, DER or JWK: \
             bytes or text"
        }
        Field::Message | Field::Der => "bytes: FixedSizeBinary, Binary, or hexadecimal text",
        Field::RecoveryId | Field::V | Field::YParity => "integers, booleans, or text",
        Field::Id => "text or bytes",
    }
}

/// Lengths in bytes of a SubjectPublicKeyInfo in DER: of Ed25519 and X25519, of compressed points,
/// and of others, on each curve.
const DER_WIDTHS: [i32; 7] = [44, 56, 59, 60, 88, 91, 92];

/// Returns whether fixed-width cells of the field may have this width.
fn takes_width(field: Field, width: i32) -> bool {
    match field {
        Field::Digest => usize::try_from(width).is_ok_and(is_ecdsa_digest),
        Field::SecretKey | Field::YParityAndS => width == 32,
        Field::Signature => matches!(width, 64 | 65),
        Field::R | Field::S => (1..=33).contains(&width),
        Field::PublicKey => matches!(width, 32 | 33 | 64 | 65) || DER_WIDTHS.contains(&width),
        Field::Message | Field::Der | Field::Id => true,
        Field::RecoveryId | Field::V | Field::YParity => false,
    }
}

/// Returns whether a column of this type can hold the field.
pub fn takes(field: Field, data_type: &DataType) -> bool {
    match data_type {
        other if Field::RECOVERY_IDS.contains(&field) => {
            Integers::are_of(other) || other.is_string()
        }
        DataType::FixedSizeBinary(width) => takes_width(field, *width),
        DataType::Dictionary(_, values) => holds_bytes(data_type) && takes(field, values),
        other => holds_bytes(other),
    }
}

/// Completes a mapping with the columns that an operation reads, by their names and types.
///
/// # Errors
/// [`Error::Columns`], the same as for [`Mapping::complete`], and if the column for required
/// recovery ids has an unsuitable type: the signatures may contain other ids.
pub fn complete(
    mapping: Mapping,
    schema: &Schema,
    operation: &TableOperation,
) -> Result<Mapping, Error> {
    let found = mapping.complete(
        &names(schema),
        false,
        &|field| operation.reads(field),
        &|position, field| takes(field, schema.field(position).data_type()),
    );
    let found = found.map_err(|problem| Error::Columns(problem.to_string()))?;
    let needs_ids = operation.operation.reads().recovery_ids == RecoveryIds::Required;
    if needs_ids
        && Field::RECOVERY_IDS
            .iter()
            .all(|field| found.column(*field).is_none())
        && let Some(problem) = Field::RECOVERY_IDS
            .iter()
            .find_map(|field| of_other_type(*field, schema))
    {
        return Err(problem);
    }
    Ok(found)
}

/// Returns the names of the columns.
pub(crate) fn names(schema: &Schema) -> Vec<&str> {
    schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect()
}

/// Returns the position of a field's column in a schema; `None` if the mapping has none for it.
///
/// # Errors
/// [`Error::Columns`] if the schema has no such column, has it twice, or has it with a type that
/// the field cannot have.
pub fn column_of(mapping: &Mapping, field: Field, schema: &Schema) -> Result<Option<usize>, Error> {
    let Some(name) = mapping.column(field) else {
        return Ok(None);
    };
    let mut places = (0..schema.fields().len()).filter(|place| schema.field(*place).name() == name);
    let Some(place) = places.next() else {
        return Err(Error::Columns(
            Mapping::absent(field, name, &names(schema)).to_string(),
        ));
    };
    if places.next().is_some() {
        return Err(Error::Columns(format!(
            "there are two columns `{name}`, so that neither can be `{field}`"
        )));
    }
    let found = schema.field(place).data_type();
    if takes(field, found) {
        Ok(Some(place))
    } else {
        Err(unfit(field, name, found))
    }
}

/// Returns the error for a field without a column if a column has its name but an unsuitable type.
pub(crate) fn of_other_type(field: Field, schema: &Schema) -> Option<Error> {
    let mut columns = schema.fields().iter();
    let unsuitable = columns.find(|column| {
        Field::named(column.name()) == Some(field) && !takes(field, column.data_type())
    });
    unsuitable.map(|column| unfit(field, column.name(), column.data_type()))
}

fn unfit(field: Field, name: &str, found: &DataType) -> Error {
    Error::Columns(format!(
        "the column `{name}` is {found}, but `{field}` is {}",
        accepted_contents(field)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_schema::Field as Column;
    use gecc::{CurveId, call};

    fn schema(columns: &[(&str, DataType)]) -> Schema {
        Schema::new(
            columns
                .iter()
                .map(|(name, kind)| Column::new(*name, kind.clone(), true))
                .collect::<Vec<_>>(),
        )
    }

    fn text(problem: Result<impl Sized, Error>) -> String {
        problem.err().expect("an error").to_string()
    }

    #[test]
    fn columns_are_found_by_name_and_type() {
        let schema = schema(&[
            ("hash", DataType::FixedSizeBinary(32)),
            ("id", DataType::Int64),
            ("R", DataType::Binary),
            ("s", DataType::Utf8),
            ("V", DataType::UInt64),
            ("sighash", DataType::FixedSizeBinary(32)),
            ("message", DataType::Int32),
            ("pk", DataType::FixedSizeBinary(33)),
        ]);
        let verify = TableOperation::from(call::Operation::EcdsaVerifyRecoverable(
            CurveId::P256,
            Default::default(),
        ));
        let found = complete(Mapping::new(), &schema, &verify).unwrap();
        let wanted: Mapping = "digest=sighash,r=R,s=s,v=V,public_key=pk".parse().unwrap();
        assert_eq!(found, wanted);
        assert_eq!(
            column_of(&found, Field::PublicKey, &schema).unwrap(),
            Some(7)
        );
        assert_eq!(column_of(&found, Field::Message, &schema).unwrap(), None);
    }

    fn schema_with_ids(ids: DataType) -> Schema {
        schema(&[
            ("digest", DataType::Binary),
            ("signature", DataType::FixedSizeBinary(65)),
            ("v", ids),
        ])
    }

    #[test]
    fn recovery_ids_that_cannot_be_read_are_not_passed_over() {
        let recover = TableOperation::from(call::Operation::EcdsaRecover(CurveId::P256));
        for ids in [
            DataType::Binary,
            DataType::Date32,
            DataType::Decimal128(9, 1),
        ] {
            let problem = text(complete(Mapping::new(), &schema_with_ids(ids), &recover));
            assert!(problem.contains("but `v` is integers"), "{problem}");
        }
        for ids in [
            DataType::Int8,
            DataType::Decimal128(38, 0),
            DataType::Float64,
            DataType::Utf8,
        ] {
            assert_eq!(
                complete(Mapping::new(), &schema_with_ids(ids), &recover)
                    .unwrap()
                    .column(Field::V),
                Some("v")
            );
        }
    }

    #[test]
    fn errors_name_the_column_and_its_type() {
        let list = DataType::new_list(DataType::UInt8, true);
        let of_lists = schema(&[("sig", DataType::Binary), ("digest", list)]);
        let problem = of_other_type(Field::Digest, &of_lists).unwrap().to_string();
        assert!(
            problem.contains("`digest` is List(UInt8), but `digest` is 32 bytes"),
            "{problem}"
        );
        assert!(
            of_other_type(Field::Signature, &of_lists).is_none()
                && of_other_type(Field::R, &of_lists).is_none()
        );
        let schema = schema(&[
            ("a", DataType::Int32),
            ("b", DataType::Binary),
            ("b", DataType::Binary),
        ]);
        for (mapping, expected) in [
            (
                "digest=c",
                "no column `c` for `digest`; the columns are a, b, b",
            ),
            ("digest=a", "`a` is Int32, but `digest` is 32 bytes"),
            ("digest=b", "two columns `b`"),
        ] {
            let problem = text(column_of(&mapping.parse().unwrap(), Field::Digest, &schema));
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
