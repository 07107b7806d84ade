//! Products of points that are not known beforehand. Variable time.

use super::curves::EdwardsCurve;
use super::point::{Extended, ProjectiveNiels};
use super::scalar::Scalar;
use crate::cpu::scalar::Wnaf;

/// Digits are odd and below 2^(w-1): the table has the first 2^(w-2) odd multiples.
const WIDTH: u32 = 5;
const MULTIPLES: usize = 1 << (WIDTH - 2);

/// k P.
pub fn product_var<C: EdwardsCurve>(k: &Scalar<C::Order>, point: &Extended) -> Extended {
    let multiples = odd_multiples::<C>(point);
    let digits = Wnaf::new(k.limbs(), WIDTH);
    let Some(top) = digits.length.checked_sub(1) else { return Extended::IDENTITY };
    let add = |sum: Extended, digit: i8| {
        let multiple = &multiples[usize::from(digit.unsigned_abs() / 2)];
        sum.add(&if digit < 0 { multiple.neg() } else { *multiple })
    };
    let mut last = add(Extended::IDENTITY, digits.digit(top));
    for position in (0..top).rev() {
        last = last.to_projective().double();
        let digit = digits.digit(position);
        if digit != 0 {
            last = add(last.to_extended(), digit);
        }
    }
    last.to_extended()
}

/// P, 3P, 5P, ...
fn odd_multiples<C: EdwardsCurve>(point: &Extended) -> [ProjectiveNiels; MULTIPLES] {
    let double = point.double().to_extended().to_niels::<C>();
    let mut multiple = *point;
    std::array::from_fn(|index| {
        if index > 0 {
            multiple = multiple.add(&double).to_extended();
        }
        multiple.to_niels::<C>()
    })
}
