//! Generates the enums of `cuda/codes.toml` in CUDA and in Rust.

use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

/// The contents of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Codes {
    verdict: BTreeMap<String, Verdict>,
    rejection: Vec<Rejection>,
    codes: Vec<List>,
    flags: List,
}

/// A verdict that is not a rejection.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Verdict {
    number: u8,
    doc: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rejection {
    name: String,
    number: u8,
    doc: String,
    message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    name: String,
    doc: String,
    values: Vec<Value>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Value {
    name: String,
    number: u8,
    doc: Option<String>,
}

impl Value {
    /// Returns a value with the first line of a comment.
    fn of(name: &str, number: u8, doc: &str) -> Self {
        let summary = doc.lines().next().unwrap_or_default();
        Value {
            name: name.to_owned(),
            number,
            doc: Some(summary.to_owned()),
        }
    }
}

impl Codes {
    /// Parses and checks the file.
    ///
    /// # Errors
    /// A description of the problem.
    pub fn parse(text: &str) -> Result<Self, String> {
        let codes: Codes = toml::from_str(text).map_err(|problem| problem.to_string())?;
        codes.check()?;
        Ok(codes)
    }

    fn check(&self) -> Result<(), String> {
        let verdicts: Vec<_> = self
            .verdict
            .iter()
            .map(|(name, verdict)| (name.as_str(), verdict.number))
            .collect();
        if verdicts != [("Pending", 0), ("Valid", 1)] {
            return Err("the verdicts must be Pending = 0 and Valid = 1".to_owned());
        }
        let lists = [self.verdicts()]
            .into_iter()
            .chain(self.lists().map(|list| list.values.clone()));
        let mut names = HashSet::new();
        for list in lists {
            if let Some(pair) = list
                .windows(2)
                .find(|pair| pair[0].number >= pair[1].number)
            {
                return Err(format!(
                    "the numbers of {} and {} are not in ascending order",
                    pair[0].name, pair[1].name
                ));
            }
            if let Some(value) = list
                .into_iter()
                .find(|value| !names.insert(value.name.clone()))
            {
                return Err(format!("{} occurs twice", value.name));
            }
        }
        match self
            .flags
            .values
            .iter()
            .find(|flag| !flag.number.is_power_of_two())
        {
            Some(flag) => Err(format!("{} is not a single bit", flag.name)),
            None => Ok(()),
        }
    }

    fn lists(&self) -> impl Iterator<Item = &List> {
        self.codes.iter().chain([&self.flags])
    }

    /// Returns all verdicts, including rejections.
    fn verdicts(&self) -> Vec<Value> {
        let verdicts = self
            .verdict
            .iter()
            .map(|(name, verdict)| Value::of(name, verdict.number, &verdict.doc));
        let rejections = self
            .rejection
            .iter()
            .map(|it| Value::of(&it.name, it.number, &it.doc));
        verdicts.chain(rejections).collect()
    }

    /// Returns the text of `codes.cuh`.
    pub fn cuda(&self) -> String {
        let mut text =
            "// Generated from cuda/codes.toml by build.rs.\n#pragma once\n#include \"primitives/types.cuh\"\n"
                .to_owned();
        cuda_enum(
            &mut text,
            "Verdict",
            "u8",
            "The result of checking an item.",
            &self.verdicts(),
        );
        for List { name, doc, values } in &self.codes {
            cuda_enum(&mut text, name, "u8", doc, values);
        }
        let List { name, doc, values } = &self.flags;
        cuda_enum(&mut text, name, "u32", doc, values);
        text
    }

    /// Returns `Rejection`, and the number of a valid verdict.
    pub fn rust_verdicts(&self) -> String {
        let mut text = String::from(
            "/// The reason why an item of a batch is not valid. The numeric form ([`Rejection::code`]) is stable and never 0 or 1.\n\
             #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]\n#[non_exhaustive]\n#[repr(u8)]\n\
             pub enum Rejection {\n",
        );
        for Rejection {
            name,
            number,
            doc,
            message,
        } in &self.rejection
        {
            rust_doc(&mut text, doc);
            writeln!(text, "    #[error({message:?})]\n    {name} = {number},").unwrap();
        }
        let names: Vec<(&str, u8)> = self
            .rejection
            .iter()
            .map(|it| (it.name.as_str(), it.number))
            .collect();
        text.push_str(
            "}\n\nimpl Rejection {\n    \
             /// Returns the rejection with this code, or `None` for [`Verdict::VALID_CODE`] and for\n    \
             /// bytes that are not codes.\n",
        );
        from_code(&mut text, &names);
        writeln!(
            text,
            "}}\n\n/// The code of [`Verdict::Valid`].\nconst VALID: u8 = {};",
            self.verdict["Valid"].number
        )
        .unwrap();
        text
    }

    /// Returns the other codes.
    pub fn rust_codes(&self) -> String {
        let mut text = String::new();
        for List { name, doc, values } in &self.codes {
            writeln!(text, "/// {doc}\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\n#[repr(u8)]\npub enum {name} {{")
                .unwrap();
            for Value { name, number, doc } in values {
                rust_doc(&mut text, doc.as_deref().unwrap_or_default());
                writeln!(text, "    {name} = {number},").unwrap();
            }
            let names: Vec<(&str, u8)> = values
                .iter()
                .map(|value| (value.name.as_str(), value.number))
                .collect();
            writeln!(
                text,
                "}}\n\nimpl {name} {{\n    /// Returns the value with this code, if there is one."
            )
            .unwrap();
            from_code(&mut text, &names);
            text.push_str("}\n\n");
        }
        let pending = self.verdict["Pending"].number;
        writeln!(text, "/// The code of an item without a verdict so far.\npub const PENDING: u8 = {pending};\n")
            .unwrap();
        let List { name, doc, values } = &self.flags;
        writeln!(
            text,
            "/// {doc}\n#[derive(Clone, Copy, Debug)]\npub struct {name};\n\nimpl {name} {{"
        )
        .unwrap();
        for Value { name, number, .. } in values {
            writeln!(text, "    pub const {}: u32 = {number};", upper_case(name)).unwrap();
        }
        text + "}\n"
    }

    /// Returns the constants for tests of the public interface and of the device code.
    pub fn rust_tests(&self) -> String {
        let rejections = self
            .rejection
            .iter()
            .map(|rejection| format!("gecc::Rejection::{}", rejection.name));
        let rejections: Vec<String> = rejections.collect();
        format!(
            "/// Every rejection, by its number.\npub const REJECTIONS: &[gecc::Rejection] = &[{}];\n",
            rejections.join(", "),
        )
    }
}

fn cuda_enum(text: &mut String, name: &str, word: &str, doc: &str, values: &[Value]) {
    writeln!(text, "\n// {doc}\nenum {name} : {word} {{").unwrap();
    for Value { name, number, doc } in values {
        let doc = doc
            .as_ref()
            .map(|doc| format!("  // {doc}"))
            .unwrap_or_default();
        writeln!(text, "    k{name} = {number},{doc}").unwrap();
    }
    text.push_str("};\n");
}

fn rust_doc(text: &mut String, doc: &str) {
    for line in doc.lines() {
        writeln!(text, "    /// {line}").unwrap();
    }
}

fn from_code(text: &mut String, names: &[(&str, u8)]) {
    writeln!(
        text,
        "    pub fn from_code(code: u8) -> Option<Self> {{\n        match code {{"
    )
    .unwrap();
    for (name, number) in names {
        writeln!(text, "            {number} => Some(Self::{name}),").unwrap();
    }
    text.push_str("            _ => None,\n        }\n    }\n");
}

/// Converts `SomeName` to `SOME_NAME`.
fn upper_case(name: &str) -> String {
    let mut text = String::new();
    for char in name.chars() {
        if char.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(char.to_ascii_uppercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: &str = r#"
[verdict.Pending]
number = 0
doc = "Open."
[verdict.Valid]
number = 1
doc = "Good."
[[rejection]]
name = "Bad"
number = 7
doc = """
Two
lines."""
message = "it is bad"
[[codes]]
name = "Kind"
doc = "A colour."
values = [{ name = "Red", number = 1 }, { name = "Blue", number = 3, doc = "Rare." }]
[flags]
name = "Set"
doc = "What may be."
values = [{ name = "SomeFlag", number = 1 }, { name = "Other", number = 2 }]
"#;

    #[test]
    fn cuda_and_rust_have_the_same_numbers() {
        let codes = Codes::parse(SOME).unwrap();
        let cuda = codes.cuda();
        assert!(cuda.contains(
            "enum Verdict : u8 {\n    kPending = 0,  // Open.\n    kValid = 1,  // Good.\n    kBad = 7,  // Two\n};"
        ));
        assert!(cuda.contains(
            "// A colour.\nenum Kind : u8 {\n    kRed = 1,\n    kBlue = 3,  // Rare.\n};"
        ));
        assert!(cuda.contains("enum Set : u32 {\n    kSomeFlag = 1,\n    kOther = 2,\n};"));
        let verdicts = codes.rust_verdicts();
        assert!(
            verdicts.contains(
                "    /// Two\n    /// lines.\n    #[error(\"it is bad\")]\n    Bad = 7,\n}"
            )
        );
        assert!(
            verdicts.contains(
                "match code {\n            7 => Some(Self::Bad),\n            _ => None,"
            )
        );
        assert!(verdicts.contains("const VALID: u8 = 1;"));
        let rust = codes.rust_codes();
        assert!(rust.contains("pub enum Kind {\n    Red = 1,\n    /// Rare.\n    Blue = 3,\n}"));
        assert!(rust.contains(
            "1 => Some(Self::Red),\n            3 => Some(Self::Blue),\n            _ => None,"
        ));
        assert!(rust.contains("pub const SOME_FLAG: u32 = 1;\n    pub const OTHER: u32 = 2;\n"));
        assert!(rust.contains("pub const PENDING: u8 = 0;\n"));
        assert!(codes.rust_tests().contains("&[gecc::Rejection::Bad];"));
    }

    #[test]
    fn parse_rejects_ambiguous_codes() {
        for (from, to, problem) in [
            (
                "number = 0\ndoc = \"Open",
                "number = 2\ndoc = \"Open",
                "must be Pending = 0",
            ),
            (
                "number = 1\ndoc = \"Good",
                "number = 0\ndoc = \"Good",
                "and Valid = 1",
            ),
            ("verdict.Pending", "verdict.Begun", "must be Pending = 0"),
            (
                "number = 7",
                "number = 1",
                "Valid and Bad are not in ascending order",
            ),
            (
                "number = 3",
                "number = 1",
                "Red and Blue are not in ascending order",
            ),
            ("\"Blue\"", "\"Red\"", "Red occurs twice"),
            ("\"Blue\"", "\"Bad\"", "Bad occurs twice"),
            (
                "name = \"Other\", number = 2",
                "name = \"Other\", number = 3",
                "Other is not a single bit",
            ),
            ("number = 3", "number = 256", "256"),
            ("message = ", "text = ", "text"),
        ] {
            assert_eq!(SOME.matches(from).count(), 1, "{from}");
            let refused = Codes::parse(&SOME.replace(from, to))
                .err()
                .unwrap_or_default();
            assert!(refused.contains(problem), "{refused:?} for {to}");
        }
    }
}
