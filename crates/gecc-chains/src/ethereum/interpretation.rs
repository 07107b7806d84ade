//! Interpretation of the type of a transaction and of `v` in a source.
//!
//! Sources write the parity of a signature as 0 or 1, as 27 or 28, or together with the chain as in
//! EIP-155, in legacy transactions and in typed ones, and omit the type. Their statements may match
//! several transactions. In that case, the transaction's hash, which covers the type, the chain and
//! the parity, decides which one is meant; without a hash, the transaction is not rebuilt.

use super::encoded_transaction::{from_v, unknown_type};
use std::borrow::Cow;

type Why = Cow<'static, str>;

/// The highest known type (EIP-7702).
pub const LAST_TYPE: u64 = 4;

/// A possible interpretation of a source's statements about a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interpretation {
    pub type_number: u64,
    /// The chain. For a legacy transaction, `None` means that the signature is valid on any chain.
    pub chain_id: Option<u64>,
    pub parity: bool,
}

impl Interpretation {
    fn legacy(parity: bool, chain_id: Option<u64>) -> Self {
        Interpretation {
            type_number: 0,
            chain_id,
            parity,
        }
    }
}

/// The statements of a source about the type and the parity.
#[derive(Default)]
pub struct SignatureStatement {
    pub type_number: Option<u64>,
    pub chain_id: Option<u64>,
    /// True if legacy transactions without a chain here, and no others, are signed for any chain.
    /// Other sources state their own chain for every transaction.
    pub chain_is_exact: bool,
    pub v: Option<u128>,
    /// True if 27 and 28 as `v` stand for the parity in transactions of every type, as in ethers'
    /// signature objects.
    pub v_is_normalised: bool,
    pub y_parity: Option<bool>,
    /// True if there are members that only typed transactions have.
    pub has_access_list: bool,
    pub has_fees: bool,
    pub has_blobs: bool,
    pub has_authorizations: bool,
    /// True if the hash is known and can decide.
    pub has_hash: bool,
}

/// The names of members in the source.
pub struct MemberNames {
    pub v: &'static str,
    pub y_parity: &'static str,
    pub chain_id: &'static str,
    pub type_number: &'static str,
}

/// Returns the parity that v contains in any of its forms; `None` if it contains none.
pub fn parity_of_v(v: u128) -> Option<bool> {
    if v <= 1 {
        Some(v == 1)
    } else {
        from_v(v).map(|(parity, _)| parity)
    }
}

impl SignatureStatement {
    /// Returns the possible interpretations, the most likely first. Without a hash there is exactly
    /// one.
    ///
    /// # Errors
    /// Statements that contradict each other, that match no transaction, or that match several if
    /// there is no hash.
    pub fn interpretations(&self, names: &MemberNames) -> Result<Vec<Interpretation>, Why> {
        let Some(type_number) = self.type_number else {
            return self.without_type(names);
        };
        if type_number > LAST_TYPE {
            return Err(unknown_type(type_number));
        }
        if type_number == 0 {
            self.legacy(names)
        } else {
            self.typed(type_number, names)
                .map(|interpretation| vec![interpretation])
        }
    }

    /// Returns whether there is a member that legacy transactions do not have.
    fn looks_typed(&self) -> bool {
        self.has_access_list || self.has_fees || self.has_blobs || self.has_authorizations
    }

    fn without_type(&self, names: &MemberNames) -> Result<Vec<Interpretation>, Why> {
        if !self.has_hash {
            if self.looks_typed() {
                return Err(format!(
                    "`{}` is missing, and there is no hash to determine it",
                    names.type_number
                )
                .into());
            }
            return self.legacy(names);
        }
        let may_be = [
            (4, self.has_authorizations),
            (3, self.has_blobs),
            (2, self.has_fees),
            (1, self.has_access_list),
            (0, true),
            // Some sources omit empty lists.
            (1, !self.has_access_list && self.chain_id.is_some()),
        ];
        let mut interpretations = Vec::new();
        let mut why = None;
        for (type_number, _) in may_be.into_iter().filter(|(_, may_be)| *may_be) {
            let found = if type_number == 0 {
                self.legacy(names)
            } else {
                self.typed(type_number, names)
                    .map(|interpretation| vec![interpretation])
            };
            match found {
                Ok(found) => interpretations.extend(found),
                Err(problem) => why = why.or(Some(problem)),
            }
        }
        match why {
            Some(why) if interpretations.is_empty() => Err(why),
            _ => Ok(interpretations),
        }
    }

    /// Interprets v of a legacy transaction, which contains both the parity and the chain.
    fn legacy(&self, names: &MemberNames) -> Result<Vec<Interpretation>, Why> {
        let Some(v) = self.v else {
            return match self.y_parity {
                Some(parity) if self.has_hash => Ok(self.legacy_for_chain_or_any(parity)),
                _ => Err(format!("`{}` is missing", names.v).into()),
            };
        };
        match v {
            0 | 1 => {
                let parity = v == 1;
                self.require_parity(parity, names)?;
                if self.chain_is_exact {
                    return Ok(vec![Interpretation::legacy(parity, self.chain_id)]);
                }
                if !self.has_hash {
                    return Err(format!(
                        "`{}` of a legacy transaction is 0 or 1, and there is no hash to determine its chain",
                        names.v
                    )
                    .into());
                }
                Ok(self.legacy_for_chain_or_any(parity))
            }
            27 | 28 => {
                let parity = v == 28;
                self.require_parity(parity, names)?;
                let for_chain = self
                    .chain_id
                    .map(|chain_id| Interpretation::legacy(parity, Some(chain_id)));
                if !self.has_hash && self.v_is_normalised && for_chain.is_some() {
                    return Err(format!(
                        "`{}` of the signature is 27 or 28 for every chain, and there is no hash to determine it",
                        names.v
                    )
                    .into());
                }
                let for_chain = for_chain.filter(|_| self.has_hash);
                Ok([Interpretation::legacy(parity, None)]
                    .into_iter()
                    .chain(for_chain)
                    .collect())
            }
            35.. => {
                let (parity, chain_id) = from_v(v)
                    .ok_or_else(|| format!("`{}` states a chain above 2^64 - 1", names.v))?;
                self.require_parity(parity, names)?;
                self.require_chain(chain_id, names)?;
                Ok(vec![Interpretation::legacy(parity, chain_id)])
            }
            _ => Err(format!("`{}` fits no legacy transaction: it is {v}", names.v).into()),
        }
    }

    /// Returns the interpretations of a legacy transaction for the stated chain, if there is one,
    /// and for any chain.
    fn legacy_for_chain_or_any(&self, parity: bool) -> Vec<Interpretation> {
        let for_chain = self
            .chain_id
            .map(|chain_id| Interpretation::legacy(parity, Some(chain_id)));
        for_chain
            .into_iter()
            .chain([Interpretation::legacy(parity, None)])
            .collect()
    }

    /// Interprets v of a typed transaction, which is a parity, but which some sources write as in
    /// legacy transactions.
    fn typed(&self, type_number: u64, names: &MemberNames) -> Result<Interpretation, Why> {
        let chain_of_v = self
            .v
            .and_then(from_v)
            .and_then(|(_, chain_id)| chain_id)
            .filter(|_| self.has_hash);
        let chain_id = self
            .chain_id
            .or(chain_of_v)
            .ok_or_else(|| format!("`{}` is missing", names.chain_id))?;
        let Some(v) = self.v else {
            let parity = self
                .y_parity
                .ok_or_else(|| format!("`{}` is missing", names.y_parity))?;
            return Ok(Interpretation {
                type_number,
                chain_id: Some(chain_id),
                parity,
            });
        };
        let parity = match v {
            0 | 1 => v == 1,
            27.. => {
                let (parity, of_v) = from_v(v)
                    .ok_or_else(|| format!("`{}` fits no transaction: it is {v}", names.v))?;
                if of_v.is_some() {
                    self.require_chain(of_v, names)?;
                }
                let is_determined = self.has_hash
                    || self.y_parity.is_some()
                    || of_v.is_none() && self.v_is_normalised;
                if !is_determined {
                    return Err(format!(
                        "`{}` of a typed transaction is 0 or 1, and there is no hash to interpret another value: it is {v}",
                        names.v
                    )
                    .into());
                }
                parity
            }
            _ => return Err(format!("`{}` fits no transaction: it is {v}", names.v).into()),
        };
        self.require_parity(parity, names)?;
        Ok(Interpretation {
            type_number,
            chain_id: Some(chain_id),
            parity,
        })
    }

    /// Requires that the parity in v is the one that is stated separately.
    fn require_parity(&self, parity: bool, names: &MemberNames) -> Result<(), Why> {
        if self.y_parity.is_none_or(|stated| stated == parity) {
            return Ok(());
        }
        Err(format!("`{}` and `{}` differ", names.v, names.y_parity).into())
    }

    /// Requires that the chain in v is the one that is stated separately.
    fn require_chain(&self, chain_id: Option<u64>, names: &MemberNames) -> Result<(), Why> {
        if self.chain_id.is_none() || self.chain_id == chain_id {
            return Ok(());
        }
        Err(format!(
            "`{}` and `{}` state different chains",
            names.v, names.chain_id
        )
        .into())
    }
}
