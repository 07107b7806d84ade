//! The file of a receiver's keys.

use bech32::Bech32m;
use bech32::primitives::decode::CheckedHrpstring;
use gecc::silent_payments::Receiver;
use gecc::{Rejection, SecretKey, stack};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use zeroize::Zeroizing;

/// Bytes of the longest file that is read: keys, an address and remarks.
const LONGEST: u64 = 64 << 10;

/// The keys of a receiver of silent payments, as a file has them: the scan private key, 64 hexadecimal digits, and
/// behind it the spend public key, 66 hexadecimal digits, or an address. Lines that begin with `#` are remarks.
///
/// The scan key is wiped when this is dropped, and `Debug` shows nothing of it.
#[derive(Clone, Debug)]
pub struct ReceiverKeys {
    scan_key: SecretKey,
    spend_key: [u8; 33],
}

impl ReceiverKeys {
    /// Reads a file.
    ///
    /// # Errors
    /// What the system says, and what is wrong with the file, without anything of the keys.
    pub fn read(path: &Path) -> Result<Self, String> {
        stack::wiped(|| {
            // A vector that grows would leave its old contents behind.
            let mut text = Zeroizing::new(String::with_capacity(LONGEST as usize + 1));
            let file = File::open(path).map_err(|problem| problem.to_string())?;
            file.take(LONGEST + 1).read_to_string(&mut text).map_err(|problem| problem.to_string())?;
            if text.len() as u64 > LONGEST {
                return Err(format!("a key file has at most {LONGEST} bytes"));
            }
            Self::parse(&text)
        })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        let mut words = lines.flat_map(str::split_whitespace);
        let (Some(scan), Some(spend), None) = (words.next(), words.next(), words.next()) else {
            return Err("a scan private key, and a spend public key or an address, are to be there, and nothing else"
                .to_owned());
        };
        let mut scan_key = Zeroizing::new([0; 32]);
        const_hex::decode_to_slice(scan, &mut *scan_key)
            .map_err(|_| "the scan private key has 64 hexadecimal digits")?;
        let scan_key = SecretKey::from_bytes(*scan_key);
        let (address_key, spend_key) = match address(spend)? {
            Some((scan, spend)) => (Some(scan), spend),
            None => (None, spend_key(spend)?),
        };
        let keys = ReceiverKeys { scan_key, spend_key };
        let receiver = keys.receiver(&[]).map_err(|reason| reason.to_string())?;
        if address_key.is_some_and(|key| receiver.scan_public_key().to_compressed() != Some(key)) {
            return Err("the address has another scan key".to_owned());
        }
        Ok(keys)
    }

    /// The receiver with these labels.
    ///
    /// # Errors
    /// As for [`Receiver::new`].
    pub fn receiver(&self, labels: &[u32]) -> Result<Receiver, Rejection> {
        Receiver::new(self.scan_key.clone(), &self.spend_key, labels)
    }
}

fn spend_key(text: &str) -> Result<[u8; 33], String> {
    let mut key = [0; 33];
    const_hex::decode_to_slice(text, &mut key).map_err(|_| "the spend public key has 66 hexadecimal digits")?;
    Ok(key)
}

/// The scan and the spend public key of an address; `None` where it is something else.
fn address(text: &str) -> Result<Option<([u8; 33], [u8; 33])>, String> {
    if !["sp1", "tsp1", "sprt1"].iter().any(|start| text.to_ascii_lowercase().starts_with(start)) {
        return Ok(None);
    }
    let mut parts = CheckedHrpstring::new::<Bech32m>(text).map_err(|problem| format!("the address: {problem}"))?;
    let version = parts.remove_witness_version().ok_or("the address has no version")?.to_u8();
    let bytes: Vec<u8> = parts.byte_iter().collect();
    // BIP 352: what later versions add stands behind. Version 31 is for a change that is not compatible.
    let whole = match version {
        0 => bytes.len() == 66,
        1..=30 => bytes.len() >= 66,
        _ => false,
    };
    let (Some(scan), Some(spend), true) = (bytes.first_chunk(), bytes.get(33..).and_then(<[u8]>::first_chunk), whole)
    else {
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
    const ADDRESS: &str = "sp1qqgste7k9hx0qftg6qmwlkqtwuy6cycyavzmzj85c6qdfhjdpdjtdgqjuexzk6murw56suy3e0rd2cgqvycxttddwsvgxe2usfpxumr70xc9pkqwv";

    #[test]
    fn a_spend_key_or_an_address() {
        let receiver = |text: &str| ReceiverKeys::parse(text).unwrap().receiver(&[0]).unwrap();
        let spend = receiver(&format!("# of a wallet\n{SCAN}\n{SPEND}\n"));
        let address = receiver(&format!("{SCAN} {ADDRESS}"));
        assert_eq!(spend.spend_keys(), address.spend_keys());
        assert_eq!(spend.spend_keys().len(), 2);
    }

    #[test]
    fn what_is_wrong_is_said_without_the_keys() {
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
            let said = ReceiverKeys::parse(&text).unwrap_err();
            assert!(!said.contains(&SCAN[..8]) && !said.is_empty(), "{said}");
        }
    }
}
