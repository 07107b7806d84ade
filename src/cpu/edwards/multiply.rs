//! Products of points that are not known in advance. Variable-time.

use super::curves::EdwardsCurve;
use super::field::Element;
use super::point::{Completed, Extended, ProjectiveNiels};
use super::scalar::Scalar;
use crate::cpu::field::limbs::Limbs;
use crate::cpu::scalar::Wnaf;

/// Products of two points that are not known in advance, and one of the base point.
pub struct Term<C: EdwardsCurve> {
    pub numbers: [Limbs; 2],
    pub points: [[Element; 2]; 2],
    pub s: Scalar<C::Order>,
}

/// The window width. Digits are odd and below 2^(w-1): the table has the first 2^(w-2) odd
/// multiples.
const WIDTH: u32 = 5;
const MULTIPLES: usize = 1 << (WIDTH - 2);

/// Returns the sum of the products of numbers and points.
pub fn sum_of_products_var<C: EdwardsCurve, const N: usize>(
    numbers: [&Limbs; N],
    points: [Extended; N],
) -> Extended {
    let multiples = points.map(|point| odd_multiples::<C>(&point));
    let digits = numbers.map(|number| Wnaf::new(number, WIDTH));
    let length = digits.iter().map(|digits| digits.length).max().unwrap_or(0);
    let mut sum: Completed = Extended::IDENTITY.double();
    for position in (0..length).rev() {
        sum = sum.to_projective().double();
        for (digits, multiples) in digits.iter().zip(&multiples) {
            let digit = digits.digit(position);
            if digit != 0 {
                let multiple = &multiples[usize::from(digit.unsigned_abs() / 2)];
                sum = sum
                    .to_extended()
                    .add(&if digit < 0 { multiple.neg() } else { *multiple });
            }
        }
    }
    sum.to_extended()
}

/// Returns P, 3P, 5P, ...
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
