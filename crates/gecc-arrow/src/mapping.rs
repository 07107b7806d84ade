//! Which column holds which field.

use crate::error::Error;
use arrow_schema::{DataType, Schema};
use std::fmt;
use std::str::FromStr;

/// A field of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Field {
    /// What is signed: 32 bytes. For SM2 this is e, for BIP 340 a message.
    Digest,
    /// A message. ECDSA signs its SHA-256, SM2 the SM3 of Z_A and the message, BIP 340 the message.
    Message,
    /// `r || s`, 64 bytes, or `r || s || v`, 65 bytes.
    Signature,
    /// The number r, big-endian, at most 32 bytes.
    R,
    /// The number s, big-endian, at most 32 bytes.
    S,
    /// A signature in DER, with or without a byte of Bitcoin's signature hash type behind it.
    Der,
    /// 0 to 3, 27 to 30 (27 is taken off), a value of EIP-155 (35 + 2 * chain id + parity), or the parity as a boolean.
    RecoveryId,
    /// 33 or 65 bytes of SEC 1, or 64 bytes `x || y`; for BIP 340 also the 32 bytes of x.
    PublicKey,
    /// 32 bytes, big-endian.
    SecretKey,
    /// The user id of SM2, for a message. A text is taken as it is. Null means the default id. [`Mapping::by_name`] takes
    /// any column called `id` for it that holds text or bytes.
    Id,
}

impl Field {
    /// All fields, in the order in which their cells are looked at.
    pub const ALL: [Field; 10] = [
        Field::Digest,
        Field::Message,
        Field::Signature,
        Field::R,
        Field::S,
        Field::Der,
        Field::RecoveryId,
        Field::PublicKey,
        Field::SecretKey,
        Field::Id,
    ];

    /// The field's name, and then what else it may be called. `hash` and `tx_hash` are in no list: a transaction's hash
    /// is not what was signed.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Field::Digest => &["digest", "sighash", "signing_hash", "message_digest", "message_hash"],
            Field::Message => &["message", "msg"],
            Field::Signature => &["signature", "sig"],
            Field::R => &["r"],
            Field::S => &["s"],
            Field::RecoveryId => &["recovery_id", "recid", "v", "v_parity", "y_parity"],
            Field::Der => &["der", "signature_der"],
            Field::PublicKey => &["public_key", "pubkey", "pk"],
            Field::SecretKey => &["secret_key", "private_key", "sk"],
            Field::Id => &["id", "user_id"],
        }
    }

    /// The field that has this among its names. Case does not matter.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.names().iter().any(|known| known.eq_ignore_ascii_case(name)))
    }

    /// What a column of the field may hold, for errors.
    pub fn wanted(self) -> &'static str {
        match self {
            Field::Digest | Field::SecretKey => "32 bytes: FixedSizeBinary(32), Binary, or hexadecimal text",
            Field::Signature => "64 or 65 bytes: FixedSizeBinary, Binary, or hexadecimal text",
            Field::R | Field::S => "at most 32 bytes: FixedSizeBinary, Binary, or hexadecimal text",
            Field::PublicKey => "33, 64 or 65 bytes, or 32 for BIP 340: FixedSizeBinary, Binary, or hexadecimal text",
            Field::Message | Field::Der => "bytes: FixedSizeBinary, Binary, or hexadecimal text",
            Field::RecoveryId => "integers or booleans",
            Field::Id => "text or bytes",
        }
    }

    /// Whether the field's cells of fixed width may have this width.
    fn takes_width(self, width: i32) -> bool {
        match self {
            Field::Digest | Field::SecretKey => width == 32,
            Field::Signature => matches!(width, 64 | 65),
            Field::R | Field::S => (1..=32).contains(&width),
            Field::PublicKey => matches!(width, 32 | 33 | 64 | 65),
            Field::Message | Field::Der | Field::Id => true,
            Field::RecoveryId => false,
        }
    }

    /// Whether a column of this type can hold the field.
    pub fn takes(self, data_type: &DataType) -> bool {
        match data_type {
            DataType::FixedSizeBinary(width) => self.takes_width(*width),
            DataType::Dictionary(_, values) => {
                !matches!(**values, DataType::Dictionary(..)) && self.takes_bytes(values)
            }
            other if self == Field::RecoveryId => other.is_integer() || *other == DataType::Boolean,
            other => self.takes_bytes(other),
        }
    }

    fn takes_bytes(self, data_type: &DataType) -> bool {
        use DataType::{Binary, BinaryView, FixedSizeBinary, LargeBinary, LargeUtf8, Utf8, Utf8View};
        let is_bytes = matches!(data_type, Binary | LargeBinary | BinaryView | Utf8 | LargeUtf8 | Utf8View);
        self != Field::RecoveryId
            && (is_bytes || matches!(data_type, FixedSizeBinary(width) if self.takes_width(*width)))
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names()[0])
    }
}

/// Which column of a schema holds which field.
///
/// Found by the names of the columns ([`Mapping::by_name`]), or said as a text:
/// ```
/// use gecc_arrow::{Field, Mapping};
/// let mapping: Mapping = "digest=hash, r=r, s=s, public_key=pk".parse()?;
/// assert_eq!(mapping.column(Field::PublicKey), Some("pk"));
/// assert!("digest=a,digest=b".parse::<Mapping>().is_err());
/// # Ok::<(), gecc_arrow::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    columns: [Option<String>; Field::ALL.len()],
}

impl Mapping {
    /// A mapping of no columns.
    pub fn new() -> Self {
        Self::default()
    }

    /// The mapping with one more field, or another column for it.
    pub fn with(mut self, field: Field, column: impl Into<String>) -> Self {
        self.columns[field as usize] = Some(column.into());
        self
    }

    /// What the names of the columns say ([`Field::names`], case does not matter). A column of a type that the field
    /// cannot have is passed over. Of columns for the same field the first name in the list counts, then the first
    /// column. A digest goes before a message, and of signatures `signature` before `r` and `s`, and these before
    /// `der`.
    ///
    /// A column of text or bytes called `id` or `user_id` is taken as the user id of SM2 where there is a message and no
    /// digest, though it may be the name of the row in its table. With SM2 each row is then verified or signed under the
    /// id of its own, and signatures that were made under the default id are rejected. ECDSA does not read it. A mapping
    /// that is said as a text, or made by [`Mapping::with`], has no id unless it names one.
    pub fn by_name(schema: &Schema) -> Self {
        let mut mapping = Self::new();
        for field in Field::ALL {
            let column = field.names().iter().find_map(|name| {
                let mut columns = schema.fields().iter();
                columns.find(|column| column.name().eq_ignore_ascii_case(name) && field.takes(column.data_type()))
            });
            mapping.columns[field as usize] = column.map(|column| column.name().clone());
        }
        mapping.keep_first_forms();
        mapping
    }

    fn keep_first_forms(&mut self) {
        let has = |mapping: &Self, field| mapping.column(field).is_some();
        if has(self, Field::Digest) {
            self.drop_fields(&[Field::Message, Field::Id]);
        }
        let has_r_s = has(self, Field::R) && has(self, Field::S);
        if has(self, Field::Signature) {
            self.drop_fields(&[Field::R, Field::S, Field::Der]);
        } else if has_r_s {
            self.drop_fields(&[Field::Der]);
        } else {
            self.drop_fields(&[Field::R, Field::S]);
        }
    }

    fn drop_fields(&mut self, fields: &[Field]) {
        for field in fields {
            self.columns[*field as usize] = None;
        }
    }

    /// The name of a field's column.
    pub fn column(&self, field: Field) -> Option<&str> {
        self.columns[field as usize].as_deref()
    }

    /// The fields that have a column, each with its name.
    pub fn columns(&self) -> impl Iterator<Item = (Field, &str)> {
        Field::ALL.into_iter().filter_map(|field| Some((field, self.column(field)?)))
    }

    /// Whether no field has a column.
    pub fn is_empty(&self) -> bool {
        self.columns().next().is_none()
    }

    /// The place of a field's column in a schema; `None` where the mapping has none for it.
    ///
    /// # Errors
    /// [`Error::Columns`] when the schema has no such column, has it twice, or with a type that the field cannot have.
    pub fn index(&self, field: Field, schema: &Schema) -> Result<Option<usize>, Error> {
        let Some(name) = self.column(field) else { return Ok(None) };
        let mut places = (0..schema.fields().len()).filter(|place| schema.field(*place).name() == name);
        let Some(place) = places.next() else {
            return Err(Error::Columns(format!("there is no column `{name}` for `{field}`; {}", listed(schema))));
        };
        if places.next().is_some() {
            return Err(Error::Columns(format!("there are two columns `{name}`, so that neither can be `{field}`")));
        }
        let found = schema.field(place).data_type();
        if !field.takes(found) {
            let wanted = field.wanted();
            return Err(Error::Columns(format!("the column `{name}` is {found}, but `{field}` is {wanted}")));
        }
        Ok(Some(place))
    }
}

/// The columns of a schema, for errors.
pub(crate) fn listed(schema: &Schema) -> String {
    /// More would hide what the error says.
    const SHOWN: usize = 40;
    let names: Vec<&str> = schema.fields().iter().take(SHOWN).map(|field| field.name().as_str()).collect();
    match schema.fields().len() {
        0 => "there are no columns".to_owned(),
        count if count > SHOWN => format!("the first {SHOWN} of {count} columns are {}", names.join(", ")),
        _ => format!("the columns are {}", names.join(", ")),
    }
}

impl FromStr for Mapping {
    type Err = Error;

    /// `field=column` with commas between. Fields go by any of [`Field::names`].
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut mapping = Self::new();
        for part in text.split(',') {
            let (name, column) = part
                .split_once('=')
                .map(|(name, column)| (name.trim(), column.trim()))
                .filter(|(_, column)| !column.is_empty())
                .ok_or_else(|| Error::Columns(format!("`{part}` is not `field=column`")))?;
            let field = Field::named(name).ok_or_else(|| {
                let known: Vec<String> = Field::ALL.iter().map(Field::to_string).collect();
                Error::Columns(format!("there is no field `{name}`; the fields are {}", known.join(", ")))
            })?;
            if mapping.column(field).is_some() {
                return Err(Error::Columns(format!("`{field}` is given two columns")));
            }
            mapping = mapping.with(field, column);
        }
        Ok(mapping)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_schema::Field as Column;

    fn schema(columns: &[(&str, DataType)]) -> Schema {
        Schema::new(columns.iter().map(|(name, kind)| Column::new(*name, kind.clone(), true)).collect::<Vec<_>>())
    }

    fn text(problem: Result<impl Sized, Error>) -> String {
        problem.err().expect("an error").to_string()
    }

    #[test]
    fn numbers_of_fields_are_their_places() {
        assert!(Field::ALL.iter().enumerate().all(|(place, field)| place == *field as usize));
    }

    #[test]
    fn names_belong_to_one_field() {
        for field in Field::ALL {
            assert!(field.names().iter().all(|name| Field::named(&name.to_uppercase()) == Some(field)));
        }
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
            ("message", DataType::Binary),
            ("pk", DataType::FixedSizeBinary(33)),
        ]);
        let found = Mapping::by_name(&schema);
        let wanted: Mapping = "digest=sighash,r=R,s=s,v=V,public_key=pk".parse().unwrap();
        assert_eq!(found, wanted);
        assert_eq!(found.index(Field::PublicKey, &schema).unwrap(), Some(7));
        assert_eq!(found.index(Field::Message, &schema).unwrap(), None);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        assert!(text("digest".parse::<Mapping>()).contains("`digest` is not `field=column`"));
        assert!(text("hash=x".parse::<Mapping>()).contains("no field `hash`; the fields are digest, message"));
        assert!(text("v=a,recovery_id=b".parse::<Mapping>()).contains("`recovery_id` is given two columns"));
        let schema = schema(&[("a", DataType::Int32), ("b", DataType::Binary), ("b", DataType::Binary)]);
        let index = |mapping: &str| text(mapping.parse::<Mapping>().unwrap().index(Field::Digest, &schema));
        assert!(index("digest=c").contains("no column `c` for `digest`; the columns are a, b, b"));
        assert!(index("digest=a").contains("`a` is Int32, but `digest` is 32 bytes"));
        assert!(index("digest=b").contains("two columns `b`"));
    }
}
