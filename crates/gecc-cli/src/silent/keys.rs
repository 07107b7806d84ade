//! The file of a receiver's keys.

use crate::input::keyfile::warn_if_exposed;
use bech32::Bech32m;
use bech32::primitives::decode::CheckedHrpstring;
use gecc::silent_payments::Receiver;
use gecc::{SecretKey, stack};
use std::path::Path;
use zeroize::Zeroizing;

/// Bytes of the longest file that is read: keys, an address and remarks.
const LONGEST: u64 = 64 << 10;

/// Reads the keys of a receiver: no message shows anything of them.
pub fn receiver(path: &Path, labels: &[u32]) -> Result<Receiver, String> {
    warn_if_exposed(path);
    let read = || {
        let length = std::fs::metadata(path).map_err(|problem| problem.to_string())?.len();
        if length > LONGEST {
            return Err(format!("a key file has at most {LONGEST} bytes"));
        }
        let text = std::fs::read_to_string(path).map_err(|problem| problem.to_string())?;
        parse(&Zeroizing::new(text), labels)
    };
    stack::wiped(read).map_err(|problem| format!("{}: {problem}", path.display()))
}

fn parse(text: &str, labels: &[u32]) -> Result<Receiver, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let mut words = lines.flat_map(str::split_whitespace);
    let (Some(scan), Some(spend), None) = (words.next(), words.next(), words.next()) else {
        return Err(
            "a scan private key, and a spend public key or an address, are to be there, and nothing else".to_owned()
        );
    };
    let mut scan_key = Zeroizing::new([0; 32]);
    const_hex::decode_to_slice(scan, &mut *scan_key).map_err(|_| "the scan private key has 64 hexadecimal digits")?;
    let scan_key = SecretKey::from_bytes(*scan_key);
    let (address_key, spend_key) = match address(spend)? {
        Some((scan, spend)) => (Some(scan), spend),
        None => (None, spend_key(spend)?),
    };
    let receiver = Receiver::new(scan_key, &spend_key, labels).map_err(|reason| reason.to_string())?;
    if address_key.is_some_and(|key| receiver.scan_public_key().to_compressed() != Some(key)) {
        return Err("the address has another scan key".to_owned());
    }
    Ok(receiver)
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
        let spend = parse(&format!("# of a wallet\n{SCAN}\n{SPEND}\n"), &[0]).unwrap();
        let address = parse(&format!("{SCAN} {ADDRESS}"), &[0]).unwrap();
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
            let said = parse(&text, &[]).unwrap_err();
            assert!(!said.contains(&SCAN[..8]) && !said.is_empty(), "{said}");
        }
    }
}
