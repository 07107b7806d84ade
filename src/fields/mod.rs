//! The fields of an item and the column names that denote them. Text formats, tables and bindings
//! share this definition.

mod encoding;
mod hash;
pub(crate) mod recovery_id;
mod shown;
mod signature;

use crate::types::is_same_name;
pub use encoding::{
    Encoding, Encodings, FieldEncodings, UnclearEncoding, ecdsa_digest, from_base64, hex_digits,
    is_ecdsa_digest, is_key_text, pem_in_base64, plain_hex_digits,
};
pub use hash::{Hash, UnknownHash};
pub use shown::{may_be_secret, shown, shown_path};
pub use signature::{
    FormCounts, NoNumber, ReadSignature, SignatureForm, SignatureProblem, SignatureReader,
    UnclearSignatures, UnknownSignatureForm, UnusableSignatureForm, read_decimal, take_parity,
};
use std::fmt;
use std::str::FromStr;

/// A field of an item, which may have a column of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Field {
    /// The signed digest of 32 bytes: e for SM2, the message for BIP 340. ECDSA also accepts
    /// digests of other lengths, which [`ecdsa_digest`] converts to 32 bytes.
    Digest,
    /// A message. ECDSA signs its hash ([`enum@Hash`]), SM2 the SM3 of Z_A and the message, BIP 340
    /// the message.
    Message,
    /// A signature in one of the forms of [`SignatureForm`].
    Signature,
    /// The number r, big-endian: at most 32 bytes, or 33 bytes that begin with 00 if the next bit
    /// is set.
    R,
    /// The number s, encoded as r is.
    S,
    /// A signature in DER.
    Der,
    /// The recovery id: 0 to 3, a value that [`crate::ecdsa::recovery_id_of_v`] accepts, or the
    /// parity as a boolean.
    RecoveryId,
    /// A public key: 33 or 65 bytes of SEC 1, or 64 bytes `x || y`; for BIP 340 also the 32 bytes
    /// of x.
    PublicKey,
    /// A private key: 32 bytes, big-endian.
    SecretKey,
    /// The user id of SM2, for a message. Text is used unchanged; null means the default id.
    Id,
    /// The value v, with the values of [`Field::RecoveryId`]. If an item has several of these
    /// fields, they have to agree.
    V,
    /// The parity of y(R), with the values of [`Field::RecoveryId`].
    YParity,
    /// The number s in 32 bytes whose top bit is the parity (EIP-2098), next to r.
    YParityAndS,
}

impl Field {
    /// All fields, in the order in which their cells are read.
    pub const ALL: [Field; 13] = [
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
        Field::V,
        Field::YParity,
        Field::YParityAndS,
    ];

    /// The fields that hold a recovery id.
    pub const RECOVERY_IDS: [Field; 3] = [Field::RecoveryId, Field::V, Field::YParity];

    /// Returns the field's name followed by its aliases. Case, `_`, `-`, dots and spaces are
    /// ignored. `tx_hash` is not an alias of any field: the hash of a transaction is not the
    /// signed digest.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Field::Digest => &[
                "digest",
                "sighash",
                "signing_hash",
                "message_digest",
                "message_hash",
                "msg_hash",
                "hash",
            ],
            Field::Message => &["message", "msg"],
            Field::Signature => &["signature", "sig", "signature_hex", "sig_hex"],
            Field::R => &["r", "sig_r", "signature_r"],
            Field::S => &["s", "sig_s", "signature_s"],
            Field::RecoveryId => &["recovery_id", "recid", "rec_id"],
            Field::V => &["v", "sig_v", "signature_v"],
            Field::YParity => &["y_parity", "v_parity"],
            Field::YParityAndS => &["y_parity_and_s", "vs"],
            Field::Der => &["der", "signature_der", "der_signature", "sig_der"],
            Field::PublicKey => &[
                "public_key",
                "pubkey",
                "pub_key",
                "pk",
                "pub",
                "verifying_key",
            ],
            Field::SecretKey => &["secret_key", "private_key", "sk", "priv_key", "signing_key"],
            Field::Id => &["sm2_id", "sm2_user_id", "dist_id"],
        }
    }

    /// Returns the field's name.
    pub fn name(self) -> &'static str {
        match self {
            Field::Id => "id",
            field => field.names()[0],
        }
    }

    /// Returns the field with this name or alias.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| {
            is_same_name(field.name(), name)
                || field.names().iter().any(|known| is_same_name(known, name))
        })
    }

    /// Returns the field with this column name. A column called `id` is not assumed to hold user
    /// ids.
    fn of_column(name: &str) -> Option<Self> {
        Self::named(name).filter(|field| *field != Field::Id || !is_any_id(name))
    }

    /// The alternatives of which an item has exactly one, each a list of fields.
    const ALTERNATIVES: [&'static [&'static [Field]]; 2] = [
        &[&[Field::Digest], &[Field::Message]],
        &[
            &[Field::Signature],
            &[Field::R, Field::S, Field::YParityAndS],
            &[Field::Der],
        ],
    ];
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns `true` for column names that may denote user ids or row numbers.
fn is_any_id(name: &str) -> bool {
    ["id", "user_id"]
        .iter()
        .any(|known| is_same_name(known, name))
}

/// Returns `true` if a column called `hash` among these columns may hold transaction hashes, which
/// are not the signed digests.
fn are_of_transactions(columns: &[&str]) -> bool {
    const OF_TRANSACTIONS: [&str; 10] = [
        "nonce",
        "gas",
        "gas_limit",
        "gas_price",
        "block_number",
        "block_hash",
        "transaction_index",
        "chain_id",
        "from_address",
        "txid",
    ];
    columns.iter().any(|column| {
        OF_TRANSACTIONS
            .iter()
            .any(|known| is_same_name(known, column))
    })
}

/// Columns that are ambiguous or missing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnclearColumns(String);

/// A mapping from fields to columns, and the formats of values.
///
/// It is parsed from text, and completed with the names of the columns:
/// ```
/// use gecc::fields::{Field, Mapping};
/// let mapping: Mapping = "digest=tx_sighash, signature=their_sig".parse()?;
/// let columns = ["tx_sighash", "their_sig", "PubKey", "note"];
/// let mapping = mapping.complete(&columns, false, &|_| true, &|_, _| true)?;
/// assert_eq!(mapping.column(Field::Signature), Some("their_sig"));
/// assert_eq!(mapping.column(Field::PublicKey), Some("PubKey"));
/// assert!("digest=a,digest=b".parse::<Mapping>().is_err());
/// # Ok::<(), gecc::fields::UnclearColumns>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// An empty name means that no column holds the field.
    columns: [Option<String>; Field::ALL.len()],
    /// True if a message in text form is the message itself, not its hexadecimal digits.
    pub text_messages: bool,
    /// The encodings of binary values in text, by field. Unset ones are detected from the first
    /// rows of an input. Calls on single batches use hexadecimal for them.
    pub encodings: FieldEncodings,
    /// One user id of SM2 for all messages, if no column has ids.
    pub user_id: Option<Vec<u8>>,
    /// The layout of signature bytes.
    pub signature_form: SignatureForm,
    /// True if r and s in text form are decimal numbers.
    pub decimal: bool,
    /// True if public keys may have the hybrid form of X9.62: 6 plus the parity of y, then x and y.
    pub hybrid_keys: bool,
}

/// The form in which the items of an input have a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldForm {
    /// No item has the field.
    Absent,
    /// The field is bytes, or a number.
    Binary,
    /// The field is text, such as hexadecimal digits.
    Text,
}

impl Mapping {
    /// Creates a mapping without columns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the mapping with a column set for one field. An empty name means that no column
    /// holds it.
    pub fn with(mut self, field: Field, column: impl Into<String>) -> Self {
        self.columns[field as usize] = Some(column.into());
        self
    }

    /// Returns the name of a field's column.
    pub fn column(&self, field: Field) -> Option<&str> {
        self.columns[field as usize]
            .as_deref()
            .filter(|column| !column.is_empty())
    }

    /// Returns the fields that have a column, each with the column's name.
    pub fn columns(&self) -> impl Iterator<Item = (Field, &str)> {
        Field::ALL
            .into_iter()
            .filter_map(|field| Some((field, self.column(field)?)))
    }

    /// Returns `true` if no field has a column.
    pub fn is_empty(&self) -> bool {
        self.columns().next().is_none()
    }

    /// Assigns columns to fields that the mapping does not name, by the columns' names
    /// ([`Field::names`]).
    ///
    /// Only fields that are read (`reads`) are assigned a column, and only one that can hold it
    /// (`fits`, by the column's index). A column called `hash` is the digest if no column has a
    /// more specific name, unless other columns indicate that the rows are transactions. A column
    /// called `id` or `user_id` may be the user id of SM2 or the row's name: if there are messages
    /// and ids are read, the mapping has to specify which.
    ///
    /// If `by_row`, each row may use another of the alternatives for a value (a digest or a
    /// message, for instance), so that several of them may have a column.
    ///
    /// # Errors
    /// [`UnclearColumns`] if two columns match a field, or a column that the mapping names is
    /// missing.
    pub fn complete(
        mut self,
        columns: &[&str],
        by_row: bool,
        reads: &dyn Fn(Field) -> bool,
        fits: &dyn Fn(usize, Field) -> bool,
    ) -> Result<Self, UnclearColumns> {
        for (field, column) in self.columns().filter(|(field, _)| reads(*field)) {
            if !columns.contains(&column) {
                return Err(Self::absent(field, column, columns));
            }
        }
        let named: Vec<Option<Field>> = columns
            .iter()
            .map(|column| Field::of_column(column))
            .collect();
        let mut found = self.clone();
        for field in Field::ALL.into_iter().filter(|field| reads(*field)) {
            if self.columns[field as usize].is_none() && !self.has_other_form(field) {
                found.columns[field as usize] = self.find(field, columns, &named, fits)?;
            }
        }
        // One half without the other is not a signature.
        let has_r = found.column(Field::R).is_some();
        let has_s = found
            .column(Field::S)
            .or(found.column(Field::YParityAndS))
            .is_some();
        let halves = [
            (Field::R, has_s),
            (Field::S, has_r),
            (Field::YParityAndS, has_r),
        ];
        for (half, _) in halves
            .into_iter()
            .filter(|(half, is_whole)| !is_whole && self.column(*half).is_none())
        {
            found.columns[half as usize] = None;
        }
        for (_, column) in found.columns().filter(|(field, _)| reads(*field)) {
            if columns.iter().filter(|other| **other == column).count() > 1 {
                return Err(twice(column));
            }
        }
        if !by_row {
            found.require_one_form()?;
        }
        self = found;
        let may_have_id = self.columns[Field::Id as usize].is_none() && self.user_id.is_none();
        if reads(Field::Id) && may_have_id && self.column(Field::Message).is_some() {
            let id = columns
                .iter()
                .enumerate()
                .find(|(place, name)| is_any_id(name) && fits(*place, Field::Id));
            if let Some((_, id)) = id {
                return Err(UnclearColumns(format!(
                    "`{id}` may be the user id of SM2 or the name of a row: use {}, or {} for the standard's default id",
                    option(Field::Id, id),
                    option(Field::Id, "")
                )));
            }
        }
        Ok(self)
    }

    /// Returns `true` if the mapping names a column for an alternative of the field.
    fn has_other_form(&self, field: Field) -> bool {
        let alternatives = Field::ALTERNATIVES
            .iter()
            .filter(|forms| forms.iter().any(|form| form.contains(&field)));
        alternatives.flat_map(|forms| forms.iter()).any(|form| {
            !form.contains(&field) && form.iter().any(|other| self.column(*other).is_some())
        })
    }

    /// Returns the only column with a name of the field.
    fn find(
        &self,
        field: Field,
        columns: &[&str],
        named: &[Option<Field>],
        fits: &dyn Fn(usize, Field) -> bool,
    ) -> Result<Option<String>, UnclearColumns> {
        let all = columns.iter().enumerate();
        let fitting = all.filter(|(place, _)| named[*place] == Some(field) && fits(*place, field));
        let free = fitting
            .map(|(_, name)| *name)
            .filter(|name| self.columns().all(|(_, given)| given != *name));
        let (weak, strong): (Vec<&str>, Vec<&str>) =
            free.partition(|name| field == Field::Digest && is_same_name(name, "hash"));
        let likely = if strong.is_empty() { &weak } else { &strong };
        match likely[..] {
            [] => Ok(None),
            [one] if strong.is_empty() && are_of_transactions(columns) => {
                Err(UnclearColumns(format!(
                    "`{one}` seems to be the hash of a transaction, which is not the signed digest: if it is, use {}",
                    option(field, one)
                )))
            }
            [one] => Ok(Some(one.to_owned())),
            // Naming one would also name the other.
            [one, other, ..] if one == other => Err(twice(one)),
            [one, other, ..] => Err(UnclearColumns(format!(
                "both `{one}` and `{other}` could be `{field}`: choose one, for example with {}",
                option(field, one)
            ))),
        }
    }

    fn require_one_form(&self) -> Result<(), UnclearColumns> {
        for forms in Field::ALTERNATIVES {
            let mut given = forms
                .iter()
                .filter_map(|form| self.column(form[0]).map(|column| (form[0], column)));
            if let (Some((field, one)), Some((_, other))) = (given.next(), given.next()) {
                return Err(UnclearColumns(format!(
                    "`{}` and `{}` both exist: choose one, for example with {}",
                    shown(one),
                    shown(other),
                    option(field, one)
                )));
            }
        }
        Ok(())
    }

    /// Requires that every option of the mapping has an effect on inputs whose fields have the given
    /// forms, and that no field contradicts it. Fields that are not read count as absent.
    ///
    /// # Errors
    /// [`UnclearColumns`], which names the option as the command does, and as Python does.
    pub fn require_effects(&self, form: &dyn Fn(Field) -> FieldForm) -> Result<(), UnclearColumns> {
        let has = |field| form(field) != FieldForm::Absent;
        let has_text = |field| form(field) == FieldForm::Text;
        // Headers may be in separate fields, and any DER may be followed by a hash type.
        let has_signatures = [Field::Signature, Field::Der, Field::V, Field::RecoveryId]
            .into_iter()
            .any(has);
        let is_any_encoded = Field::ALL.into_iter().any(|field| {
            let is_configured = self.encodings.of(field).is_some();
            is_configured && Encoding::is_of(field, self.text_messages) && has_text(field)
        });
        let refusals = [
            (
                self.text_messages && !has_text(Field::Message),
                "--text-messages (`text_messages` in Python) has no effect: there is no `message` in text",
            ),
            (
                self.user_id.is_some() && !has(Field::Message),
                "--sm2-id (`user_id` in Python) has no effect: there is no `message`, and a `digest` contains the id",
            ),
            (
                self.user_id.is_some() && has(Field::Id),
                "--sm2-id (`user_id` in Python) is for all items, and each has an `id`: leave one of them out",
            ),
            (
                self.signature_form != SignatureForm::Auto && !has_signatures,
                "--signature-form (`signature_form` in Python) has no effect: there is no field to which it applies",
            ),
            (
                self.decimal && !has_text(Field::R),
                "--decimal (`decimal` in Python) has no effect: there are no `r` and `s` in text",
            ),
            (
                self.hybrid_keys && !has(Field::PublicKey),
                "--hybrid-keys has no effect: there is no `public_key`",
            ),
            (
                !self.encodings.is_empty() && !is_any_encoded,
                "--encoding has no effect: there is no field in text to which it applies",
            ),
        ];
        match refusals.iter().find(|(is_refused, _)| *is_refused) {
            Some((_, problem)) => Err(UnclearColumns((*problem).to_owned())),
            None => Ok(()),
        }
    }

    /// Returns the error for a column that the mapping names and the input does not have.
    pub fn absent(field: Field, column: &str, columns: &[&str]) -> UnclearColumns {
        UnclearColumns(format!(
            "there is no column `{}` for `{field}`; {}",
            shown(column),
            listed(columns)
        ))
    }

    /// Returns the error for a field that an operation requires and no column holds.
    pub fn missing(fields: &[Field], columns: &[&str]) -> UnclearColumns {
        let names: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
        let first = fields.first().copied().unwrap_or(Field::Digest);
        UnclearColumns(format!(
            "no column has the name of {}; {}; say which it is by {}",
            names.join(" or "),
            listed(columns),
            option(first, "NAME")
        ))
    }
}

/// Returns the error for a column, or a member of an object, whose name is not unique.
fn twice(name: &str) -> UnclearColumns {
    UnclearColumns(format!(
        "`{}` occurs twice, and it is not clear which is meant: remove one, or rename it",
        name.escape_debug()
    ))
}

/// Returns the option that assigns a column, on the command line and in bindings.
fn option(field: Field, column: &str) -> String {
    let column = shown(column);
    format!("--columns {field}={column} (columns=\"{field}={column}\" in Python)")
}

/// Describes the existing columns, for error messages.
fn listed(columns: &[&str]) -> String {
    /// Listing more would hide the error itself.
    const SHOWN: usize = 40;
    /// Longer names are likely not names.
    const LONGEST: usize = 40;
    if shown::may_be_parts_of_secret(columns) {
        return format!(
            "there are {} columns, whose names are not shown, as they may be a key",
            columns.len()
        );
    }
    let names = columns
        .iter()
        .take(SHOWN)
        .map(|name| match name.len() <= LONGEST {
            true => name.escape_debug().to_string(),
            false => "…".to_owned(),
        });
    let names = names.collect::<Vec<_>>().join(", ");
    match columns.len() {
        0 => "there are no columns".to_owned(),
        count if count > SHOWN => format!("the first {SHOWN} of {count} columns are {names}"),
        _ => format!("the columns are {names}"),
    }
}

impl FromStr for Mapping {
    type Err = UnclearColumns;

    /// Parses comma-separated `field=column` pairs. Fields may have any name of [`Field::names`].
    fn from_str(text: &str) -> Result<Self, UnclearColumns> {
        let mut mapping = Self::new();
        for part in text.split(',') {
            let (name, column) = part
                .split_once('=')
                .map(|(name, column)| (name.trim(), column.trim()))
                .ok_or_else(|| {
                    UnclearColumns(format!("`{}` is not `field=column`", shown(part.trim())))
                })?;
            let field = Field::named(name).ok_or_else(|| {
                let known = Field::ALL.map(Field::name).join(", ");
                UnclearColumns(format!(
                    "there is no field `{}`; the fields are {known}",
                    shown(name)
                ))
            })?;
            if mapping.columns[field as usize].is_some() {
                return Err(UnclearColumns(format!("`{field}` is given two columns")));
            }
            mapping = mapping.with(field, column);
        }
        mapping.require_one_form()?;
        Ok(mapping)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(given: &str, columns: &[&str]) -> Result<Mapping, String> {
        let given = if given.is_empty() {
            Mapping::new()
        } else {
            given.parse().map_err(|e: UnclearColumns| e.to_string())?
        };
        given
            .complete(columns, false, &|_| true, &|_, _| true)
            .map_err(|problem| problem.to_string())
    }

    #[test]
    fn field_numbers_are_indices_and_names_are_unique() {
        assert!(
            Field::ALL
                .iter()
                .enumerate()
                .all(|(place, field)| place == *field as usize)
        );
        for field in Field::ALL {
            for name in field.names() {
                for spelling in [
                    name.to_uppercase(),
                    name.replace('_', "-"),
                    name.replace('_', ""),
                ] {
                    assert_eq!(Field::named(&spelling), Some(field), "{spelling}");
                }
            }
        }
        assert_eq!(Field::named("tx_hash"), None);
    }

    #[test]
    fn columns_are_found_by_common_names() {
        let mapping = found("", &["Hash", "sig", "PubKey", "note"]).unwrap();
        let columns: Vec<_> = mapping.columns().collect();
        assert_eq!(
            columns,
            [
                (Field::Digest, "Hash"),
                (Field::Signature, "sig"),
                (Field::PublicKey, "PubKey")
            ]
        );
        let mapping = found("", &["msg-hash", "hash", "R", "S", "V"]).unwrap();
        assert_eq!(
            (mapping.column(Field::Digest), mapping.column(Field::S)),
            (Some("msg-hash"), Some("S"))
        );
        // One half of a signature.
        assert_eq!(found("", &["r", "digest"]).unwrap().column(Field::R), None);
        assert_eq!(
            found("", &["vs", "digest"])
                .unwrap()
                .column(Field::YParityAndS),
            None
        );
        // s may include the parity.
        let mapping = found("", &["r", "yParityAndS", "digest"]).unwrap();
        assert_eq!(
            (mapping.column(Field::R), mapping.column(Field::YParityAndS)),
            (Some("r"), Some("yParityAndS"))
        );
        // Fields for the same id have to agree; this is checked item by item.
        let mapping = found("", &["recid", "v", "yParity"]).unwrap();
        assert!(
            Field::RECOVERY_IDS
                .iter()
                .all(|field| mapping.column(*field).is_some())
        );
        // An explicit column keeps those of the other fields, and excludes alternatives of its
        // field.
        let mapping = found("digest=x", &["x", "message", "sig", "pk"]).unwrap();
        assert_eq!(
            (
                mapping.column(Field::Message),
                mapping.column(Field::PublicKey)
            ),
            (None, Some("pk"))
        );
        let mapping = found("r=a,s=b", &["a", "b", "sig"]).unwrap();
        assert_eq!(mapping.column(Field::Signature), None);
    }

    /// Returns the error of a mapping that cannot be completed.
    fn problem(given: &str, columns: &[&str]) -> String {
        found(given, columns).unwrap_err()
    }

    #[test]
    fn unclear_columns_are_errors_that_name_them() {
        assert!(
            problem("", &["sig", "signature"])
                .starts_with("both `sig` and `signature` could be `signature`")
        );
        assert!(problem("", &["sig", "digest", "sig"]).starts_with("`sig` occurs twice"));
        assert!(
            problem("", &["digest", "message"]).starts_with("`digest` and `message` both exist")
        );
        for given in ["", "digest=digest"] {
            assert!(
                problem(given, &["digest", "digest"]).starts_with("`digest` occurs twice"),
                "{given}"
            );
            assert!(found(given, &["digest", "note", "note"]).is_ok(), "{given}");
        }
        assert!(problem("", &["sig", "der"]).starts_with("`sig` and `der` both exist"));
        assert!(
            problem("", &["hash", "nonce", "r", "s", "v"])
                .starts_with("`hash` seems to be the hash of a transaction")
        );
        assert!(found("digest=hash", &["hash", "nonce"]).is_ok());
        assert!(problem("", &["id", "message"]).starts_with("`id` may be the user id of SM2"));
        assert!(
            found("id=", &["id", "message"])
                .unwrap()
                .column(Field::Id)
                .is_none()
        );
        assert_eq!(
            found("id=id", &["id", "message"])
                .unwrap()
                .column(Field::Id),
            Some("id")
        );
        assert!(found("", &["id", "digest"]).is_ok());
        assert!(
            problem("digest=c", &["a", "b"])
                .starts_with("there is no column `c` for `digest`; the columns are a, b")
        );
        assert!(problem("digest", &[]).contains("`digest` is not `field=column`"));
        assert!(
            problem("nothing=x", &[])
                .contains("no field `nothing`; the fields are digest, message")
        );
        assert!(
            problem("recid=a,recovery_id=b", &[]).contains("`recovery_id` is given two columns")
        );
        assert!(problem("digest=a,message=b", &[]).contains("`a` and `b` both exist"));
    }

    #[test]
    fn unread_or_unfit_columns_are_ignored() {
        let columns = ["sig", "signature", "v", "yParity", "pk"];
        let mapping = Mapping::new()
            .complete(
                &columns,
                false,
                &|field| field != Field::RecoveryId,
                &|place, _| place != 1,
            )
            .unwrap();
        assert_eq!(
            (
                mapping.column(Field::Signature),
                mapping.column(Field::RecoveryId)
            ),
            (Some("sig"), None)
        );
        assert!(
            Mapping::new()
                .complete(&["digest", "message"], true, &|_| true, &|place, _| place
                    != 1)
                .is_ok()
        );
    }

    const BITCOIN_MESSAGES: [(usize, &str); 6] = [
        (
            0,
            "80e795d4a4caadd7047af389d9f7f220562feb6196032e2131e10563352c4bcc",
        ),
        (
            1,
            "81059b18a4975dc3ba3a5437b4bad1b38c3875407f80c7965be4ab42be222c3d",
        ),
        (
            252,
            "b7b164ef991d52735c6bb888642ad7eb6b6939dc984a7fceff4376be041d142f",
        ),
        (
            253,
            "df167ad249ff5837e6acada677118b2ecc6757ab4cdade39caead99ef0220230",
        ),
        (
            65535,
            "fade4e6ebe191b9dcf869e37c4ab6a2d5f9ffc1160fbfb84370afb579af7de8d",
        ),
        (
            65536,
            "d5db7ae9446693355e5674d5d17e7b0a29f13fc174055077d9613e9ab2b462fe",
        ),
    ];

    fn hex(hash: Hash, message: &[u8]) -> String {
        hex::encode(hash.digest(message).unwrap())
    }

    #[test]
    fn hashes_match_test_vectors() {
        for (hash, start) in [
            (Hash::Sha256, "ba7816bf8f01cfea414140de5dae2223"),
            (Hash::Sha256d, "4f8b42c22dd3729b519ba6f68d2da7cc"),
            (Hash::Sha384, "cb00753f45a35e8bb5a03d699ac65007"),
            (Hash::Sha512, "ddaf35a193617abacc417349ae204131"),
            (Hash::Keccak256, "4e03657aea45a94fc7d47ba826c8d667"),
        ] {
            assert!(hex(hash, b"abc").starts_with(start), "{hash:?}");
        }
        // `personal_sign` of "hello", as computed by wallets.
        let hello = "50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750";
        assert_eq!(hex(Hash::Eip191, b"hello"), hello);
        // Computed with Python's hashlib from the definition of BIP 137, for lengths around the
        // limits of CompactSize.
        for (length, expected) in BITCOIN_MESSAGES {
            assert_eq!(
                hex(Hash::BitcoinMessage, &vec![b'a'; length]),
                expected,
                "{length}"
            );
        }
        assert_eq!(
            (Hash::None.digest(&[7; 32]), Hash::None.digest(b"abc")),
            (Some([7; 32]), None)
        );
    }
}
