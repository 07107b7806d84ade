//! Rules that determine which signatures are valid.

use crate::cpu::edwards::decode::Encoding;
use crate::types::is_same_name;
use std::fmt;
use std::str::FromStr;

/// A verification rule. RFC 8032 leaves room for interpretation, and programs that must agree, such
/// as the nodes of a chain, have to agree on the rule. There is therefore no default.
///
/// Rules differ only in signatures that no correct signer produces. All of them require S to be
/// below n, and compute the challenge k as SHA-512(R || A || M) modulo n, with R and A as given. B
/// is the base point. An encoding is *canonical* if it is the one that RFC 8032 specifies for the
/// point; in other encodings y may be p or more, or the sign bit may be set for x = 0. A point has
/// *small order* if 8 times the point is the identity.
///
/// | rule | A | R | equation | who |
/// |---|---|---|---|---|
/// | `Cofactorless` | any encoding | | encode(S B - k A) = R | OpenSSL, Go, ed25519-dalek's `verify` |
/// | `Strict` | any encoding, not of small order | not of small order | the same | ed25519-dalek's `verify_strict`, Solana |
/// | `Libsodium` | canonical, not of small order | not of small order | the same | libsodium |
/// | `Zip215` | any encoding | any encoding | 8 S B = 8 R + 8 k A | ZIP 215: Zcash, CometBFT |
/// | `Rfc8032` | canonical | | encode(S B - k A) = R | RFC 8032, section 5.1.7, with the equation that suffices |
/// | `Rfc8032Cofactored` | canonical | canonical | 8 S B = 8 R + 8 k A | RFC 8032, section 5.1.7 |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// Any encoding of A, without the cofactor.
    Cofactorless,
    /// `Cofactorless`, with neither A nor R of small order.
    Strict,
    /// `Strict`, with a canonical A.
    Libsodium,
    /// Any encodings, with the cofactor.
    Zip215,
    /// A canonical A, without the cofactor.
    Rfc8032,
    /// Canonical A and R, with the cofactor.
    Rfc8032Cofactored,
}

impl Rule {
    /// All rules.
    pub const ALL: &'static [Rule] = &[
        Rule::Cofactorless,
        Rule::Strict,
        Rule::Libsodium,
        Rule::Zip215,
        Rule::Rfc8032,
        Rule::Rfc8032Cofactored,
    ];

    /// Returns the name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Cofactorless => "cofactorless",
            Rule::Strict => "strict",
            Rule::Libsodium => "libsodium",
            Rule::Zip215 => "zip215",
            Rule::Rfc8032 => "rfc8032",
            Rule::Rfc8032Cofactored => "rfc8032-cofactored",
        }
    }

    /// Returns the accepted encodings of A, and of R if the equation has the cofactor.
    pub(super) fn encoding(self) -> Encoding {
        match self {
            Rule::Cofactorless | Rule::Strict | Rule::Zip215 => Encoding::Lenient,
            Rule::Libsodium | Rule::Rfc8032 | Rule::Rfc8032Cofactored => Encoding::Canonical,
        }
    }

    /// Returns `true` if points of small order are rejected.
    pub(super) fn rejects_small_order(self) -> bool {
        matches!(self, Rule::Strict | Rule::Libsodium)
    }

    /// Returns `true` if the equation is multiplied by the cofactor, so that R may be any accepted
    /// encoding. Otherwise R has to be the encoding of S B - k A. With
    /// [`crate::EngineBuilder::batch_verification`], only rules with the cofactor are verified in
    /// groups.
    pub fn is_cofactored(self) -> bool {
        matches!(self, Rule::Zip215 | Rule::Rfc8032Cofactored)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An unknown rule name. The message lists all rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rule of Ed25519 is called `{name}`; the rules are {}", Rule::ALL.iter().map(|rule| rule.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownRule {
    name: String,
}

/// Parses the name of a rule. Case, spaces, hyphens, underscores and dots are ignored.
impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(name: &str) -> Result<Self, UnknownRule> {
        let found = Rule::ALL
            .iter()
            .find(|rule| is_same_name(rule.name(), name));
        found.copied().ok_or_else(|| UnknownRule {
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_by_their_names() {
        for &rule in Rule::ALL {
            assert_eq!(rule.to_string().parse(), Ok(rule));
            assert_eq!(
                rule.name().to_uppercase().replace('-', "_").parse(),
                Ok(rule)
            );
        }
        let problem = "zip".parse::<Rule>().unwrap_err().to_string();
        assert!(
            problem.contains("`zip`") && problem.contains("cofactorless, strict"),
            "{problem}"
        );
    }
}
