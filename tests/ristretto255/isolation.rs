//! Items that are rejected, among items that are not.

use super::{
    IDENTITY, Product, multiply, number, order_plus, random_elements, random_scalars, reference,
    row, secret_keys,
};
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use gecc::{Engine, Rejection};

const ITEMS: usize = 70;

/// Returns keys and elements, of which one is rejected, with the reason.
fn rejected() -> Vec<([u8; 32], [u8; 32], Rejection)> {
    let valid: [u8; 32] = row("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76");
    let not_in_group = row("26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371");
    let not_below_p = row("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");
    vec![
        (number(0), valid, Rejection::SecretKeyOutOfRange),
        (order_plus(0), valid, Rejection::SecretKeyOutOfRange),
        ([0xff; 32], valid, Rejection::SecretKeyOutOfRange),
        (number(5), not_below_p, Rejection::MalformedPoint),
        (number(5), number(1), Rejection::MalformedPoint),
        (number(5), not_in_group, Rejection::NotOnCurve),
        (number(5), IDENTITY, Rejection::IdentityKey),
        // Of several reasons, the first.
        (number(0), IDENTITY, Rejection::SecretKeyOutOfRange),
        (order_plus(0), not_below_p, Rejection::SecretKeyOutOfRange),
    ]
}

#[apply(on_every_engine)]
fn rejected_items_do_not_affect_others(engine: &Engine) {
    let mut random = Random::new();
    let keys = random_scalars(&mut random, ITEMS);
    let elements = random_elements(&mut random, ITEMS);
    for (number, (key, element, reason)) in rejected().into_iter().enumerate() {
        assert_eq!(reference(&key, &element), Err(reason));
        for stride in [1, 2, 9, ITEMS] {
            let mut keys = keys.clone();
            let mut elements = elements.clone();
            let is_rejected = |item: usize| item % stride == number % stride;
            for item in (0..ITEMS).filter(|item| is_rejected(*item)) {
                keys[item] = key;
                elements[item] = element;
            }
            let expected: Vec<Product> = (0..ITEMS)
                .map(|item| match is_rejected(item) {
                    true => Err(reason),
                    false => reference(&keys[item], &elements[item]),
                })
                .collect();
            let found = multiply(engine, &secret_keys(&keys), &elements);
            assert_eq!(found, expected, "{reason:?}, every {stride}");
        }
    }
}
