//! Implementations other than RustCrypto's, one for each curve: libsecp256k1, AWS-LC and OpenSSL.

mod aws_lc;
mod libsecp256k1;
mod openssl;

pub use aws_lc::AwsLc;
pub use libsecp256k1::LibSecp256k1;
pub use openssl::OpenSsl;

/// One curve and its signatures over digests. Secrets are in range, points are on the curve: SEC 1
/// uncompressed.
pub trait Oracle: Sync {
    fn public_key(&self, secret: &[u8; 32]) -> [u8; 65];
    fn sign(&self, secret: &[u8; 32], digest: &[u8; 32]) -> [u8; 64];
    fn verifies(&self, digest: &[u8; 32], signature: &[u8; 64], key: &[u8]) -> bool;
    /// The x-coordinate of the shared point.
    fn shared_x(&self, secret: &[u8; 32], peer: &[u8]) -> [u8; 32];
}
