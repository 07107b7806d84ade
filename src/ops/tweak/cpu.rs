//! Tweaks of public keys on the CPU.

use super::Tweaks;
use crate::cpu::field::Field;
use crate::cpu::multiply::{normalize, sum_products};
use crate::cpu::point::Affine;
use crate::cpu::tables::BaseTables;
use crate::cpu::{CpuCurve, CpuEngine, decode};
use crate::ops::hash::{Tag, tagged};
use crate::types::{PublicKeys, Rejection, ResultSink, ResultsMut};

pub fn tweak<C: BaseTables>(
    engine: &CpuEngine,
    keys: PublicKeys,
    tweaks: Tweaks,
    out: &mut ResultSink,
) {
    engine.fill(out, [64, 0], |range, out| {
        let base = C::tables().table(engine, range.len());
        let points =
            decode::public_keys::<C>(engine.lanes, range.clone().map(|item| keys.get(item)));
        let terms = range
            .zip(points)
            .map(|(item, point)| term::<C>(point?, &tweaks, item));
        decode::compute_accepted(terms, out, put_unless_identity::<C>, |terms| {
            let (keys, scalars): (Vec<_>, Vec<_>) = terms.into_iter().unzip();
            let products: Vec<_> = scalars.iter().map(|scalar| [(base, scalar)]).collect();
            let products = sum_products::<C, 1>(engine.lanes, &products);
            let sums: Vec<_> = products
                .iter()
                .zip(&keys)
                .map(|(product, key)| product.add_affine::<C>(key))
                .collect();
            normalize(engine.lanes, &sums)
        });
    });
}

/// Writes a sum, or rejects the item if the sum is the identity.
fn put_unless_identity<C: CpuCurve>(out: &mut ResultsMut, place: usize, sum: &Affine<C::Base>) {
    match sum.infinity {
        true => out.reject(place, Rejection::IdentityResult),
        false => decode::put(out, place, sum),
    }
}

/// Returns the point of an item and the scalar whose multiple of G is added to it.
fn term<C: CpuCurve>(
    point: Affine<C::Base>,
    tweaks: &Tweaks,
    item: usize,
) -> Result<(Affine<C::Base>, C::Scalar), Rejection> {
    let (point, tweak) = match tweaks {
        Tweaks::Given(tweaks) => (point, *tweaks.get(item)),
        Tweaks::Taproot(roots) => {
            let x = point.x.to_be_bytes();
            let root: &[u8] = roots.as_ref().map_or(&[], |roots| roots.get(item));
            (
                if point.y.is_odd() { point.neg() } else { point },
                tagged(Tag::TapTweak, &[&x, root]),
            )
        }
    };
    Ok((
        point,
        C::Scalar::from_be_bytes(&tweak).ok_or(Rejection::ScalarOutOfRange)?,
    ))
}
