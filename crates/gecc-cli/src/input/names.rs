//! Which column or member of a text holds which field.

use gecc::call::{Reads, RecoveryIds};
use gecc::fields::{Field, Mapping};

/// What a column or member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Field(Field),
    /// What is passed through.
    Tag,
}

/// What is said of columns, and which fields are read.
#[derive(Clone, Debug, Default)]
pub struct Names {
    mapping: Mapping,
    reads: Vec<Field>,
    /// Of each list a table needs one column.
    required: Vec<Vec<Field>>,
    /// Whether there may be private keys in the input.
    pub keys: bool,
}

impl Names {
    pub fn new(mapping: Mapping, reads: Reads) -> Self {
        let signatures: &[Field] = match reads.bare_signatures {
            true => &[Field::Signature],
            false => &[Field::Signature, Field::R, Field::S, Field::Der],
        };
        let (mut read, mut required) = (Vec::new(), Vec::new());
        if reads.contents {
            read.extend([Field::Digest, Field::Message]);
            required.push(vec![Field::Digest, Field::Message]);
        }
        if reads.signatures {
            read.extend(signatures);
            // Half a signature is none.
            required.push(signatures.iter().copied().filter(|field| *field != Field::S).collect());
        }
        if reads.recovery_ids != RecoveryIds::No {
            read.push(Field::RecoveryId);
        }
        if reads.recovery_ids == RecoveryIds::Required {
            // Signatures of 65 bytes have one.
            required.push(vec![Field::RecoveryId, Field::Signature]);
        }
        if reads.user_ids {
            read.push(Field::Id);
        }
        for (is_read, field) in [(reads.public_keys, Field::PublicKey), (reads.secret_keys, Field::SecretKey)] {
            if is_read {
                read.push(field);
                required.push(vec![field]);
            }
        }
        Names { mapping, reads: read, required, keys: reads.secret_keys }
    }

    /// For a file of private keys.
    pub fn of_keys() -> Self {
        Self::new(Mapping::new(), Reads { secret_keys: true, ..Reads::default() })
    }

    /// Whether the input may be private keys alone, bare: not where their column was said.
    pub fn are_keys_alone(&self) -> bool {
        self.reads == [Field::SecretKey] && !self.mapping.columns().any(|(field, _)| field == Field::SecretKey)
    }

    /// All fields, none of which is required.
    #[cfg(test)]
    pub fn of_all() -> Self {
        Names { reads: Field::ALL.to_vec(), ..Names::default() }
    }

    /// The same, some of which were said to have a column.
    #[cfg(test)]
    pub fn of_all_with(mapping: Mapping) -> Self {
        Names { mapping, ..Self::of_all() }
    }

    /// What each of some columns is, or each member of an object; `None` where that is not used.
    pub fn roles(&self, columns: &[&str]) -> Result<Vec<Option<Role>>, String> {
        let reads = |field| self.reads.contains(&field);
        // Objects may lack a member. Tables may not lack a column: see `require`.
        let absent = self.mapping.columns().filter(|(_, said)| !columns.contains(said));
        let mapping = absent.fold(self.mapping.clone(), |mapping, (field, _)| mapping.with(field, ""));
        let mapping = mapping.complete(columns, true, &reads, &|_, _| true);
        let mapping = mapping.map_err(|problem| problem.to_string())?;
        let role = |name: &&str| {
            let field = mapping.columns().find(|(field, column)| column == name && reads(*field));
            field.map(|(field, _)| Role::Field(field)).or_else(|| self.is_tag(name).then_some(Role::Tag))
        };
        let roles: Vec<Option<Role>> = columns.iter().map(role).collect();
        match columns.iter().zip(&roles).find(|(name, role)| is_field(**role) && is_twice(name, columns)) {
            Some((name, _)) => Err(given_twice(name)),
            None => Ok(roles),
        }
    }

    /// What each member of an object is, of which some are null. A null is no member, also where another member has
    /// its field. A field whose member is there twice is refused, whichever of the two is null: other readers of JSON
    /// take the last one, or the first.
    pub fn roles_of_members(&self, members: &[(&str, bool)]) -> Result<Vec<Option<Role>>, String> {
        let with_value: Vec<&str> = members.iter().filter(|(_, is_null)| !is_null).map(|(name, _)| *name).collect();
        let mut roles_with_value = self.roles(&with_value)?.into_iter();
        let role = |(name, is_null): &(&str, bool)| match is_null {
            true => self.is_tag(name).then_some(Role::Tag),
            false => roles_with_value.next().flatten(),
        };
        let roles: Vec<Option<Role>> = members.iter().map(role).collect();
        let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
        match names.iter().zip(&roles).find(|(name, role)| is_field(**role) && is_twice(name, &names)) {
            Some((name, _)) => Err(given_twice(name)),
            None => Ok(roles),
        }
    }

    /// Whether a column or member of this name is passed through. One that was said to be a field is not, whether the
    /// operation reads that field or not: it may be a private key.
    pub fn is_tag(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case("tag") && !self.mapping.columns().any(|(_, said)| said == name)
    }

    /// Fails where a table lacks a column that every row needs.
    pub fn require(&self, columns: &[&str], roles: &[Option<Role>]) -> Result<(), String> {
        let mut said = self.mapping.columns().filter(|(field, _)| self.reads.contains(field));
        if let Some((field, name)) = said.find(|(_, name)| !columns.contains(name)) {
            return Err(Mapping::absent(field, name, columns).to_string());
        }
        let has = |field: &Field| roles.contains(&Some(Role::Field(*field)));
        match self.required.iter().find(|fields| !fields.iter().any(has)) {
            Some(fields) => Err(Mapping::missing(fields, columns).to_string()),
            None => Ok(()),
        }
    }

    /// Whether a column of this name is a field in any way, or was said to be one.
    pub fn knows(&self, column: &str) -> bool {
        Field::named(column).is_some()
            || column.eq_ignore_ascii_case("tag")
            || self.mapping.columns().any(|(_, said)| said == column)
    }

    /// The names that the fields may have, for errors.
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

fn is_field(role: Option<Role>) -> bool {
    matches!(role, Some(Role::Field(_)))
}

fn is_twice(name: &str, names: &[&str]) -> bool {
    names.iter().filter(|other| **other == name).count() > 1
}

fn given_twice(name: &str) -> String {
    format!("`{}` is there twice, and it is not clear which is meant: leave one out, or rename it", name.escape_debug())
}
