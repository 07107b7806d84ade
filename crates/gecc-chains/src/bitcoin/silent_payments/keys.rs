//! The file of a receiver's keys.

use super::expression;
use bech32::Bech32m;
use bech32::primitives::decode::CheckedHrpstring;
use gecc::silent_payments::Receiver;
use gecc::{Rejection, SecretKey, stack};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use zeroize::Zeroizing;

/// Maximum length of a key file in bytes: keys, an address and comments.
const LONGEST: u64 = 64 << 10;

/// The keys of a receiver of silent payments, read from a file. The file contains the scan private
/// key, 64 hexadecimal digits, followed by the spend public key, 66 hexadecimal digits, or by an
/// address. Alternatively it contains a scan key expression of BIP 392, `spscan1…`, `sp(spscan1…)`
/// or `sp(WIF,KEY)`, optionally followed by an address or a spend public key, which must agree with
/// it. Lines that begin with `#` are comments.
///
/// The scan key is wiped when this is dropped, and `Debug` does not show it.
#[derive(Clone, Debug)]
pub struct ReceiverKeys {
    scan_key: SecretKey,
    spend_key: [u8; 33],
}

impl ReceiverKeys {
    /// Reads a key file.
    ///
    /// # Errors
    /// Errors of the system, and descriptions of errors in the file, without any part of the keys.
    pub fn read(path: &Path) -> Result<Self, String> {
        stack::wiped(|| {
            // A growing buffer would leave copies of its contents in freed memory.
            let mut text = Zeroizing::new(String::with_capacity(LONGEST as usize + 1));
            let file = File::open(path).map_err(|problem| problem.to_string())?;
            file.take(LONGEST + 1)
                .read_to_string(&mut text)
                .map_err(|problem| problem.to_string())?;
            if text.len() as u64 > LONGEST {
                return Err(format!("a key file has at most {LONGEST} bytes"));
            }
            Self::parse(&text)
        })
    }

    fn parse(text: &str) -> Result<Self, String> {
        const WANTED: &str = "expected a scan private key, and a spend public key or an address, and nothing else; \
            or a scan key expression, such as spscan1… or sp(…)";
        let lines = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.starts_with('#'));
        let mut words = lines.flat_map(str::split_whitespace);
        let (Some(scan), spend, None) = (words.next(), words.next(), words.next()) else {
            return Err(WANTED.to_owned());
        };
        let (scan_key, stated) = match expression::read(scan)? {
            Some((scan_key, spend_key)) => (scan_key, Some(spend_key)),
            None => (hexadecimal_scan_key(scan)?, None),
        };
        let scan_key = SecretKey::from_bytes(*scan_key);
        let (address_key, spend_key) = match (spend, stated) {
            (None, Some(stated)) => (None, stated),
            (None, None) => return Err(WANTED.to_owned()),
            (Some(spend), stated) => {
                let (address_key, spend_key) = match address(spend)? {
                    Some((scan, spend)) => (Some(scan), spend),
                    None => (None, spend_key(spend)?),
                };
                if stated.is_some_and(|stated| stated != spend_key) {
                    return Err("the scan key expression has another spend key".to_owned());
                }
                (address_key, spend_key)
            }
        };
        let keys = ReceiverKeys {
            scan_key,
            spend_key,
        };
        let receiver = keys.receiver(&[]).map_err(|reason| reason.to_string())?;
        if address_key.is_some_and(|key| receiver.scan_public_key().to_compressed() != Some(key)) {
            return Err("the address has another scan key".to_owned());
        }
        Ok(keys)
    }

    /// Returns the receiver with these labels.
    ///
    /// # Errors
    /// Errors of [`Receiver::new`].
    pub fn receiver(&self, labels: &[u32]) -> Result<Receiver, Rejection> {
        Receiver::new(self.scan_key.clone(), &self.spend_key, labels)
    }
}

fn hexadecimal_scan_key(text: &str) -> Result<Zeroizing<[u8; 32]>, String> {
    let mut key = Zeroizing::new([0; 32]);
    const_hex::decode_to_slice(text, &mut *key).map_err(
        |_| "the scan private key has 64 hexadecimal digits, or is an expression such as spscan1…",
    )?;
    Ok(key)
}

fn spend_key(text: &str) -> Result<[u8; 33], String> {
    let mut key = [0; 33];
    const_hex::decode_to_slice(text, &mut key)
        .map_err(|_| "the spend public key has 66 hexadecimal digits")?;
    Ok(key)
}

/// Decodes the scan and the spend public key of an address; `None` if the text is something else.
fn address(text: &str) -> Result<Option<([u8; 33], [u8; 33])>, String> {
    if !["sp1", "tsp1", "sprt1"]
        .iter()
        .any(|start| text.to_ascii_lowercase().starts_with(start))
    {
        return Ok(None);
    }
    let mut parts = CheckedHrpstring::new::<Bech32m>(text)
        .map_err(|problem| format!("the address: {problem}"))?;
    let version = parts
        .remove_witness_version()
        .ok_or("the address has no version")?
        .to_u8();
    let bytes: Vec<u8> = parts.byte_iter().collect();
    // BIP 352: later versions append data. Version 31 is reserved for an incompatible change.
    let whole = match version {
        0 => bytes.len() == 66,
        1..=30 => bytes.len() >= 66,
        _ => false,
    };
    let (Some(scan), Some(spend), true) = (
        bytes.first_chunk(),
        bytes.get(33..).and_then(<[u8]>::first_chunk),
        whole,
    ) else {
        return Err("the address is of a version that is not known, or not whole".to_owned());
    };
    Ok(Some((*scan, *spend)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first case of BIP 352.
    const SCAN: &str = "0f694e068028a717f8af6b9411f9a133dd3565258714cc226594b34db90c1f2c";
    const SPEND: &str = "025cc9856d6f8375350e123978daac200c260cb5b5ae83106cab90484dcd8fcf36";
    const SPSCAN: &str = "spscan1qpa55up5q9zn30790dw2pr7dpx0wn2ef9su2vcgn9jje5mwgvrukqyhxfs4kklqm4x58pywtcm2kzqrpxpj6mtt5rzpk2hyzgfhxclnekj2vrpm";
    const ADDRESS: &str = "sp1qqgste7k9hx0qftg6qmwlkqtwuy6cycyavzmzj85c6qdfhjdpdjtdgqjuexzk6murw56suy3e0rd2cgqvycxttddwsvgxe2usfpxumr70xc9pkqwv";

    fn receiver(text: &str) -> Receiver {
        ReceiverKeys::parse(text).unwrap().receiver(&[0]).unwrap()
    }

    #[test]
    fn key_file_has_spend_key_or_address() {
        let spend = receiver(&format!("# of a wallet\n{SCAN}\n{SPEND}\n"));
        let address = receiver(&format!("{SCAN} {ADDRESS}"));
        assert_eq!(spend.spend_keys(), address.spend_keys());
        assert_eq!(spend.spend_keys().len(), 2);
    }

    #[test]
    fn key_file_has_expression_of_bip_392() {
        let expected = receiver(&format!("{SCAN} {SPEND}"));
        for text in [
            SPSCAN.to_owned(),
            format!("# Sparrow\n sp([deadbeef/352h/0h/0h]{SPSCAN}) \n"),
            format!("{SPSCAN}\n{ADDRESS}\n"),
            format!("{SPSCAN} {SPEND}"),
        ] {
            let found = receiver(&text);
            assert_eq!(found.spend_keys(), expected.spend_keys());
            assert_eq!(found.scan_public_key(), expected.scan_public_key());
        }
        let other = format!("{SPSCAN} 02{}", &SPEND[2..].replace("36", "35"));
        assert!(
            ReceiverKeys::parse(&other)
                .unwrap_err()
                .contains("another spend key")
        );
    }

    #[test]
    fn errors_do_not_contain_keys() {
        let other = format!("{}{}", &SCAN[..63], "d");
        let cases = [
            String::new(),
            SCAN.to_owned(),
            format!("{SCAN} {SPEND} {SPEND}"),
            format!("{SCAN}0 {SPEND}"),
            format!("{SCAN} {SPEND}0"),
            format!("{SCAN} {}q", ADDRESS),
            format!("{SCAN} {}", ADDRESS.replace("kqwv", "kqwq")),
            format!("{other} {ADDRESS}"),
            format!("{} {SPEND}", "0".repeat(64)),
            format!("{SCAN} 05{}", &SPEND[2..]),
        ];
        for text in cases {
            let message = ReceiverKeys::parse(&text).unwrap_err();
            assert!(
                !message.contains(&SCAN[..8]) && !message.is_empty(),
                "{message}"
            );
        }
    }
}
