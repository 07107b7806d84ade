//! Scan key expressions of BIP 392: `spscan1…`, and the descriptors `sp(spscan1…)` and
//! `sp(WIF,KEY)`.
//!
//! They contain the scan private key. Its characters are decoded by comparison with the whole
//! alphabet, and checksums are computed with masks, so that neither branches nor addresses depend
//! on the key.

use super::super::hashes::sha256d;
use std::ops::RangeInclusive;
use zeroize::Zeroizing;

/// Human-readable parts, before `1`, of expressions with the scan private key and the spend public
/// key, on the main chain and on other networks.
const SCAN: [&str; 2] = ["spscan", "tspscan"];
/// Human-readable parts of expressions with the spend private key.
const SPEND: [&str; 2] = ["spspend", "tspspend"];
/// Number of characters of the payload of BIP 392, version 0: 32 and 33 bytes in groups of 5 bits.
const GROUPS: usize = 104;
const BECH32_CHECKSUM: usize = 6;
const BECH32: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
/// BIP 350: the residue of a correct checksum, and the coefficients of the generator polynomial.
const BECH32M: u32 = 0x2bc8_30a3;
const BECH32_GENERATOR: [u32; 5] = [
    0x3b6a_57b2,
    0x2650_8e6d,
    0x1ea1_19fa,
    0x3d42_33dd,
    0x2a14_62b3,
];
const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/// Length in bytes of a compressed private key in WIF: a version, the key, 1 and a checksum.
const WIF: usize = 38;
/// The characters of descriptors in the order of BIP 380, and the length of their checksums.
const DESCRIPTOR: &[u8; 95] = b"0123456789()[],'/*abcdefgh@:$%{}\
    IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~\
    ijklmnopqrstuvwxyzABCDEFGH`#\"\\ ";
const DESCRIPTOR_CHECKSUM: usize = 8;
const DESCRIPTOR_GENERATOR: [u64; 5] = [
    0xf5_dee5_1989,
    0xa9_fdca_3312,
    0x1b_ab10_e32d,
    0x37_06b1_677a,
    0x64_4d62_6ffd,
];

/// The scan private key and the spend public key.
pub type ScanAndSpendKeys = (Zeroizing<[u8; 32]>, [u8; 33]);

/// Parses an expression; `None` if the text does not begin like one.
///
/// # Errors
/// A description of the error, without any part of the keys.
pub fn read(text: &str) -> Result<Option<ScanAndSpendKeys>, String> {
    if let Some(descriptor) = text.strip_prefix("sp(") {
        return of_descriptor(text, descriptor).map(Some);
    }
    if begins_with_any(text, &SPEND) || begins_with_any(text, &SCAN) {
        scan_key(text).map(Some)
    } else {
        Ok(None)
    }
}

/// Returns whether a text begins with one of `all` and `1`, in lower or upper case.
fn begins_with_any(text: &str, all: &[&str]) -> bool {
    all.iter().any(|one| of_hrp(text, one).is_some())
}

/// Returns the characters after a human-readable part and `1`.
fn of_hrp<'a>(text: &'a str, hrp: &str) -> Option<&'a [u8]> {
    let (front, rest) = text.as_bytes().split_at_checked(hrp.len())?;
    let rest = rest.strip_prefix(b"1")?;
    front.eq_ignore_ascii_case(hrp.as_bytes()).then_some(rest)
}

/// Parses a descriptor. `rest` is the text after `sp(`.
fn of_descriptor(text: &str, rest: &str) -> Result<ScanAndSpendKeys, String> {
    const SHAPE: &str = "a descriptor has the form sp(KEY) or sp(KEY,KEY), and may end in # and a checksum of 8 characters";
    let (inner, after) = rest.rsplit_once(')').ok_or(SHAPE)?;
    if let Some(checksum) = after.strip_prefix('#') {
        let described = &text[..text.len() - after.len()];
        require_checksum(described.as_bytes(), checksum.as_bytes())?;
    } else if !after.is_empty() {
        return Err(SHAPE.to_owned());
    }
    match inner.split_once(',') {
        None => scan_key(without_origin(inner)?),
        Some((scan, spend)) => {
            let scan = without_origin(scan)?;
            if begins_with_any(scan, &SCAN) || begins_with_any(scan, &SPEND) {
                return Err(
                    "sp() takes one such key, or a scan and a spend key, and not both".to_owned(),
                );
            }
            Ok((wif(scan.as_bytes())?, spend_key(without_origin(spend)?)?))
        }
    }
}

/// Removes the origin of a key: a fingerprint of 8 hexadecimal digits and the steps of a
/// derivation, in brackets.
fn without_origin(key: &str) -> Result<&str, String> {
    const WRONG: &str = "the origin of a key has the form [deadbeef/352h/0h/0h]";
    let Some(rest) = key.strip_prefix('[') else {
        return Ok(key);
    };
    let (origin, key) = rest.split_once(']').ok_or(WRONG)?;
    let mut parts = origin.split('/');
    if parts.next().is_some_and(is_fingerprint) && parts.all(is_step) {
        Ok(key)
    } else {
        Err(WRONG.to_owned())
    }
}

fn is_fingerprint(part: &str) -> bool {
    part.len() == 8 && part.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// Returns whether a text is a step of a derivation, hardened or not.
fn is_step(step: &str) -> bool {
    let number = step.strip_suffix(['h', 'H', '\'']).unwrap_or(step);
    number.bytes().all(|digit| digit.is_ascii_digit())
        && number.parse().is_ok_and(|number: u32| number < 1 << 31)
}

/// Parses `spscan1…`.
fn scan_key(text: &str) -> Result<ScanAndSpendKeys, String> {
    if begins_with_any(text, &SPEND) {
        return Err(
            "spspend1… holds the spend private key, which a scan does not need: \
            export the scan key (spscan1…) from the wallet"
                .to_owned(),
        );
    }
    let of_scan = SCAN.iter().find_map(|hrp| Some((*hrp, of_hrp(text, hrp)?)));
    let (hrp, characters) =
        of_scan.ok_or("sp() with one key takes spscan1…, or tspscan1… of a test network")?;
    const CHARACTERS: usize = 1 + GROUPS + BECH32_CHECKSUM;
    let characters: &[u8; CHARACTERS] = characters.try_into().map_err(|_| {
        format!(
            "{hrp}1… is followed by {CHARACTERS} characters, and here by {}",
            characters.len()
        )
    })?;
    let values = bech32m(text.as_bytes(), hrp, characters)?;
    if values[0] != 0 {
        return Err(format!(
            "{hrp}1… is of version {}, and only version 0 is known",
            values[0]
        ));
    }
    let mut payload = Zeroizing::new([0; 65]);
    for (bytes, groups) in payload.chunks_mut(5).zip(values[1..=GROUPS].chunks(8)) {
        let bits = groups
            .iter()
            .fold(0_u64, |bits, group| bits << 5 | u64::from(*group));
        let all = Zeroizing::new(bits.to_be_bytes());
        bytes.copy_from_slice(&all[3..]);
    }
    let mut scan = Zeroizing::new([0; 32]);
    scan.copy_from_slice(&payload[..32]);
    let mut spend = [0; 33];
    spend.copy_from_slice(&payload[32..]);
    Ok((scan, spend))
}

/// Returns all ones if two bytes are equal, and zeros otherwise.
fn equal_mask(one: u8, other: u8) -> u8 {
    (u16::from(one ^ other).wrapping_sub(1) >> 8) as u8
}

/// Returns the position of a byte in an alphabet; `None` if it does not occur. No branch depends on
/// which byte it is.
fn place_in(alphabet: &[u8], byte: u8) -> Option<u8> {
    let mut place = 0;
    let mut found = 0;
    for (index, character) in alphabet.iter().enumerate() {
        let mask = equal_mask(*character, byte);
        place |= mask & index as u8;
        found |= mask;
    }
    (found != 0).then_some(place)
}

/// Returns whether any byte is in a range. No branch depends on which one.
fn has_any(text: &[u8], range: RangeInclusive<u8>) -> bool {
    text.iter()
        .fold(false, |has, character| has | range.contains(character))
}

/// Decodes the characters after a human-readable part, and requires the checksum of BIP 350.
fn bech32m<const N: usize>(
    text: &[u8],
    hrp: &str,
    characters: &[u8; N],
) -> Result<Zeroizing<[u8; N]>, String> {
    let has_capitals = has_any(text, b'A'..=b'Z');
    if has_capitals && has_any(text, b'a'..=b'z') {
        return Err(format!("{hrp}1… has small letters and capitals"));
    }
    // Letters have this bit, digits do not. Half of it is the difference between the cases.
    let letter_bit = if has_capitals { 0x40 } else { 0 };
    let mut values = Zeroizing::new([0; N]);
    for (value, character) in values.iter_mut().zip(characters) {
        let small = character | (character & letter_bit) >> 1;
        *value = place_in(BECH32, small)
            .ok_or(format!("{hrp}1… has a character that it cannot have"))?;
    }
    let high_bits = hrp.bytes().map(|byte| byte >> 5);
    let low_bits = hrp.bytes().map(|byte| byte & 31);
    let before = high_bits.chain([0]).chain(low_bits);
    let mut residue = 1_u32;
    for value in before.chain(values.iter().copied()) {
        let top = residue >> 25;
        residue = (residue & 0x1ff_ffff) << 5 ^ u32::from(value);
        for (bit, generator) in BECH32_GENERATOR.iter().enumerate() {
            residue ^= generator & 0_u32.wrapping_sub(top >> bit & 1);
        }
    }
    if residue == BECH32M {
        Ok(values)
    } else {
        Err(format!(
            "{hrp}1… does not have its checksum: it was mistyped"
        ))
    }
}

/// Decodes a compressed private key in WIF.
fn wif(text: &[u8]) -> Result<Zeroizing<[u8; 32]>, String> {
    if text.starts_with(b"xprv") || text.starts_with(b"tprv") {
        return Err(
            "keys are not derived from an extended key: export the scan key (spscan1…) from the wallet".to_owned()
        );
    }
    if text.starts_with(b"xpub") || text.starts_with(b"tpub") {
        return Err(
            "a scan needs the scan private key, and an extended public key is given".to_owned(),
        );
    }
    const WANTED: &str = "the scan key of sp(KEY,KEY) is a compressed private key in WIF, which begins with K, L or c";
    if text.len() != 52 {
        return Err(WANTED.to_owned());
    }
    let mut bytes = Zeroizing::new([0_u8; WIF]);
    let mut overflow = 0;
    for character in text {
        let mut carry = u32::from(place_in(BASE58, *character).ok_or(WANTED)?);
        for byte in bytes.iter_mut().rev() {
            carry += 58 * u32::from(*byte);
            *byte = carry as u8;
            carry >>= 8;
        }
        overflow |= carry;
    }
    let checksum = Zeroizing::new(sha256d(&bytes[..WIF - 4]));
    let differs = bytes[WIF - 4..]
        .iter()
        .zip(&checksum[..4])
        .fold(0, |differs, (one, other)| differs | (one ^ other));
    if overflow != 0 || differs != 0 {
        return Err("the scan key in WIF does not have its checksum: it was mistyped".to_owned());
    }
    if !matches!(bytes[0], 0x80 | 0xef) || bytes[33] != 1 {
        return Err(WANTED.to_owned());
    }
    let mut key = Zeroizing::new([0; 32]);
    key.copy_from_slice(&bytes[1..33]);
    Ok(key)
}

/// Decodes a compressed public key in hexadecimal.
fn spend_key(text: &str) -> Result<[u8; 33], String> {
    let mut key = [0; 33];
    const_hex::decode_to_slice(text, &mut key).map_err(
        |_| "the spend key of sp(KEY,KEY) is a compressed public key, 66 hexadecimal digits",
    )?;
    Ok(key)
}

/// Requires the checksum of BIP 380.
fn require_checksum(described: &[u8], checksum: &[u8]) -> Result<(), String> {
    const WRONG: &str = "the descriptor does not have its checksum: it was mistyped or cut";
    const CHARACTER: &str = "the descriptor has a character that it cannot have";
    if checksum.len() != DESCRIPTOR_CHECKSUM {
        return Err(format!(
            "the checksum of a descriptor has {DESCRIPTOR_CHECKSUM} characters"
        ));
    }
    let mut residue = 1;
    for group in described.chunks(3) {
        let mut of_group = 0;
        for character in group {
            let place = place_in(DESCRIPTOR, *character).ok_or(CHARACTER)?;
            residue = next_residue(residue, place & 31);
            of_group = 3 * of_group + (place >> 5);
        }
        residue = next_residue(residue, of_group);
    }
    for character in checksum {
        let value = place_in(BECH32, *character)
            .ok_or("the checksum of the descriptor has a character that it cannot have")?;
        residue = next_residue(residue, value);
    }
    if residue == 1 {
        Ok(())
    } else {
        Err(WRONG.to_owned())
    }
}

fn next_residue(residue: u64, value: u8) -> u64 {
    let top = residue >> 35;
    let mut next = (residue & 0x7_ffff_ffff) << 5 ^ u64::from(value);
    for (bit, generator) in DESCRIPTOR_GENERATOR.iter().enumerate() {
        next ^= generator & 0_u64.wrapping_sub(top >> bit & 1);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first case of BIP 352, as Sparrow writes it.
    const SPSCAN: &str = "spscan1qpa55up5q9zn30790dw2pr7dpx0wn2ef9su2vcgn9jje5mwgvrukqyhxfs4kklqm4x58pywtcm2kzqrpxpj6mtt5rzpk2hyzgfhxclnekj2vrpm";
    const SCAN_KEY: &str = "0f694e068028a717f8af6b9411f9a133dd3565258714cc226594b34db90c1f2c";
    const SPEND_KEY: &str = "025cc9856d6f8375350e123978daac200c260cb5b5ae83106cab90484dcd8fcf36";
    /// The example of BIP 392.
    const WIF_KEY: &str = "L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1";

    fn hexadecimal((scan, spend): ScanAndSpendKeys) -> (String, String) {
        (const_hex::encode(*scan), const_hex::encode(spend))
    }

    #[test]
    fn scan_keys_and_descriptors_are_read() {
        let expected = (SCAN_KEY.to_owned(), SPEND_KEY.to_owned());
        for text in [
            SPSCAN.to_owned(),
            SPSCAN.to_uppercase(),
            format!("sp({SPSCAN})"),
            format!("sp([deadbeef/352h/0'/0H]{SPSCAN})"),
            format!("sp([deadbeef]{SPSCAN})"),
        ] {
            assert_eq!(
                read(&text).unwrap().map(hexadecimal).as_ref(),
                Some(&expected),
                "{text}"
            );
        }
        let (scan, spend) = hexadecimal(
            read(&format!("sp({WIF_KEY},[deadbeef/0h]{SPEND_KEY})"))
                .unwrap()
                .unwrap(),
        );
        // The key of the BIP's example is SHA-256 of the empty string.
        assert_eq!(
            scan,
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(spend, SPEND_KEY);
        assert!(read("sp1qqgste").unwrap().is_none() && read(SCAN_KEY).unwrap().is_none());
    }

    #[test]
    fn checksums_of_descriptors_are_those_of_bip_380() {
        // Its test vectors.
        assert_eq!(require_checksum(b"raw(deadbeef)", b"89f8spxm"), Ok(()));
        for (described, checksum) in [
            (&b"raw(deadbeef)"[..], &b"89f8spx"[..]),
            (b"raw(deadbeef)", b"89f8spxmx"),
            (b"raw(dedbeef)", b"89f8spxm"),
            (b"raw(deadbeef)", b"##f8spxm"),
            ("raw(Ü)".as_bytes(), b"00000000"),
        ] {
            assert!(require_checksum(described, checksum).is_err());
        }
    }

    /// Returns the expression with another last character.
    fn ending_in(character: char) -> String {
        format!("{}{character}", &SPSCAN[..SPSCAN.len() - 1])
    }

    #[test]
    fn errors_do_not_contain_keys() {
        for (text, expected) in [
            (ending_in('q'), "checksum"),
            (ending_in('b'), "cannot have"),
            (ending_in('M'), "capitals"),
            (format!("{SPSCAN}q"), "characters"),
            (SPSCAN.replace("spscan", "tspscan"), "checksum"),
            (SPSCAN.replace("spscan", "spspend"), "export the scan key"),
            (format!("sp({SPSCAN}"), "sp(KEY)"),
            (format!("sp({SPSCAN})x"), "sp(KEY)"),
            (format!("sp({SPSCAN})#"), "8 characters"),
            (format!("sp({SPSCAN})#qqqqqqqq"), "checksum"),
            (format!("sp({SPSCAN},{SPSCAN})"), "takes one such key"),
            (format!("sp([deadbee]{SPSCAN})"), "origin"),
            (format!("sp([deadbeef/2147483648]{SPSCAN})"), "origin"),
            (format!("sp({WIF_KEY})"), "spscan1"),
            ("sp()".to_owned(), "spscan1"),
            ("sp(xprv9s21,xpub661)".to_owned(), "extended"),
            (format!("sp({},{SPEND_KEY})", &WIF_KEY[..51]), "WIF"),
            (format!("sp({}2,{SPEND_KEY})", &WIF_KEY[..51]), "mistyped"),
            (format!("sp({WIF_KEY},{WIF_KEY})"), "66 hexadecimal digits"),
            // An uncompressed private key in WIF (BIP 392).
            (
                format!("sp(5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss,{SPEND_KEY})"),
                "compressed",
            ),
        ] {
            let message = read(&text).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
            assert!(
                !message.contains("qpa55") && !message.contains("L4rK1"),
                "{message}"
            );
        }
    }
}
