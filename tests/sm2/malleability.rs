//! Second forms of a signature: r + n and s + n must not pass.

use crate::declare::{apply, on_every_engine};
use crate::ecdsa::malleability;
use crate::support::random::Random;
use crate::support::reference::Scalar;
use crate::support::scheme::{Item, Sm2Dsa, adversarial};
use gecc::{Engine, Sm2};

#[apply(on_every_engine)]
fn r_and_s_increased_by_the_order_are_rejected(engine: &Engine) {
    malleability::overflowing::<Sm2Dsa>(engine, small_s);
}

/// SM2 with a chosen s, which is u1.
fn small_s(random: &mut Random, s: u64) -> Item {
    let d = random.scalar::<Sm2>();
    let t = random.scalar::<Sm2>();
    adversarial::<Sm2Dsa>(&Scalar::<Sm2>::from(s), &t, &d)
        .expect("r is not 0")
        .0
}
