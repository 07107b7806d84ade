//! Operations on public points.

use super::{ITEMS, Trial};
use crate::curve::Curve;
use crate::types::{Point, PublicKeys};
use crate::types::Rejection;
use crate::gpu::Fault;
use crate::gpu::point::{Add, DecodeKeys, Double, Mul, MulBase};
use crate::known_answers::{self, Answer, PointAnswers, repeat};
use std::marker::PhantomData;

fn answers<C: Curve>() -> &'static PointAnswers {
    &known_answers::of(C::NAME).points
}

pub fn sums<C: Curve>(trial: &mut Trial) -> Result<(), Fault> {
    let (operands, known): (Vec<_>, Vec<_>) = repeat(&answers::<C>().sums, ITEMS).into_iter().unzip();
    let (a, b): (Vec<_>, Vec<_>) = operands.into_iter().map(<(Point, Point)>::from).unzip();
    trial.check(&Add::<C>(&a, &b, PhantomData), known)
}

pub fn doubles<C: Curve>(trial: &mut Trial) -> Result<(), Fault> {
    let (points, known): (Vec<_>, Vec<_>) = repeat(&answers::<C>().doubles, ITEMS).into_iter().unzip();
    trial.check(&Double::<C>(&points, PhantomData), known)
}

pub fn base_products<C: Curve>(trial: &mut Trial) -> Result<(), Fault> {
    let (scalars, known): (Vec<_>, Vec<_>) = repeat(&answers::<C>().base_products, ITEMS).into_iter().unzip();
    trial.check(&MulBase::<C>(&scalars, PhantomData), known)
}

pub fn products<C: Curve>(trial: &mut Trial) -> Result<(), Fault> {
    let all = repeat(&answers::<C>().products, ITEMS).into_iter();
    let (operands, known): (Vec<_>, Vec<_>) = all.map(|(scalar, point, product)| ((scalar, point), product)).unzip();
    let (scalars, points): (Vec<_>, Vec<_>) = operands.into_iter().unzip();
    trial.check(&Mul::<C>(&scalars, &points, PhantomData), known)
}

/// In every encoding.
pub fn keys<C: Curve>(trial: &mut Trial) -> Result<(), Fault> {
    let answers = answers::<C>();
    let mixed = answers.keys.iter().map(|(key, known)| (key.as_slice(), *known)).collect::<Vec<_>>();
    decode::<C, _>(trial, &mixed, |keys| PublicKeys::sec1(keys))?;
    decode::<C, _>(trial, &answers.keys_of::<33>(), |keys| PublicKeys::compressed(keys))?;
    let mut uncompressed = answers.keys_of::<65>();
    decode::<C, _>(trial, &uncompressed, |keys| PublicKeys::uncompressed(keys))?;
    // Points and rows without a tag cannot have a wrong one.
    uncompressed.retain(|(key, _)| key[0] == 4);
    let raw: Vec<([u8; 64], _)> =
        uncompressed.iter().map(|(key, known)| (key[1..].try_into().expect("64 bytes"), *known)).collect();
    decode::<C, _>(trial, &raw, |keys| PublicKeys::raw(keys))?;
    let identity = (Point::IDENTITY, Err(Rejection::IdentityKey));
    let point = |(key, known): &([u8; 65], _)| (Point::from_uncompressed(*key).expect("the tag"), *known);
    let points: Vec<_> = uncompressed.iter().map(point).chain([identity]).collect();
    decode::<C, _>(trial, &points, |keys| PublicKeys::points(keys))
}

fn decode<C: Curve, K: Clone>(
    trial: &mut Trial,
    answers: &[(K, Answer<Point>)],
    public_keys: impl for<'a> Fn(&'a [K]) -> PublicKeys<'a>,
) -> Result<(), Fault> {
    let (keys, known): (Vec<_>, Vec<_>) = repeat(answers, ITEMS).into_iter().unzip();
    trial.check(&DecodeKeys::<C>(public_keys(&keys), ITEMS, PhantomData), known)
}
