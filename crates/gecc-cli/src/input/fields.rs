//! The fields of an input item, borrowed from its text, and their interpretation.

use super::key_texts;
use super::names::{FieldNames, Role};
use const_hex::decode_to_slice;
use gecc::fields::{
    Encoding, Field, FieldEncodings, FormCounts, ReadSignature, SignatureForm, SignatureProblem,
    SignatureReader, ecdsa_digest, from_base64, hex_digits, is_ecdsa_digest, is_key_text,
    plain_hex_digits, read_decimal, take_parity,
};
use gecc::{Rejection, SecretKey};
use gecc_keys::KeyKind;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use zeroize::{Zeroize, Zeroizing};

/// The fields of an item. Unknown fields are ignored.
#[derive(Default)]
pub struct Fields<'a> {
    /// The text of each field. Numbers are kept as written.
    values: [Option<Cow<'a, str>>; Field::ALL.len()],
    /// The private key, if its text states its purpose.
    key: Option<SecretKey>,
    pub tag: Option<Tag<'a>>,
}

/// The members of a JSON object, in order.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl Members<'_> {
    /// Returns the name of each member, and whether it is null.
    fn names(&self) -> impl Iterator<Item = (&str, bool)> {
        self.0
            .iter()
            .map(|(name, value)| (&**name, value.get() == "null"))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut entries: A,
            ) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(name) = entries.next_key::<BorrowedText>()? {
                    members.push((name.0, entries.next_value()?));
                }
                Ok(Members(members))
            }
        }

        input.deserialize_map(MembersVisitor)
    }
}

/// A text that is borrowed unless it contains escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct BorrowedText<'a>(#[serde(borrow)] Cow<'a, str>);

/// Settings for reading signatures.
#[derive(Clone, Copy)]
pub struct SignatureRules {
    pub reader: SignatureReader,
    /// True if r and s are decimal numbers.
    pub decimal: bool,
}

/// The forms of values in text.
#[derive(Clone, Copy)]
pub struct ValueForms {
    pub encodings: FieldEncodings,
    pub text_messages: bool,
    /// True if r and s are decimal numbers.
    pub decimal: bool,
    /// True if public keys may have the hybrid form of X9.62.
    pub hybrid_keys: bool,
}

/// A tag that is passed through to the answer.
#[derive(Clone, Copy)]
pub enum Tag<'a> {
    /// JSON as written: numbers keep their digits and objects their order.
    Json(&'a str),
    Text(&'a str),
}

/// The signed content.
pub enum SignedContent<'a> {
    Digest([u8; 32]),
    /// A message as written.
    Message(&'a str),
}

/// The roles of an object's members, kept for the next object: most objects of a file have the same
/// members.
#[derive(Default)]
pub struct LastRoles {
    /// The inputs from which the roles follow: the names of the members, and which of them are
    /// null.
    members: Vec<(String, bool)>,
    roles: Vec<Option<Role>>,
}

impl LastRoles {
    /// Returns the roles of these members. They depend on the object only, not on earlier objects.
    fn of(&mut self, members: &Members, names: &FieldNames) -> Result<&[Option<Role>], String> {
        if !members.names().eq(self
            .members
            .iter()
            .map(|(name, is_null)| (name.as_str(), *is_null)))
        {
            // Members and roles are replaced together, since the roles may be ambiguous and are not
            // kept then.
            self.members.clear();
            let all: Vec<(&str, bool)> = members.names().collect();
            self.roles = names.roles_of_members(&all)?;
            self.members = all
                .into_iter()
                .map(|(name, is_null)| (name.to_owned(), is_null))
                .collect();
        }
        Ok(&self.roles)
    }
}

impl<'a> Fields<'a> {
    /// Parses a JSON object. An error comes with the tag if that can be read nevertheless.
    pub fn from_json(
        text: &'a str,
        names: &FieldNames,
        last: &mut LastRoles,
    ) -> Result<Self, (String, Option<Tag<'a>>)> {
        // serde would accept an array as an object with its fields in order.
        if !text.starts_with('{') {
            return Err(("not a JSON object".to_owned(), None));
        }
        let members: Members = serde_json::from_str(text)
            .map_err(|problem| (format!("not a JSON object: {}", described(&problem)), None))?;
        let tag = members.0.iter().rfind(|(name, _)| names.is_tag(name));
        let tag = tag.map(|(_, value)| Tag::Json(value.get()));
        let mut fields = Fields {
            tag,
            ..Fields::default()
        };
        let roles = last.of(&members, names).map_err(|problem| (problem, tag))?;
        for ((_, value), role) in members.0.iter().zip(roles) {
            if let Some(Role::Field(field)) = role {
                let text = text_of(*field, value, names.decimal());
                fields.values[*field as usize] = text.map_err(|problem| (problem, tag))?;
            }
        }
        Ok(fields)
    }

    /// Makes the fields of a bare private key.
    pub fn of_key(text: &'a str) -> Self {
        let mut fields = Fields::default();
        fields.values[Field::SecretKey as usize] = Some(Cow::Borrowed(text));
        fields
    }

    /// Sets a field from a cell of a table. An empty cell is an absent field. So is a cell of
    /// spaces, except where spaces are significant, and except for messages in tables without
    /// digests.
    pub fn set(&mut self, role: Role, value: &'a str) {
        let is_text = matches!(role, Role::Field(Field::Id) | Role::Tag);
        if value.is_empty() || (!is_text && value.trim().is_empty()) {
            return;
        }
        self.put(role, value, Tag::Text(value));
    }

    /// Sets a field to a text, or sets the tag.
    pub fn put(&mut self, role: Role, value: &'a str, tag: Tag<'a>) {
        match role {
            Role::Field(field) => self.values[field as usize] = Some(Cow::Borrowed(value)),
            Role::Tag => self.tag = Some(tag),
        }
    }

    /// Returns the text of a field.
    pub fn value(&self, field: Field) -> Option<&str> {
        self.values[field as usize].as_deref()
    }

    /// Converts all values in other forms to hexadecimal: base64 where that is the encoding of the
    /// field, digits separated by colons or line ends, and public keys that state their purpose.
    /// Private keys that state their purpose are parsed.
    pub fn into_hex(mut self, forms: &ValueForms, kind: KeyKind) -> Result<Self, String> {
        let ValueForms {
            encodings,
            text_messages,
            decimal,
            hybrid_keys,
        } = *forms;
        for field in Field::ALL {
            if !Encoding::is_of(field, text_messages)
                || (decimal && matches!(field, Field::R | Field::S))
            {
                continue;
            }
            let Some(text) = self.value(field) else {
                continue;
            };
            let hexadecimal = match encodings.of(field).unwrap_or_default() {
                Encoding::Base64 if field == Field::PublicKey && is_key_text(text.trim()) => {
                    continue;
                }
                Encoding::Base64 => {
                    let bytes =
                        from_base64(text.trim()).ok_or_else(|| not_base64(field, text.trim()))?;
                    const_hex::encode(bytes)
                }
                Encoding::Hex => match plain_hex_digits(text.as_bytes()) {
                    Cow::Owned(digits) if digits.iter().all(u8::is_ascii_hexdigit) => {
                        String::from_utf8(digits).expect("digits are ASCII")
                    }
                    _ => continue,
                },
            };
            self.values[field as usize] = Some(Cow::Owned(hexadecimal));
        }
        let key = self
            .value(Field::PublicKey)
            .map(digits)
            .filter(|key| key_texts::is_public_key(key, kind));
        if let Some(key) = key.map(|key| key_texts::public_key_digits(key, kind)) {
            self.values[Field::PublicKey as usize] = Some(Cow::Owned(key?));
        }
        let hybrid = self
            .value(Field::PublicKey)
            .filter(|_| hybrid_keys && kind.has_points())
            .and_then(|key| key_texts::sec1_digits_of_hybrid(digits(key)));
        if let Some(key) = hybrid {
            self.values[Field::PublicKey as usize] = Some(Cow::Owned(key));
        }
        let key = self
            .value(Field::SecretKey)
            .filter(|key| key_texts::is_private_key(key));
        self.key = key
            .map(|key| key_texts::read_private_key(key, kind))
            .transpose()?;
        Ok(self)
    }

    /// Returns the signed content. Digests of other lengths than 32 bytes are accepted for ECDSA
    /// only.
    pub fn content(&self, is_for_ecdsa: bool) -> Result<SignedContent<'_>, String> {
        match (self.value(Field::Digest), self.value(Field::Message)) {
            (Some(digest), None) if is_for_ecdsa => {
                ecdsa_digest_of(digits(digest)).map(SignedContent::Digest)
            }
            (Some(digest), None) => {
                let mut bytes = [0; 32];
                decode("digest", digest, &mut bytes)?;
                Ok(SignedContent::Digest(bytes))
            }
            (None, Some(message)) => Ok(SignedContent::Message(message)),
            (Some(_), Some(_)) => Err("`digest` and `message` are both given".to_owned()),
            (None, None) => Err("neither `digest` nor `message` is given".to_owned()),
        }
    }

    /// Reads the signature and the recovery id in it. If a signature is given in several forms,
    /// these have to agree. Counts signatures of 65 bytes whose form is detected from their
    /// content.
    pub fn signature(
        &self,
        rules: &SignatureRules,
        to: &mut [u8; 64],
        counts: &mut FormCounts,
    ) -> Result<Option<u8>, String> {
        let mut found = Agreed::default();
        if let Some(signature) = self.value(Field::Signature) {
            found.add(
                "signature",
                whole_signature(digits(signature), rules.reader, counts)?,
            )?;
        }
        if [Field::R, Field::S, Field::YParityAndS]
            .iter()
            .any(|field| self.value(*field).is_some())
        {
            found.add("r", self.signature_of_parts(rules)?)?;
        }
        if let Some(der) = self.value(Field::Der) {
            found.add("der", der_signature(digits(der), rules.reader)?)?;
        }
        let (_, read) = found.0.ok_or("neither `signature` nor `der` is given")?;
        *to = read.signature;
        Ok(read.recovery_id)
    }

    /// Reads the signature from r and s, or from r and s with the parity in its top bit (EIP-2098).
    fn signature_of_parts(&self, rules: &SignatureRules) -> Result<ReadSignature, String> {
        let decode = if rules.decimal {
            decode_decimal
        } else {
            decode_number
        };
        let mut signature = [0; 64];
        let (r, s) = signature.split_at_mut(32);
        decode("r", required("r", self.value(Field::R))?, r)?;
        let Some(s_and_parity) = self.value(Field::YParityAndS) else {
            decode("s", required("s", self.value(Field::S))?, s)?;
            return Ok(ReadSignature {
                signature,
                recovery_id: None,
            });
        };
        decode_number("y_parity_and_s", s_and_parity, s)?;
        let parity = take_parity(&mut s[0]);
        if let Some(given) = self.value(Field::S) {
            let mut bytes = [0; 32];
            decode("s", given, &mut bytes)?;
            if bytes != *s {
                return Err(contradiction("s", "y_parity_and_s"));
            }
        }
        Ok(ReadSignature {
            signature,
            recovery_id: Some(parity),
        })
    }

    /// Reads a signature whose only form is its 64 bytes.
    pub fn bare_signature(&self, to: &mut [u8; 64]) -> Result<(), String> {
        decode(
            "signature",
            required("signature", self.value(Field::Signature))?,
            to,
        )
    }

    /// Returns the hexadecimal digits of the public key.
    pub fn public_key(&self) -> Result<&str, String> {
        required("public_key", self.value(Field::PublicKey)).map(digits)
    }

    /// Returns whether any field holds the recovery id.
    pub fn has_recovery_id(&self) -> bool {
        Field::RECOVERY_IDS
            .iter()
            .any(|field| self.value(*field).is_some())
    }

    /// Returns the recovery id of the signature and of the fields for it, which have to agree. An
    /// invalid number becomes an id that the engine rejects.
    pub fn recovery_id(
        &self,
        of_signature: Option<u8>,
        reader: SignatureReader,
    ) -> Result<u8, String> {
        let mut found = of_signature.map(|id| ("signature", id));
        for field in Field::RECOVERY_IDS {
            let Some(text) = self.value(field) else {
                continue;
            };
            let id = reader
                .recovery_id_of_text(text)
                .map_err(|problem| format!("`{field}` {problem}"))?;
            let id = id.unwrap_or(u8::MAX);
            match found {
                Some((before, other)) if other != id => {
                    return Err(contradiction(field.name(), before));
                }
                Some(_) => {}
                None => found = Some((field.name(), id)),
            }
        }
        let hint =
            "`recovery_id` is not given (if it is the top bit of s, use --signature-form eip2098)";
        found.map(|(_, id)| id).ok_or_else(|| hint.to_owned())
    }

    /// Returns the recovery id where it is only a hint: that of the signature, or else the first
    /// that can be read.
    pub fn optional_recovery_id(
        &self,
        of_signature: Option<u8>,
        reader: SignatureReader,
    ) -> Option<u8> {
        of_signature.or_else(|| {
            let mut texts = Field::RECOVERY_IDS
                .into_iter()
                .filter_map(|field| self.value(field));
            texts.find_map(|text| reader.recovery_id_of_text(text).ok().flatten())
        })
    }

    pub fn secret_key(&self) -> Result<SecretKey, String> {
        let mut key = Zeroizing::new([0; 32]);
        self.secret_key_into(&mut key)?;
        Ok(SecretKey::from_bytes(*key))
    }

    /// Writes the private key, from 64 hexadecimal digits or from the value parsed from another
    /// form. Errors do not show the key.
    pub fn secret_key_into(&self, to: &mut [u8; 32]) -> Result<(), String> {
        if let Some(key) = &self.key {
            to.copy_from_slice(key.expose_bytes());
            return Ok(());
        }
        let digits = digits(required("secret_key", self.value(Field::SecretKey))?);
        if digits.len() == 64 && decode_to_slice(digits, to).is_ok() {
            return Ok(());
        }
        to.zeroize();
        let text = self.value(Field::SecretKey).unwrap_or_default();
        let found =
            gecc_keys::unsupported_form(text.as_bytes()).map(|what| format!(": this is {what}"));
        Err(format!(
            "a private key is 64 hexadecimal digits{}",
            found.unwrap_or_default()
        ))
    }
}

/// Returns the text of a member; `None` if it is null. A private key is borrowed from the line: a
/// text with escapes would be assembled in memory that is not wiped, so it is refused unless
/// [`key_texts`] reads its form.
fn text_of<'a>(
    field: Field,
    value: &'a RawValue,
    decimal: bool,
) -> Result<Option<Cow<'a, str>>, String> {
    let json = value.get();
    let text = json
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    match text {
        _ if json == "null" => Ok(None),
        Some(text) if !text.contains('\\') => Ok(Some(Cow::Borrowed(text))),
        Some(text) if field == Field::SecretKey && key_texts::is_private_key(text) => {
            Ok(Some(Cow::Borrowed(text)))
        }
        // PostgreSQL's notation for bytes: one escape before the digits.
        Some(text)
            if field == Field::SecretKey
                && text.rfind('\\') == Some(1)
                && text.starts_with("\\\\x") =>
        {
            Ok(Some(Cow::Borrowed(&text[1..])))
        }
        Some(_) if field == Field::SecretKey => Err(format!("`{field}` is written with escapes")),
        Some(_) => {
            let text: Result<BorrowedText, _> = serde_json::from_str(json);
            text.map(|text| Some(text.0))
                .map_err(|_| format!("`{field}` is not a text"))
        }
        // A JSON Web Key, or a number.
        None if matches!(field, Field::PublicKey | Field::SecretKey) && json.starts_with('{') => {
            Ok(Some(Cow::Borrowed(json)))
        }
        // An array of bytes.
        None if field == Field::SecretKey && json.starts_with('[') => Ok(Some(Cow::Borrowed(json))),
        None if Field::RECOVERY_IDS.contains(&field) => Ok(Some(Cow::Borrowed(json))),
        None if matches!(field, Field::R | Field::S) && decimal => Ok(Some(Cow::Borrowed(json))),
        None if matches!(field, Field::R | Field::S)
            && json.bytes().all(|digit| digit.is_ascii_digit()) =>
        {
            Err(format!(
                "`{field}` is a number: use --decimal if r and s are decimal"
            ))
        }
        None if field == Field::Signature && json.starts_with('{') => Err(
            "`signature` is an object: write its `r`, `s` and `v` as members of the item"
                .to_owned(),
        ),
        None => Err(format!("`{field}` is not a text")),
    }
}

/// Describes an error in a JSON text, with its column. The answer states the line separately. The
/// token that the parser expected is of no use to users.
fn described(problem: &serde_json::Error) -> String {
    let what = if problem.is_eof() {
        "it ends too early"
    } else {
        "not valid JSON"
    };
    if problem.line() == 1 {
        format!("{what} at column {}", problem.column())
    } else {
        what.to_owned()
    }
}

/// The forms in which a signature is given, which have to agree: holds the first, with the name of
/// its field.
#[derive(Default)]
struct Agreed(Option<(&'static str, ReadSignature)>);

impl Agreed {
    fn add(&mut self, name: &'static str, read: ReadSignature) -> Result<(), String> {
        let Some((before, known)) = &mut self.0 else {
            self.0 = Some((name, read));
            return Ok(());
        };
        let differ = known
            .recovery_id
            .zip(read.recovery_id)
            .is_some_and(|(one, other)| one != other);
        if differ || known.signature != read.signature {
            return Err(contradiction(name, before));
        }
        known.recovery_id = known.recovery_id.or(read.recovery_id);
        Ok(())
    }
}

/// Returns the error for two fields with different values for the same thing.
fn contradiction(one: &str, other: &str) -> String {
    format!("`{one}` and `{other}` contradict each other")
}

/// The size of the longest signature in bytes: DER with a hash type.
const LONGEST_SIGNATURE: usize = 73;

/// Reads a signature in a form that the reader supports.
fn whole_signature(
    digits: &str,
    reader: SignatureReader,
    counts: &mut FormCounts,
) -> Result<ReadSignature, String> {
    const NAME: &str = "signature";
    let mut bytes = [0; LONGEST_SIGNATURE];
    let Some(bytes) = bytes.get_mut(..digits.len() / 2) else {
        check(NAME, digits)?;
        let length = digits.len() / 2;
        let problem = match (length, reader.form()) {
            (128, SignatureForm::Auto) => SignatureProblem::WithPublicKey,
            _ => SignatureProblem::WrongLength,
        };
        return Err(unread(NAME, problem, length, reader));
    };
    decode_digits(NAME, digits, bytes)?;
    if reader.form() == SignatureForm::Auto {
        counts.see(bytes);
    }
    reader
        .read(bytes)
        .map_err(|problem| unread(NAME, problem, bytes.len(), reader))
}

/// Reads a signature in DER.
fn der_signature(digits: &str, reader: SignatureReader) -> Result<ReadSignature, String> {
    const NAME: &str = "der";
    check(NAME, digits)?;
    let mut bytes = [0; LONGEST_SIGNATURE];
    let bytes = bytes
        .get_mut(..digits.len() / 2)
        .ok_or_else(|| Rejection::MalformedSignature.to_string())?;
    decode_to_slice(digits, &mut *bytes).expect("the digits were checked");
    let signature = reader
        .read_der(bytes)
        .map_err(|problem| unread(NAME, problem, bytes.len(), reader))?;
    Ok(ReadSignature {
        signature,
        recovery_id: None,
    })
}

/// Describes why a signature of `length` bytes cannot be read.
fn unread(name: &str, problem: SignatureProblem, length: usize, reader: SignatureReader) -> String {
    let expected = match reader.form() {
        SignatureForm::Rsv | SignatureForm::HeaderFirst => 65,
        _ => 64,
    };
    match problem {
        SignatureProblem::Rejected(rejection) => rejection.to_string(),
        SignatureProblem::WrongLength => format!(
            "`{name}` has {} instead of {expected}",
            counted(length, "byte")
        ),
        problem => format!("`{name}` {problem}"),
    }
}

/// Decodes the digits of a number, which may lack leading zeros. If the top bit of the number is
/// set, a zero byte may precede it, as in encodings of signed integers (mpint, DER).
fn decode_number(name: &str, text: &str, to: &mut [u8]) -> Result<(), String> {
    let digits = digits(text);
    let most = 2 * to.len();
    let digits = match digits.strip_prefix("00") {
        Some(rest)
            if rest.len() == most
                && matches!(rest.as_bytes()[0], b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F') =>
        {
            rest
        }
        _ => digits,
    };
    if digits.is_empty() {
        return Err(format!("`{name}` is empty"));
    }
    // Positions are those in the text, without the zeros that are added.
    if let Some(problem) = invalid_digit(digits) {
        return Err(format!("`{name}` is not hexadecimal: {problem}"));
    }
    if digits.len() > most {
        let count = counted(digits.len(), "hexadecimal digit");
        let is_decimal = text.trim().bytes().all(|digit| digit.is_ascii_digit());
        let hint = match is_decimal {
            true if matches!(name, "r" | "s") => ": use --decimal if r and s are decimal",
            _ => "",
        };
        return Err(format!(
            "`{name}` has {count} instead of at most {most}{hint}"
        ));
    }
    decode_digits(name, &format!("{digits:0>most$}"), to)
}

/// Decodes a decimal number.
fn decode_decimal(name: &str, text: &str, to: &mut [u8]) -> Result<(), String> {
    /// More digits than any number of 32 bytes has, even with some leading zeros.
    const MOST: usize = 200;
    let digits = text.trim().as_bytes();
    let read = if digits.len() > MOST {
        None
    } else {
        read_decimal(digits, to)
    };
    read.ok_or_else(|| {
        format!(
            "`{name}` is not a decimal number of at most {} bytes",
            to.len()
        )
    })
}

fn required<T>(name: &str, field: Option<T>) -> Result<T, String> {
    field.ok_or_else(|| format!("`{name}` is not given"))
}

/// Removes surrounding space, and the prefixes that hexadecimal digits may have.
pub fn digits(text: &str) -> &str {
    let text = text.trim();
    &text[text.len() - hex_digits(text.as_bytes()).len()..]
}

fn decode(name: &str, text: &str, to: &mut [u8]) -> Result<(), String> {
    decode_digits(name, digits(text), to)
}

/// Decodes digits that have to fill the buffer exactly.
pub fn decode_digits(name: &str, digits: &str, to: &mut [u8]) -> Result<(), String> {
    if digits.len() == 2 * to.len() && decode_to_slice(digits, to).is_ok() {
        return Ok(());
    }
    check(name, digits)?;
    Err(format!(
        "`{name}` has {} instead of {}",
        counted(digits.len() / 2, "byte"),
        to.len()
    ))
}

/// Decodes digits and appends the bytes.
pub fn append_decoded(name: &str, digits: &str, to: &mut Vec<u8>) -> Result<(), String> {
    check(name, digits)?;
    let start = to.len();
    to.resize(start + digits.len() / 2, 0);
    decode_to_slice(digits, &mut to[start..]).expect("they were checked");
    Ok(())
}

/// Decodes a digest of one of the lengths that ECDSA accepts.
fn ecdsa_digest_of(digits: &str) -> Result<[u8; 32], String> {
    const LONGEST: usize = 64;
    let mut bytes = [0; LONGEST];
    let length = digits.len() / 2;
    if !is_ecdsa_digest(length) || !digits.len().is_multiple_of(2) {
        check("digest", digits)?;
        let count = counted(length, "byte");
        return Err(format!("`digest` has {count} instead of 32"));
    }
    decode_digits("digest", digits, &mut bytes[..length])?;
    Ok(ecdsa_digest(&bytes[..length]).expect("the length is one of those"))
}

/// Formats a number of things, in the singular for one.
pub fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn not_base64(field: Field, text: &str) -> String {
    match text
        .char_indices()
        .find(|(_, character)| !is_base64_digit(*character))
    {
        Some((at, character)) => {
            format!("`{field}` is not base64: it contains {character:?} at position {at}")
        }
        None => {
            format!("`{field}` is not base64: its length or padding is not that of whole bytes")
        }
    }
}

/// Returns whether a character occurs in base64 or base64url, including padding and line ends.
fn is_base64_digit(character: char) -> bool {
    character.is_ascii_alphanumeric() || "+/-_=\r\n".contains(character)
}

/// Returns an error unless a text consists of pairs of hexadecimal digits.
fn check(name: &str, digits: &str) -> Result<(), String> {
    let problem = match invalid_digit(digits) {
        None if digits.len().is_multiple_of(2) => return Ok(()),
        None => "it has an odd number of digits".to_owned(),
        Some(problem) => problem,
    };
    Err(format!("`{name}` is not hexadecimal: {problem}"))
}

/// Describes the first character that is not a hexadecimal digit.
fn invalid_digit(digits: &str) -> Option<String> {
    let (at, character) = digits
        .char_indices()
        .find(|(_, character)| !character.is_ascii_hexdigit())?;
    let hint = hint(digits, character);
    Some(if may_show(character, digits) {
        format!("it contains {character:?} at position {at}{hint}")
    } else {
        format!("the character at position {at} is not a digit{hint}")
    })
}

/// Returns whether an error may quote a character of a text. A long text may be a private key in
/// another encoding, of which no letter or digit is shown.
fn may_show(character: char, text: &str) -> bool {
    const LONGEST_SHOWN: usize = 16;
    text.len() < LONGEST_SHOWN || character.is_ascii_punctuation() || character == ' '
}

/// Returns a hint for an invalid character, if its cause is known.
fn hint(digits: &str, character: char) -> String {
    /// Common prefixes of digests. Only prefixes on this list are shown.
    const PREFIXES: [&str; 12] = [
        "sha256",
        "sha384",
        "sha512",
        "sha-256",
        "sha-384",
        "sha-512",
        "sha1",
        "sha224",
        "keccak256",
        "sm3",
        "hex",
        "base64",
    ];
    let prefix = digits
        .split_once(':')
        .map(|(prefix, _)| prefix.to_ascii_lowercase());
    match prefix.filter(|prefix| PREFIXES.contains(&prefix.as_str())) {
        Some(prefix) => format!("; leave out the prefix `{prefix}:`"),
        None if digits.starts_with("=\"") => {
            "; this is a formula of Excel: export the value as a text, without =\"…\"".to_owned()
        }
        None if character == ':' => {
            "; colons are accepted if all bytes have two digits and one colon between them"
                .to_owned()
        }
        None => String::new(),
    }
}
