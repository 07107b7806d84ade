//! The same calls with the curve chosen when the program runs: for other languages, databases and the command line.
//!
//! A call is what the generic one of the same name is, with a [`crate::CurveId`] in place of a type; its documentation is there.
//! ECDSA is refused with [`crate::Error::NoScheme`] on a curve that does not offer it ([`crate::CurveId::has_ecdsa`]).
//!
//! ```
//! use gecc::{CurveId, Engine, PublicKeys, any};
//! let engine = Engine::new()?;
//! let curve: CurveId = "p256".parse().unwrap();
//! let (secret, public) = any::keys::generate(&engine, curve, 1)?;
//! let signed = any::ecdsa::sign(&engine, curve, &[[1; 32]], (&secret).into(), Default::default())?;
//! let keys = PublicKeys::points(&public);
//! let verdicts = any::ecdsa::verify(&engine, curve, &[[1; 32]], &[signed[0].unwrap()], keys, Default::default())?;
//! assert!(verdicts.all_valid());
//! # Ok::<(), gecc::Error>(())
//! ```

/// [`crate::point`].
pub mod point {
    pub use crate::ops::point::{
        add_into_on as add_into, add_on as add, decode_keys, decode_keys_into_on as decode_keys_into,
        double_into_on as double_into, double_on as double, msm_columns_on as msm_columns, msm_on as msm,
        mul_base_into_on as mul_base_into, mul_base_on as mul_base, mul_into_on as mul_into, mul_on as mul,
        sum_columns_on as sum_columns, sum_on as sum,
    };
}

/// [`crate::keys`].
pub mod keys {
    pub use crate::ops::keys::{
        generate_on as generate, public_keys_into_on as public_keys_into, public_keys_on as public_keys,
    };
}

/// [`crate::ecdh`].
pub mod ecdh {
    pub use crate::ops::ecdh::{
        shared_points_into_on as shared_points_into, shared_points_on as shared_points,
        shared_secrets_into_on as shared_secrets_into, shared_secrets_on as shared_secrets,
    };
}

/// [`crate::ecdsa`].
pub mod ecdsa {
    pub use crate::schemes::ecdsa::{
        recover_into_on as recover_into, recover_on as recover,
        recover_with_candidates_into_on as recover_with_candidates_into,
        recover_with_candidates_on as recover_with_candidates, sign_into_on as sign_into,
        sign_messages_into_on as sign_messages_into, sign_on as sign,
        sign_recoverable_into_on as sign_recoverable_into, sign_recoverable_on as sign_recoverable,
        verify_into_on as verify_into, verify_messages_into_on as verify_messages_into, verify_on as verify,
        verify_recoverable_into_on as verify_recoverable_into, verify_recoverable_on as verify_recoverable,
    };
}
