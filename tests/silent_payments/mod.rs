//! Silent payments: the vectors of BIP 352, libsecp256k1, and adversarial rows.

pub mod scan;
pub mod vectors;
