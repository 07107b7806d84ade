//! Layout of the fields in a row.

use gecc::call::Operation;
use gecc::fields::{Field, SignatureForm};
use gecc_keys::KeyKind;
use std::str::FromStr;

/// The maximum width of a row: a larger one is more likely a mistake.
const WIDEST: usize = 1 << 16;

/// The fields that rows may have, with their possible widths and a description of these.
const FIELDS: [(Field, &[usize], &str); 5] = [
    (Field::Digest, &[32], "32 bytes"),
    (
        Field::PublicKey,
        &[32, 33, 64, 65],
        "33 bytes (compressed), 64 (x || y) or 65 (uncompressed), or 32 (x) for BIP 340",
    ),
    (
        Field::Signature,
        &[64, 65],
        "64 bytes (r || s) or 65 (r || s || v, or the form of --signature-form)",
    ),
    (Field::RecoveryId, &[1], "1 byte"),
    (Field::SecretKey, &[32], "32 bytes"),
];

/// The position of a field in each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldPlace {
    pub offset: usize,
    pub width: usize,
}

/// The fields of each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowLayout {
    width: usize,
    fields: Vec<(Field, FieldPlace)>,
    /// The form of signatures, which follows from their width by default.
    form: SignatureForm,
}

impl RowLayout {
    /// Returns the width of a row in bytes, which is above 0.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the layout with signatures in the given form.
    pub fn with_form(self, form: SignatureForm) -> Self {
        RowLayout { form, ..self }
    }

    /// Returns the place of a field. A signature of 65 bytes is split into a recovery id and the
    /// remaining `r || s`.
    pub fn place(&self, field: Field) -> Option<FieldPlace> {
        match field {
            Field::Signature => {
                let FieldPlace { offset, .. } = self.signature()?;
                let header = usize::from(self.form == SignatureForm::HeaderFirst);
                Some(FieldPlace {
                    offset: offset + header,
                    width: 64,
                })
            }
            Field::RecoveryId => self.given(field).or_else(|| self.v()),
            field => self.given(field),
        }
    }

    fn given(&self, field: Field) -> Option<FieldPlace> {
        self.fields
            .iter()
            .find(|(given, _)| *given == field)
            .map(|(_, place)| *place)
    }

    /// Returns the place of signatures, with all their bytes.
    pub fn signature(&self) -> Option<FieldPlace> {
        self.given(Field::Signature)
    }

    /// Returns the place of the byte with the recovery id in signatures of 65 bytes.
    pub fn v(&self) -> Option<FieldPlace> {
        let signature = self.signature().filter(|signature| signature.width == 65)?;
        let start = if self.form == SignatureForm::HeaderFirst {
            0
        } else {
            64
        };
        Some(FieldPlace {
            offset: signature.offset + start,
            width: 1,
        })
    }

    /// Returns whether recovery ids are the top bits of s, and therefore have no byte of their own.
    pub fn has_parities(&self) -> bool {
        self.form == SignatureForm::Eip2098 && self.signature().is_some()
    }

    /// Returns an error unless the rows have all fields that a command needs.
    pub fn require(&self, needed: &[Field]) -> Result<(), String> {
        let is_there = |field: Field| {
            self.place(field).is_some() || (field == Field::RecoveryId && self.has_parities())
        };
        let missing: Vec<_> = needed.iter().filter(|field| !is_there(**field)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = missing.iter().map(|field| format!("`{field}`")).collect();
        Err(format!(
            "the layout has no {}, which the command needs",
            names.join(" and no ")
        ))
    }

    /// Returns an error if the width of public keys or signatures does not suit the operation.
    pub fn require_widths(&self, operation: Operation) -> Result<(), String> {
        let reads = operation.reads();
        match self.place(Field::PublicKey) {
            Some(FieldPlace { width: 32, .. }) if !reads.x_only_keys => {
                Err("a `public_key` of 32 bytes is for `gecc verify --scheme bip340`, or ed25519".to_owned())
            }
            Some(FieldPlace { width, .. }) if width != 32 && KeyKind::from(operation) == KeyKind::Ed25519 => {
                Err("a `public_key` of Ed25519 has 32 bytes".to_owned())
            }
            _ if reads.bare_signatures && self.v().is_some() => {
                Err("a `signature` of BIP 340 or Ed25519 has 64 bytes: use signature:64,skip:1 if a byte follows it"
                    .to_owned())
            }
            _ if reads.signatures && !reads.bare_signatures => self.require_form(operation),
            _ => Ok(()),
        }
    }

    /// Returns an error if signatures do not have the width of their form, or the form has no fixed
    /// width.
    fn require_form(&self, operation: Operation) -> Result<(), String> {
        let Some(FieldPlace { width, .. }) = self.signature() else {
            return Ok(());
        };
        let has_v = operation.signature_reader(SignatureForm::Rsv).is_ok();
        let expected = match self.form {
            SignatureForm::Auto if width == 65 && !has_v => {
                return Err(
                    "a `signature` of SM2 has no v: use signature:64,skip:1 if a byte follows it"
                        .to_owned(),
                );
            }
            SignatureForm::Auto => width,
            SignatureForm::Rs | SignatureForm::Eip2098 => 64,
            SignatureForm::Rsv | SignatureForm::HeaderFirst => 65,
            SignatureForm::Der | SignatureForm::DerHashType => {
                return Err("DER has no fixed width: use another format for it".to_owned());
            }
        };
        if self.has_parities() && self.given(Field::RecoveryId).is_some() {
            return Err(
                "a signature of EIP-2098 contains a recovery id: remove `recovery_id` from the layout".to_owned()
            );
        }
        if width == expected {
            return Ok(());
        }
        Err(format!(
            "a `signature` of the form {} has {expected} bytes, not {width}",
            self.form
        ))
    }

    /// Appends a field, or bytes that are skipped, to the layout.
    fn add(&mut self, part: &str) -> Result<(), String> {
        let (name, width) = part
            .split_once(':')
            .ok_or_else(|| format!("`{part}` has no width: write NAME:BYTES"))?;
        let width: usize = width
            .parse()
            .map_err(|_| format!("`{part}`: the width is not a number of bytes"))?;
        match FIELDS.iter().find(|(field, ..)| field.name() == name) {
            Some((field, widths, _)) if widths.contains(&width) => self.add_field(*field, width)?,
            Some((_, _, meaning)) => return Err(format!("`{name}` has {meaning}, not {width}")),
            None if name == "skip" && width > 0 => {}
            None if name == "skip" => return Err("`skip:0` leaves nothing out".to_owned()),
            None => return Err(unknown(name)),
        }
        self.width = self.width.saturating_add(width);
        if self.width > WIDEST {
            Err(format!("rows are wider than {WIDEST} bytes"))
        } else {
            Ok(())
        }
    }

    fn add_field(&mut self, field: Field, width: usize) -> Result<(), String> {
        if self.fields.iter().any(|(given, _)| *given == field) {
            return Err(format!("`{field}` is given twice"));
        }
        self.fields.push((
            field,
            FieldPlace {
                offset: self.width,
                width,
            },
        ));
        let recovery_ids = [
            self.fields
                .iter()
                .any(|(given, _)| *given == Field::RecoveryId),
            self.v().is_some(),
        ];
        if recovery_ids == [true; 2] {
            return Err(
                "a signature of 65 bytes contains a recovery id: remove `recovery_id` from the layout".to_owned()
            );
        }
        Ok(())
    }
}

fn unknown(name: &str) -> String {
    if matches!(name, "message" | "der" | "id" | "tag") {
        return format!("`{name}` has no fixed width: use another format for it");
    }
    let known = FIELDS.map(|(field, ..)| field.name()).join(", ");
    format!("no field is called `{name}`; there are {known}, and skip for bytes to leave out")
}

/// Parses `digest:32,public_key:33,signature:64`: names and widths in the order of the row.
impl FromStr for RowLayout {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut layout = RowLayout {
            width: 0,
            fields: Vec::new(),
            form: SignatureForm::Auto,
        };
        text.split(',')
            .try_for_each(|part| layout.add(part.trim()))?;
        if layout.fields.is_empty() {
            Err("the layout has no field".to_owned())
        } else {
            Ok(layout)
        }
    }
}
