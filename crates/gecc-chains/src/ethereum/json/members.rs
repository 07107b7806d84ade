//! JSON objects: the members with known names, whose values are kept as text until they are read.

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

pub type Why = Cow<'static, str>;

/// Meanings of members. Several names may have the same meaning.
pub trait Meaning: Copy + PartialEq + 'static {
    /// Returns the meaning of a name, and the name; `None` if it is not of interest.
    fn of(name: &str) -> Option<(Self, &'static str)>;
}

/// Declares an enum of meanings, each with its names.
macro_rules! meanings {
    ($(#[$about:meta])* $visibility:vis enum $name:ident { $($meaning:ident: $($text:literal)|+,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility enum $name {
            $($meaning,)+
        }

        impl Meaning for $name {
            fn of(name: &str) -> Option<(Self, &'static str)> {
                match name {
                    $($($text => Some((Self::$meaning, $text)),)+)+
                    _ => None,
                }
            }
        }
    };
}
pub(super) use meanings;

/// A member: its meaning, its name, and the text of its value.
#[derive(Clone, Copy)]
struct Member<'a, M> {
    meaning: M,
    name: &'static str,
    value: &'a str,
}

/// The members of an object that have a meaning.
pub struct Members<'a, M> {
    found: Vec<Member<'a, M>>,
    /// The first duplicate name.
    twice: Option<&'static str>,
}

impl<'a, M: Meaning> Members<'a, M> {
    /// Parses an object.
    ///
    /// # Errors
    /// Text that is not an object, or a duplicate name.
    pub fn of(text: &'a [u8]) -> Result<Self, Why> {
        let members = Self::of_any(text)?;
        members.require_once()?;
        Ok(members)
    }

    /// Requires that no name is duplicated: readers disagree on whether the first or the last value
    /// counts.
    ///
    /// # Errors
    /// The first duplicate name.
    pub fn require_once(&self) -> Result<(), Why> {
        self.twice.map_or(
            Ok(()),
            |name| Err(format!("`{name}` is given twice").into()),
        )
    }

    /// Parses an object that may contain duplicate names.
    ///
    /// # Errors
    /// Text that is not an object.
    pub fn of_any(text: &'a [u8]) -> Result<Self, Why> {
        // serde would read an array as an object with its fields in order.
        if text.trim_ascii_start().first() != Some(&b'{') {
            return Err("it is not an object of JSON".into());
        }
        serde_json::from_slice(text).map_err(|problem| not_json(&problem))
    }

    /// Returns the values with this meaning that are not null, with their names.
    pub fn all(&self, meaning: M) -> impl Iterator<Item = (&'static str, &'a str)> {
        let members = self
            .found
            .iter()
            .filter(move |member| member.meaning == meaning && member.value != "null");
        members.map(|member| (member.name, member.value))
    }

    /// Returns the first value with this meaning that is not null.
    pub fn get(&self, meaning: M) -> Option<&'a str> {
        self.all(meaning).next().map(|(_, value)| value)
    }

    /// Returns whether there is a value with this meaning that is not null.
    pub fn has(&self, meaning: M) -> bool {
        self.get(meaning).is_some()
    }

    /// Returns whether there is a value with one of these meanings that is not null.
    pub fn has_any(&self, meanings: &[M]) -> bool {
        meanings.iter().any(|meaning| self.has(*meaning))
    }

    /// Returns whether there is a member with this meaning, which may be null.
    pub fn mentions(&self, meaning: M) -> bool {
        self.found.iter().any(|member| member.meaning == meaning)
    }

    /// Reads the value with this meaning. If several members have it, their values must be equal.
    ///
    /// # Errors
    /// A problem of a value, after its name; or the names of two members whose values differ.
    pub fn read<T: PartialEq>(
        &self,
        meaning: M,
        read: impl Fn(&'a str) -> Result<T, Why>,
    ) -> Result<Option<T>, Why> {
        let mut first: Option<(&str, T)> = None;
        for (name, value) in self.all(meaning) {
            let value = read(value).map_err(|why| format!("`{name}` {why}"))?;
            match &first {
                Some((other, known)) if *known != value => {
                    return Err(format!("`{other}` and `{name}` differ").into());
                }
                Some(_) => {}
                None => first = Some((name, value)),
            }
        }
        Ok(first.map(|(_, value)| value))
    }
}

/// Describes text that is not JSON. The position comes after a colon, because summaries omit that
/// part.
pub fn not_json(problem: &serde_json::Error) -> Why {
    let what = if problem.is_eof() {
        "JSON that ends too early"
    } else {
        "not valid JSON"
    };
    format!(
        "{what}: in line {} at column {}",
        problem.line(),
        problem.column()
    )
    .into()
}

impl<'de: 'a, 'a, M: Meaning> Deserialize<'de> for Members<'a, M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}

struct MembersVisitor<'a, M>(PhantomData<&'a M>);

impl<'de: 'a, 'a, M: Meaning> Visitor<'de> for MembersVisitor<'a, M> {
    type Value = Members<'a, M>;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Members {
            found: Vec::with_capacity(24),
            twice: None,
        };
        while let Some(MemberName(known)) = map.next_key::<MemberName<M>>()? {
            let Some((meaning, name)) = known else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = map.next_value::<&'de RawValue>()?.get();
            if members.found.iter().any(|member| member.name == name) {
                // Only the first one is kept: there may be any number of others.
                members.twice = members.twice.or(Some(name));
            } else {
                members.found.push(Member {
                    meaning,
                    name,
                    value,
                });
            }
        }
        Ok(members)
    }
}

/// A name, if it has a meaning. It may be written with escapes.
struct MemberName<M>(Option<(M, &'static str)>);

impl<'de, M: Meaning> Deserialize<'de> for MemberName<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(MemberNameVisitor(PhantomData))
    }
}

struct MemberNameVisitor<M>(PhantomData<M>);

impl<M: Meaning> Visitor<'_> for MemberNameVisitor<M> {
    type Value = MemberName<M>;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(MemberName(M::of(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    meanings! {
        enum Field {
            Gas: "gas" | "gasLimit",
            To: "to",
        }
    }

    fn of(text: &str) -> Result<Members<'_, Field>, Why> {
        Members::of(text.as_bytes())
    }

    fn read(text: &str) -> Result<Option<String>, Why> {
        of(text)?.read(Field::Gas, |value| Ok(value.to_owned()))
    }

    #[test]
    fn members_with_one_meaning_must_agree() {
        assert_eq!(read(r#"{"to":1}"#), Ok(None));
        assert_eq!(read(r#"{"gas":null}"#), Ok(None));
        assert_eq!(
            read(r#" {"gas":"1","other":{"gas":2}} "#),
            Ok(Some("\"1\"".to_owned()))
        );
        assert_eq!(
            read(r#"{"gas":1,"gasLimit":1,"other":0,"other":1}"#),
            Ok(Some("1".to_owned()))
        );
        assert_eq!(
            read(r#"{"gasLimit":null,"gas":1}"#),
            Ok(Some("1".to_owned()))
        );
        assert_eq!(read(r#"{"g\u0061s":1}"#), Ok(Some("1".to_owned())));
        assert_eq!(
            read(r#"{"gasLimit":1,"gas":2}"#),
            Err("`gasLimit` and `gas` differ".into())
        );
        let twice = Err("`gas` is given twice".into());
        for text in [
            r#"{"gas":1,"gas":1}"#,
            r#"{"gas":null,"gas":1}"#,
            r#"{"gas":1,"g\u0061s":null}"#,
        ] {
            assert_eq!(read(text), twice, "{text}");
        }
    }

    #[test]
    fn errors_of_the_parser_are_not_quoted() {
        for text in [
            "{",
            "{\"gas\":}",
            "{\"gas\":1,}",
            "{\"gas\":\"\n\"}",
            "{\"gas\":01}",
            "{1:2}",
        ] {
            let why = of(text).err().unwrap();
            assert!(
                why.starts_with("not valid JSON: ")
                    || why.starts_with("JSON that ends too early: "),
                "{why}"
            );
        }
        for text in ["[]", "[1,2]", "1", "\"gas\"", ""] {
            assert_eq!(
                of(text).err().unwrap(),
                "it is not an object of JSON",
                "{text}"
            );
        }
    }
}
