//! Enumerations with which a caller selects curves, devices, encodings, forms and rules.
//!
//! They are passed as plain integers, because a caller in C can pass any number.

use super::caller_values::write_value;
use super::status::{Failure, GeccStatus, call};
use gecc::ecdsa::{Policy, SForm};
use gecc::ed25519::Rule;
use gecc::fields::{Hash, SignatureForm};
use gecc::hash_to_curve::Suite;
use gecc::mask::Form;
use gecc::x25519::AllZero;
use gecc::{Backend, CurveId, UnknownCurve};
use std::ffi::{CStr, c_char};

/// A curve. Calls take it as a number, and reject other numbers with
/// `GECC_STATUS_INVALID_ARGUMENT`.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccCurve {
    /// secp256k1 (SEC 2 v2, section 2.4.1).
    Secp256k1 = 1,
    /// P-256 (NIST SP 800-186, section 3.2.1.3).
    P256 = 2,
    /// brainpoolP256r1 (RFC 5639, section 3.4).
    BrainpoolP256r1 = 3,
    /// The curve of SM2 (GB/T 32918.5-2017). It does not support ECDSA.
    Sm2 = 4,
}

/// The kind of device that an engine uses.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccBackend {
    /// All GPUs, and the CPU for batches that are too small for them and for work that they fail to
    /// complete. Without a GPU, the CPU only.
    Auto = 0,
    /// The CPU.
    Cpu = 1,
    /// GPUs only: creating an engine fails without a GPU, and calls fail if all GPUs have failed.
    Gpu = 2,
}

/// The encoding of public keys and other points (SEC 1, section 2.3.3, or x-only). The number is
/// the width of a row in bytes.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccKeyEncoding {
    /// 32 bytes: x, of a point with an even y (BIP 340).
    XOnly = 32,
    /// 33 bytes: `02 || x` or `03 || x`.
    Compressed = 33,
    /// 64 bytes: `x || y`, zeros for the identity.
    Raw = 64,
    /// 65 bytes: `04 || x || y`.
    Uncompressed = 65,
}

/// A restriction of valid signatures beyond the standard.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccPolicy {
    /// No restriction: high s is accepted.
    Standard = 0,
    /// s above n/2 is rejected with `GECC_CODE_HIGH_S`, as BIP 62 and EIP-2 require.
    LowS = 1,
}

/// The form of s that signing returns, of the two valid ones.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccSForm {
    /// Low for secp256k1, unchanged for other curves.
    CurveDefault = 0,
    /// The form that is at most n/2. The recovery id is adapted to it.
    Low = 1,
    /// Unchanged, as SEC 1 computes it.
    AsComputed = 2,
}

/// A hash of messages for ECDSA.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccHash {
    /// SHA-256, which the calls over messages use.
    Sha256 = 1,
    /// SHA-256 applied twice, as in Bitcoin.
    Sha256d = 2,
    /// The leftmost 256 bits of SHA-384 (FIPS 186-5, section 6.4).
    Sha384 = 3,
    /// The leftmost 256 bits of SHA-512.
    Sha512 = 4,
    /// Keccak-256 as in Ethereum, which differs from SHA3-256.
    Keccak256 = 5,
    /// Keccak-256 of the prefix of EIP-191, version 0x45 (`personal_sign`), and the message.
    Eip191 = 6,
    /// SHA-256 applied twice to the content that Bitcoin's `signmessage` signs (BIP 137): a prefix,
    /// the length, and the message.
    BitcoinMessage = 7,
}

/// The encoding of a signature.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccSignatureForm {
    /// Detected for each signature from its length and content: `r || s` (64 bytes), `r || s || v`
    /// (65 bytes), or strict DER. A signature that matches two of these is malformed.
    Auto = 0,
    /// `r || s`, 64 bytes.
    Rs = 1,
    /// `r || s || v`, 65 bytes; v is 0 to 3, or 27 to 30.
    Rsv = 2,
    /// A header of 27 to 42 and `r || s`, 65 bytes: Bitcoin's signed messages (BIP 137).
    HeaderFirst = 3,
    /// `r || s`, 64 bytes, with the recovery id in the top bit of s (EIP-2098).
    Eip2098 = 4,
    /// Strict DER.
    Der = 5,
    /// Strict DER, optionally followed by a byte of Bitcoin's signature hash type. For secp256k1.
    DerHashType = 6,
}

/// A rule that determines which Ed25519 signatures are valid. RFC 8032 leaves details open that
/// programs have decided differently. The rules differ only in signatures that a conforming signer
/// never produces. A point has small order if 8 times the point is the identity.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccEd25519Rule {
    /// Any encoding of the key, and the equation without the cofactor: OpenSSL, Go, `verify` of
    /// ed25519-dalek.
    Cofactorless = 1,
    /// Like `GECC_ED25519_RULE_COFACTORLESS`, and neither the key nor R has small order:
    /// `verify_strict` of ed25519-dalek, Solana.
    Strict = 2,
    /// Like `GECC_ED25519_RULE_STRICT`, and the key has its canonical encoding: libsodium.
    Libsodium = 3,
    /// Any encodings of the key and R, and the equation multiplied by 8: ZIP 215, Zcash, CometBFT.
    Zip215 = 4,
    /// A canonical encoding of the key, and the equation without the cofactor, which RFC 8032,
    /// section 5.1.7, calls sufficient.
    Rfc8032 = 5,
    /// Canonical encodings of the key and R, and the equation multiplied by 8: RFC 8032, section
    /// 5.1.7.
    Rfc8032Cofactored = 6,
}

/// The treatment of X25519 shared secrets that are zero. The secret is zero for a few public keys,
/// whatever the private key is: the peer did not contribute to it (RFC 7748, sections 6.1 and 7).
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccAllZero {
    /// The item is rejected with `GECC_CODE_IDENTITY_RESULT`, as TLS 1.3 (RFC 8446, section 7.4.2)
    /// and other protocols require.
    Reject = 0,
    /// The shared secret is 32 zero bytes.
    Accept = 1,
}

/// A suite, which determines how byte strings are hashed to points of a curve. Both parties of a
/// protocol have to use the same one. Prefer those of RFC 9380 with `RO` in their name. The other
/// suites are for compatibility: they try x-coordinates until the curve has a point with one, so
/// that the time of a message depends on its bytes.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccSuite {
    /// `P256_XMD:SHA-256_SSWU_RO_` of RFC 9380, section 8.2.
    P256SswuRo = 1,
    /// `P256_XMD:SHA-256_SSWU_NU_` of RFC 9380, section 8.2. Its points are not uniformly
    /// distributed.
    P256SswuNu = 2,
    /// `secp256k1_XMD:SHA-256_SSWU_RO_` of RFC 9380, section 8.7.
    Secp256k1SswuRo = 3,
    /// `secp256k1_XMD:SHA-256_SSWU_NU_` of RFC 9380, section 8.7. Its points are not uniformly
    /// distributed.
    Secp256k1SswuNu = 4,
    /// SM2, try-and-rehash with SM3: `TryAndRehash_SM` of YACL, the library of SecretFlow.
    Sm2Rehash = 5,
    /// SM2, try-and-increment with SM3 (PPCA 9-2023). Compare a few points with the other party's
    /// before use: the standard leaves the choice of the root open, which is the even y here.
    Sm2Increment = 6,
    /// P-256, try-and-rehash with SHA-256: private-join-and-compute
    /// (`ECGroup::GetPointByHashingToCurveSha256`).
    P256Rehash = 7,
}

/// The form of masked points, big-endian. The number is the width of a row in bytes. Numbers from 1
/// to 31 are forms as well: as many of the first bytes of x, for comparing only. Two different
/// points agree in k bytes with a probability of 2^(-8k).
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccMaskForm {
    /// 32 bytes: x. A point and its negative have the same x.
    X = 32,
    /// 33 bytes: `02 || x` or `03 || x`.
    Compressed = 33,
    /// 64 bytes: `x || y`.
    Raw = 64,
    /// 65 bytes: `04 || x || y`.
    Uncompressed = 65,
}

/// Returns the value with a number.
fn chosen<T: Copy>(what: &str, number: i32, values: &[(i32, T)]) -> Result<T, Failure> {
    let found = values.iter().find(|(other, _)| *other == number);
    found
        .map(|(_, value)| *value)
        .ok_or_else(|| Failure::invalid(format!("there is no {what} {number}")))
}

/// Pairs the number of each name with the value of the same name.
macro_rules! numbered {
    ($numbers:ident, $values:ident: $($name:ident),+) => {
        [$(($numbers::$name as i32, $values::$name)),+]
    };
}

const CURVES: [(i32, CurveId); 4] =
    numbered!(GeccCurve, CurveId: Secp256k1, P256, BrainpoolP256r1, Sm2);

pub(crate) fn curve(number: i32) -> Result<CurveId, Failure> {
    chosen("curve", number, &CURVES)
}

pub(crate) fn backend(number: i32) -> Result<Backend, Failure> {
    chosen(
        "backend",
        number,
        &numbered!(GeccBackend, Backend: Auto, Cpu, Gpu),
    )
}

pub(crate) fn key_encoding(number: i32) -> Result<GeccKeyEncoding, Failure> {
    let encodings =
        numbered!(GeccKeyEncoding, GeccKeyEncoding: XOnly, Compressed, Raw, Uncompressed);
    chosen("encoding of keys", number, &encodings)
}

pub(crate) fn policy(number: i32) -> Result<Policy, Failure> {
    let policies = [
        (GeccPolicy::Standard as i32, Policy::default()),
        (GeccPolicy::LowS as i32, Policy::low_s()),
    ];
    chosen("policy", number, &policies)
}

pub(crate) fn s_form(number: i32) -> Result<SForm, Failure> {
    chosen(
        "form of s",
        number,
        &numbered!(GeccSForm, SForm: CurveDefault, Low, AsComputed),
    )
}

pub(crate) fn hash(number: i32) -> Result<Hash, Failure> {
    let hashes = numbered!(GeccHash, Hash: Sha256, Sha256d, Sha384, Sha512, Keccak256, Eip191, BitcoinMessage);
    chosen("hash", number, &hashes)
}

pub(crate) fn signature_form(number: i32) -> Result<SignatureForm, Failure> {
    let forms = numbered!(GeccSignatureForm, SignatureForm: Auto, Rs, Rsv, HeaderFirst, Eip2098, Der, DerHashType);
    chosen("signature form", number, &forms)
}

pub(crate) fn ed25519_rule(number: i32) -> Result<Rule, Failure> {
    let rules = numbered!(GeccEd25519Rule, Rule: Cofactorless, Strict, Libsodium, Zip215, Rfc8032, Rfc8032Cofactored);
    chosen("rule of Ed25519", number, &rules)
}

pub(crate) fn all_zero(number: i32) -> Result<AllZero, Failure> {
    let treatments = numbered!(GeccAllZero, AllZero: Reject, Accept);
    chosen("treatment of zero", number, &treatments)
}

pub(crate) fn suite(number: i32) -> Result<Suite, Failure> {
    let suites = numbered!(GeccSuite, Suite: P256SswuRo, P256SswuNu, Secp256k1SswuRo, Secp256k1SswuNu, Sm2Rehash, Sm2Increment, P256Rehash);
    chosen("suite", number, &suites)
}

pub(crate) fn mask_form(number: i32) -> Result<Form, Failure> {
    match u8::try_from(number) {
        Ok(bytes @ 1..=31) => Ok(Form::Truncated(bytes)),
        _ => {
            let forms = numbered!(GeccMaskForm, Form: X, Compressed, Raw, Uncompressed);
            chosen("form of masked points", number, &forms)
        }
    }
}

/// Parses a choice between no (0) and yes (1).
pub(crate) fn flag(what: &str, number: i32) -> Result<bool, Failure> {
    chosen(what, number, &[(0, false), (1, true)])
}

/// Writes the number of the curve with a name: `secp256k1`, `p256`, `brainpoolp256r1` or `sm2`, or
/// a name from a standard, such as `secp256r1`, `prime256v1` or an object identifier. Case is
/// ignored.
///
/// `name` ends with a zero byte. The text of an error lists the curves. Any thread may call this at
/// any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_curve_by_name(
    name: *const c_char,
    curve: *mut GeccCurve,
) -> GeccStatus {
    call(|| {
        if name.is_null() {
            return Err(Failure::null("name"));
        }
        // SAFETY: not null, and the caller guarantees that it ends with a zero byte.
        let name = unsafe { CStr::from_ptr(name) };
        let name = name
            .to_str()
            .map_err(|_| Failure::invalid("the name of the curve is not UTF-8"))?;
        let named: CurveId = name
            .parse()
            .map_err(|problem: UnknownCurve| Failure::invalid(problem.to_string()))?;
        let found = CURVES.iter().find(|(_, curve)| *curve == named);
        let (number, _) =
            found.ok_or_else(|| Failure::invalid(format!("{named} has no number here")))?;
        // SAFETY: the caller's promise; a curve is represented by its number (`repr(i32)`).
        unsafe { write_value("curve", curve.cast(), *number) }
    })
}
