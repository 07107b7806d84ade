//! Parses the items of a unit of text into rows of columns.

use super::arena::{ColumnsPart, KeyColumn};
use crate::input::fields::{
    Fields, SignatureRules, SignedContent, Tag, ValueForms, append_decoded, counted, decode_digits,
    digits,
};
use crate::input::items::{Unreadable, each_of_unit};
use crate::input::layout::TextLayout;
use crate::input::names::FieldNames;
use crate::input::splitter::Unit;
use crate::operation::NO_RECOVERY_ID;
use gecc::call::{Reads, RecoveryIds};
use gecc::fields::{Encoding, Field, FieldEncodings, FormCounts, Hash};
use gecc_keys::KeyKind;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// The data that answers need in addition to results. Row numbers count from the unit's first row.
#[derive(Default)]
pub struct Origins {
    rows: usize,
    first_line: u64,
    /// The line of each item, relative to the first. Empty if each row is one line.
    lines: Vec<u32>,
    /// The concatenated tags as JSON.
    tags: Vec<u8>,
    /// The end of each item's tag, exclusive. Empty if no item has a tag.
    tag_ends: Vec<usize>,
    /// Items that cannot be used, with the reasons, in order. They are not computed.
    pub faults: Vec<(usize, String)>,
    pub irregular: IrregularItems,
    /// Counts of the detected forms of signatures of 65 bytes whose recovery ids are read and not
    /// confirmed by another field.
    pub forms: FormCounts,
    /// The name of the input.
    pub file: Arc<str>,
}

impl Origins {
    /// Returns the size in bytes of tags, reasons, and values that do not fit the columns.
    pub fn notes(&self) -> usize {
        let reasons: usize = self.faults.iter().map(|(_, reason)| reason.len()).sum();
        self.tags.len()
            + reasons
            + self.irregular.bytes.len()
            + KeyColumn::Mixed.width() * self.irregular.items.len()
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the line on which an item began, counted from 1.
    pub fn line(&self, row: usize) -> u64 {
        self.first_line
            + self
                .lines
                .get(row)
                .map_or(row as u64, |line| u64::from(*line))
    }

    /// Returns an item's tag, which is empty if it has none.
    pub fn tag(&self, row: usize) -> &[u8] {
        let Some(&end) = self.tag_ends.get(row) else {
            return &[];
        };
        let start = row.checked_sub(1).map_or(0, |before| self.tag_ends[before]);
        &self.tags[start..end]
    }
}

/// Returns the units of a batch, each with its first row.
pub fn placed(units: &[Origins]) -> impl Iterator<Item = (usize, &Origins)> {
    units.iter().scan(0, |next, unit| {
        let start = *next;
        *next += unit.rows();
        Some((start, unit))
    })
}

/// Irregular items: their keys have another encoding than the column, or they have messages that
/// the operation hashes. Their rows in the columns are zeros except for private keys.
#[derive(Default)]
pub struct IrregularItems {
    pub items: Vec<IrregularItem>,
    /// The bytes that the ranges refer to.
    pub bytes: Vec<u8>,
}

/// The range of a message, and of its user id, if given.
type Message = (Range<usize>, Option<Range<usize>>);

pub struct IrregularItem {
    pub row: usize,
    pub digest: [u8; 32],
    pub signature: [u8; 64],
    /// A row of `PublicKeys::mixed`; unused if the operation reads no keys.
    pub public_key: [u8; 65],
    pub message: Option<Message>,
}

/// The fields to read, and the conditions under which an item cannot be computed.
#[derive(Clone)]
pub struct ParsingRules {
    pub reads: Reads,
    /// The number of the first item that cannot be computed, as cannot all later ones, and the
    /// reason.
    pub limit: Option<(u64, String)>,
    /// The purpose of public keys.
    pub kind: KeyKind,
    pub names: FieldNames,
    pub signatures: SignatureRules,
    pub encodings: FieldEncodings,
    /// True if public keys may have the hybrid form of X9.62.
    pub hybrid_keys: bool,
    /// The SM2 user id of messages that have none of their own.
    pub user_id: Option<Arc<[u8]>>,
    pub hash: Hash,
    pub text_messages: bool,
    /// The name of the input.
    pub file: Arc<str>,
}

impl ParsingRules {
    /// Converts the fields to hexadecimal from any supported form.
    fn in_hex<'a>(&self, fields: Fields<'a>) -> Result<Fields<'a>, String> {
        let forms = ValueForms {
            encodings: self.encodings,
            text_messages: self.text_messages,
            decimal: self.signatures.decimal,
            hybrid_keys: self.hybrid_keys,
        };
        fields.into_hex(&forms, self.kind)
    }

    /// Describes the encodings of the fields that are read.
    pub fn described_encodings(&self) -> String {
        let mut base64 = Vec::new();
        let mut has_hex = false;
        for field in Field::ALL {
            if !self.names.reads(field) || !Encoding::is_of(field, self.text_messages) {
                continue;
            }
            match self.encodings.of(field) {
                Some(Encoding::Base64) => base64.push(field.name()),
                _ => has_hex = true,
            }
        }
        match base64[..] {
            [] => Encoding::Hex.name().to_owned(),
            _ if !has_hex => Encoding::Base64.name().to_owned(),
            _ => format!("hex, of {} in base64", base64.join(", ")),
        }
    }
}

/// Fills a part with the items of a unit. `number` is the number of the first item.
pub fn fill(
    unit: &Unit,
    layout: &TextLayout,
    rules: &ParsingRules,
    number: u64,
    part: &mut ColumnsPart,
) -> Origins {
    let first_line = unit.line;
    let lines = Vec::with_capacity(unit.rows);
    let file = Arc::clone(&rules.file);
    let origins = Origins {
        first_line,
        lines,
        file,
        ..Origins::default()
    };
    let mut filling = RowFiller {
        rules,
        number,
        part,
        origins,
        message: Vec::new(),
    };
    each_of_unit(unit, layout, &rules.names, |line, fields| {
        filling.take(line, fields);
        ControlFlow::Continue(())
    });
    assert_eq!(
        filling.origins.rows(),
        unit.rows,
        "as many items as were counted"
    );
    filling.origins
}

/// Returns the encoding of the first public key in a unit.
pub fn key_form(unit: &Unit, layout: &TextLayout, rules: &ParsingRules) -> KeyColumn {
    let mut form = None;
    each_of_unit(unit, layout, &rules.names, |_, fields| {
        let fields = fields.ok().and_then(|fields| rules.in_hex(fields).ok());
        form = fields.and_then(|fields| {
            fields
                .public_key()
                .ok()
                .map(|digits| form_of(digits, rules))
        });
        if form.is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    form.unwrap_or_default()
}

/// Determines the encoding of a key from its number of digits.
fn form_of(digits: &str, rules: &ParsingRules) -> KeyColumn {
    if rules.reads.x_only_keys && digits.len() == 2 * KeyColumn::XOnly.width() {
        KeyColumn::XOnly
    } else if rules.kind.has_points() && digits.len() == 2 * KeyColumn::Compressed.width() {
        KeyColumn::Compressed
    } else {
        KeyColumn::Mixed
    }
}

struct RowFiller<'a, 'p> {
    rules: &'a ParsingRules,
    number: u64,
    part: &'a mut ColumnsPart<'p>,
    origins: Origins,
    /// A buffer for a message to hash.
    message: Vec<u8>,
}

impl RowFiller<'_, '_> {
    fn take(&mut self, line: u64, fields: Result<Fields, Unreadable>) {
        let row = self.origins.rows;
        self.origins.rows += 1;
        let offset = u32::try_from(line - self.origins.first_line).expect("a unit has fewer lines");
        self.origins.lines.push(offset);
        let (tag, filled) = match fields {
            Ok(fields) => (
                fields.tag,
                self.rules
                    .in_hex(fields)
                    .and_then(|fields| self.fill(row, &fields)),
            ),
            Err((problem, tag)) => (tag, Err(problem)),
        };
        self.push_tag(row, tag);
        if let Err(problem) = filled {
            self.part.clear(row);
            self.origins.faults.push((row, shortened(problem)));
        }
    }

    fn push_tag(&mut self, row: usize, tag: Option<Tag>) {
        let Origins { tags, tag_ends, .. } = &mut self.origins;
        if tag.is_some() && tag_ends.is_empty() {
            // No earlier item had a tag.
            tag_ends.resize(row, 0);
        }
        match tag {
            None => {}
            // An answer is one line. In JSON, line ends are equivalent to spaces.
            Some(Tag::Json(json)) => {
                tags.extend(json.bytes().map(|byte| {
                    if matches!(byte, b'\n' | b'\r') {
                        b' '
                    } else {
                        byte
                    }
                }));
            }
            Some(Tag::Text(text)) => {
                tags.reserve(text.len() + 2);
                serde_json::to_writer(&mut *tags, text).expect("memory takes every text");
            }
        }
        if !tag_ends.is_empty() || !tags.is_empty() {
            tag_ends.push(tags.len());
        }
    }

    fn fill(&mut self, row: usize, fields: &Fields) -> Result<(), String> {
        let Reads {
            contents,
            signatures,
            bare_signatures,
            public_keys,
            recovery_ids,
            secret_keys,
            ..
        } = self.rules.reads;
        let message = if contents {
            self.fill_content(row, fields)?
        } else {
            None
        };
        let rules = &self.rules.signatures;
        let mut counts = FormCounts::default();
        let id_of_signature = match (signatures, bare_signatures) {
            (false, _) => Ok(None),
            (true, true) => fields
                .bare_signature(&mut self.part.signatures[row])
                .map(|()| None),
            (true, false) => fields.signature(rules, &mut self.part.signatures[row], &mut counts),
        };
        if recovery_ids == RecoveryIds::Required && !fields.has_recovery_id() {
            self.origins.forms.add(counts);
        }
        let id_of_signature = id_of_signature?;
        match recovery_ids {
            RecoveryIds::No => {}
            RecoveryIds::Optional => {
                let id = fields.optional_recovery_id(id_of_signature, rules.reader);
                self.part.recovery_ids[row] = id.unwrap_or(NO_RECOVERY_ID);
            }
            RecoveryIds::Required => {
                self.part.recovery_ids[row] = fields.recovery_id(id_of_signature, rules.reader)?;
            }
        }
        let irregular_key = if public_keys {
            self.fill_key(row, fields)?
        } else {
            None
        };
        if secret_keys {
            fields.secret_key_into(&mut self.part.secret_keys[row])?;
        }
        if let Some((limit, reason)) = &self.rules.limit
            && self.number + row as u64 >= *limit
        {
            return Err(reason.clone());
        }
        if message.is_some() || irregular_key.is_some() {
            self.make_irregular(row, irregular_key, message);
        }
        Ok(())
    }

    /// Fills the digest, unless the operation takes the message.
    fn fill_content(&mut self, row: usize, fields: &Fields) -> Result<Option<Message>, String> {
        let Reads {
            messages: takes_messages,
            user_ids,
            ..
        } = self.rules.reads;
        match fields.content(!takes_messages)? {
            SignedContent::Digest(_) if user_ids && fields.value(Field::Id).is_some() => {
                Err("`id` goes with `message`: a digest already contains it".to_owned())
            }
            SignedContent::Digest(digest) => {
                self.part.digests[row] = digest;
                Ok(None)
            }
            SignedContent::Message(text) if takes_messages => {
                let bytes = &mut self.origins.irregular.bytes;
                let start = bytes.len();
                append_message(text, self.rules.text_messages, bytes)?;
                let message = start..bytes.len();
                let own = fields
                    .value(Field::Id)
                    .filter(|_| user_ids)
                    .map(str::as_bytes);
                let id = match (own, self.rules.user_id.as_deref()) {
                    (Some(own), Some(of_all)) if own != of_all => {
                        return Err(
                            "`id` is not that of --sm2-id: leave one of them out".to_owned()
                        );
                    }
                    (own, of_all) => own.or(of_all).map(|id| appended(bytes, id)),
                };
                Ok(Some((message, id)))
            }
            SignedContent::Message(text) => {
                self.message.clear();
                append_message(text, self.rules.text_messages, &mut self.message)?;
                let digest = self.rules.hash.digest(&self.message);
                let length = counted(self.message.len(), "byte");
                self.part.digests[row] =
                    digest.ok_or_else(|| format!("`message` has {length} instead of 32"))?;
                Ok(None)
            }
        }
    }

    /// Fills the key, or returns it if it does not fit the column.
    fn fill_key(&mut self, row: usize, fields: &Fields) -> Result<Option<[u8; 65]>, String> {
        let digits = fields.public_key()?;
        let form = self.part.form;
        let width = form.width();
        let key = &mut self.part.public_keys[row * width..][..width];
        if form != KeyColumn::Mixed && digits.len() == 2 * width {
            return decode_digits("public_key", digits, key).map(|()| None);
        }
        let mut bytes = [0; 65];
        let decoded: &[u8] = match bytes.get_mut(..digits.len() / 2) {
            Some(bytes) => {
                decode_digits("public_key", digits, bytes)?;
                bytes
            }
            // Keys are never this long.
            None => {
                append_decoded("public_key", digits, &mut Vec::new())?;
                &[]
            }
        };
        let mixed = self.rules.kind.row(decoded, self.rules.reads.x_only_keys);
        if form != KeyColumn::Mixed {
            return Ok(Some(mixed));
        }
        key.copy_from_slice(&mixed);
        Ok(None)
    }

    /// Moves an item from the columns to the irregular items.
    fn make_irregular(
        &mut self,
        row: usize,
        irregular_key: Option<[u8; 65]>,
        message: Option<Message>,
    ) {
        let width = self.part.form.width();
        let key = self
            .part
            .public_keys
            .get(row * width..(row + 1) * width)
            .unwrap_or_default();
        let public_key = irregular_key.unwrap_or_else(|| match self.part.form {
            KeyColumn::Mixed => key.try_into().unwrap_or([0; 65]),
            KeyColumn::Compressed | KeyColumn::XOnly => {
                self.rules.kind.row(key, self.rules.reads.x_only_keys)
            }
        });
        let digest = self.part.digests.get(row).copied().unwrap_or_default();
        let signature = self.part.signatures.get(row).copied().unwrap_or([0; 64]);
        self.origins.irregular.items.push(IrregularItem {
            row,
            digest,
            signature,
            public_key,
            message,
        });
        self.part.clear_public(row);
    }
}

/// Truncates a reason: it may quote members and labels, which can be as long as a line.
fn shortened(mut reason: String) -> String {
    const MOST: usize = 500;
    if reason.len() > MOST {
        reason.truncate(reason.floor_char_boundary(MOST));
        reason.push('…');
        reason.shrink_to_fit();
    }
    reason
}

fn append_message(text: &str, is_text: bool, to: &mut Vec<u8>) -> Result<(), String> {
    if is_text {
        to.extend_from_slice(text.as_bytes());
        return Ok(());
    }
    append_decoded("message", digits(text), to)
}

fn appended(to: &mut Vec<u8>, bytes: &[u8]) -> Range<usize> {
    let start = to.len();
    to.extend_from_slice(bytes);
    start..to.len()
}
