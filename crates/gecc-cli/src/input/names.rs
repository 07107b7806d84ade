//! Maps columns and members of text to fields.

use super::seen_fields::SeenFields;
use crate::flags::StreamOptions;
use gecc::call::{Reads, RecoveryIds};
use gecc::fields::{Field, FieldForm, Mapping};
use std::sync::Arc;

/// All fields, in the order in which messages list them.
const FIELDS: [Field; Field::ALL.len()] = [
    Field::Digest,
    Field::Message,
    Field::Signature,
    Field::R,
    Field::S,
    Field::YParityAndS,
    Field::Der,
    Field::RecoveryId,
    Field::V,
    Field::YParity,
    Field::Id,
    Field::PublicKey,
    Field::SecretKey,
];

/// The role of a column or member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Field(Field),
    /// A tag that is passed through.
    Tag,
}

/// The configured column names, and the fields to read.
#[derive(Clone, Debug, Default)]
pub struct FieldNames {
    mapping: Mapping,
    reads: Vec<Field>,
    /// Sets of fields: a table needs one column of each set.
    required: Vec<Vec<Field>>,
    /// True if a hash is selected that has an effect on messages only.
    hash_requires_messages: bool,
    seen: Arc<SeenFields>,
}

impl FieldNames {
    /// Makes the names from the options of a command, for the fields that an operation reads.
    /// `hash_requires_messages` is true if a hash is selected that has an effect on messages only.
    pub fn of(options: &StreamOptions, reads: Reads, hash_requires_messages: bool) -> Self {
        FieldNames {
            hash_requires_messages,
            seen: Arc::clone(&options.seen),
            ..FieldNames::new(options.mapping(), reads)
        }
    }

    pub fn new(mapping: Mapping, reads: Reads) -> Self {
        let read = FIELDS
            .into_iter()
            .filter(|field| reads.includes(*field))
            .collect();
        let mut required = Vec::new();
        if reads.contents {
            required.push(vec![Field::Digest, Field::Message]);
        }
        if reads.signatures {
            // Half a signature does not count as one.
            let whole = [Field::Signature, Field::R, Field::Der].into_iter();
            required.push(whole.filter(|field| reads.includes(*field)).collect());
        }
        if reads.recovery_ids == RecoveryIds::Required {
            // Signatures of 65 bytes contain a recovery id, and so does yParityAndS.
            let in_signatures = [Field::Signature, Field::YParityAndS];
            required.push(
                Field::RECOVERY_IDS
                    .into_iter()
                    .chain(in_signatures)
                    .collect(),
            );
        }
        let keys = [Field::PublicKey, Field::SecretKey].into_iter();
        required.extend(
            keys.filter(|field| reads.includes(*field))
                .map(|field| vec![field]),
        );
        FieldNames {
            mapping,
            reads: read,
            required,
            hash_requires_messages: false,
            seen: Arc::default(),
        }
    }

    /// Makes the names for a file of private keys.
    pub fn of_keys() -> Self {
        Self::new(
            Mapping::new(),
            Reads {
                secret_keys: true,
                ..Reads::default()
            },
        )
    }

    /// Returns whether r and s are decimal numbers.
    pub fn decimal(&self) -> bool {
        self.mapping.decimal
    }

    /// Returns whether the input may consist of bare private keys. It may not if their column was
    /// configured.
    pub fn are_keys_alone(&self) -> bool {
        self.reads == [Field::SecretKey]
            && !self
                .mapping
                .columns()
                .any(|(field, _)| field == Field::SecretKey)
    }

    /// Makes names that read all fields and require none.
    #[cfg(test)]
    pub fn of_all() -> Self {
        FieldNames {
            reads: Field::ALL.to_vec(),
            ..FieldNames::default()
        }
    }

    /// Makes names that read all fields, with configured columns.
    #[cfg(test)]
    pub fn of_all_with(mapping: Mapping) -> Self {
        FieldNames {
            mapping,
            ..Self::of_all()
        }
    }

    /// Returns the role of each column, or of each member of an object; `None` if it is not used.
    pub fn roles(&self, columns: &[&str]) -> Result<Vec<Option<Role>>, String> {
        // Objects may lack a member. Tables may not lack a column: see `require`.
        let absent = self
            .mapping
            .columns()
            .filter(|(_, configured)| !columns.contains(configured));
        let mapping = absent.fold(self.mapping.clone(), |mapping, (field, _)| {
            mapping.with(field, "")
        });
        let mapping = mapping.complete(columns, true, &|field| self.reads(field), &|_, _| true);
        let mapping = mapping.map_err(|problem| problem.to_string())?;
        let roles: Vec<Option<Role>> = columns
            .iter()
            .map(|name| self.role(name, &mapping))
            .collect();
        require_unique_fields(columns, &roles)?;
        self.seen.note(fields_of(&roles));
        Ok(roles)
    }

    /// Returns the role of a column according to the complete mapping of an input.
    fn role(&self, name: &str, mapping: &Mapping) -> Option<Role> {
        let field = mapping
            .columns()
            .find(|(field, column)| *column == name && self.reads(*field));
        match field {
            Some((field, _)) => Some(Role::Field(field)),
            None => self.is_tag(name).then_some(Role::Tag),
        }
    }

    /// Returns the role of each member of an object, some of which are null. A null member counts
    /// as absent, even if another member has its field. A field that appears twice is refused,
    /// whichever of the two is null: some JSON readers use the last one, others the first.
    pub fn roles_of_members(&self, members: &[(&str, bool)]) -> Result<Vec<Option<Role>>, String> {
        let with_value: Vec<&str> = members
            .iter()
            .filter(|(_, is_null)| !is_null)
            .map(|(name, _)| *name)
            .collect();
        let mut roles_with_value = self.roles(&with_value)?.into_iter();
        let mut roles = Vec::with_capacity(members.len());
        for (name, is_null) in members {
            roles.push(match is_null {
                true => self.is_tag(name).then_some(Role::Tag),
                false => roles_with_value.next().flatten(),
            });
        }
        let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
        require_unique_fields(&names, &roles)?;
        Ok(roles)
    }

    /// Returns why a configured option has no effect on any item read so far, if it has none.
    pub fn without_effect_so_far(&self) -> Option<String> {
        // Items of text may have a user id or not; the configured one is for those without.
        let has = |field| field != Field::Id && self.seen.has(field);
        self.without_effect(&has).or_else(|| {
            let mut columns = self.mapping.columns();
            let absent = columns.find(|(field, _)| self.reads(*field) && !self.seen.has(*field));
            absent.map(|(field, name)| {
                format!("--columns {field}={name} has no effect: no item has `{name}`")
            })
        })
    }

    /// Returns why a configured option has no effect on items with the given fields, if it has
    /// none.
    fn without_effect(&self, has: &dyn Fn(Field) -> bool) -> Option<String> {
        if self.hash_requires_messages && !has(Field::Message) {
            return Some(
                "--hash has no effect: there is no `message`, and a `digest` is not hashed"
                    .to_owned(),
            );
        }
        let form = |field| match has(field) {
            true => FieldForm::Text,
            false => FieldForm::Absent,
        };
        let problem = self.mapping.require_effects(&form).err()?;
        Some(problem.to_string())
    }

    /// Returns whether a field is read.
    pub fn reads(&self, field: Field) -> bool {
        self.reads.contains(&field)
    }

    /// Returns an error if columns are configured but none of them is for a field that is read.
    /// Further columns are allowed: they describe the table for other operations.
    pub fn require_read(&self) -> Result<(), String> {
        if self.mapping.is_empty() || self.mapping.columns().any(|(field, _)| self.reads(field)) {
            return Ok(());
        }
        let read: Vec<&str> = self.reads.iter().map(|field| field.name()).collect();
        Err(format!(
            "--columns has no effect: this command reads {}",
            read.join(", ")
        ))
    }

    /// Returns whether a column or member of this name is passed through. One that is configured as
    /// a field is not, whether or not the operation reads that field: it may be a private key.
    pub fn is_tag(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case("tag")
            && !self
                .mapping
                .columns()
                .any(|(_, configured)| configured == name)
    }

    /// Returns an error if a table lacks a column that every row needs.
    pub fn require(&self, columns: &[&str], roles: &[Option<Role>]) -> Result<(), String> {
        let mut configured = self
            .mapping
            .columns()
            .filter(|(field, _)| self.reads.contains(field));
        if let Some((field, name)) = configured.find(|(_, name)| !columns.contains(name)) {
            return Err(Mapping::absent(field, name, columns).to_string());
        }
        let present: Vec<Field> = fields_of(roles).collect();
        if let Some(fields) = self
            .required
            .iter()
            .find(|fields| !fields.iter().any(|field| present.contains(field)))
        {
            return Err(Mapping::missing(fields, columns).to_string());
        }
        self.without_effect(&|field| present.contains(&field))
            .map_or(Ok(()), Err)
    }

    /// Returns whether a column of this name is a field or was configured as one.
    pub fn knows(&self, column: &str) -> bool {
        Field::named(column).is_some()
            || column.eq_ignore_ascii_case("tag")
            || self
                .mapping
                .columns()
                .any(|(_, configured)| configured == column)
    }

    /// Returns the names that the fields may have, for errors.
    pub fn listed(&self) -> String {
        let mut listed: Vec<&str> = Vec::new();
        for field in &self.reads {
            for name in [field.name()].iter().chain(field.names()) {
                if !listed.contains(name) {
                    listed.push(name);
                }
            }
        }
        listed.join(", ")
    }
}

fn fields_of(roles: &[Option<Role>]) -> impl Iterator<Item = Field> {
    roles.iter().filter_map(|role| match role {
        Some(Role::Field(field)) => Some(*field),
        _ => None,
    })
}

/// Returns an error if the name of a field occurs twice.
fn require_unique_fields(names: &[&str], roles: &[Option<Role>]) -> Result<(), String> {
    for (name, role) in names.iter().zip(roles) {
        let is_field = matches!(role, Some(Role::Field(_)));
        if is_field && names.iter().filter(|other| *other == name).count() > 1 {
            let name = name.escape_debug();
            return Err(format!(
                "`{name}` occurs twice, and it is not clear which is meant: remove one, or rename it"
            ));
        }
    }
    Ok(())
}
