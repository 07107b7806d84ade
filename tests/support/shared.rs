//! Shared points as values that can be compared.

use gecc::{Curve, Engine, Error, Point, PublicKeys, Rejection, SecretKeys, ecdh};

/// `ecdh::shared_points`, made public; the results of the accessors are checked on the way.
pub fn shared_points<'a, C: Curve>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    peers: PublicKeys,
) -> Result<Vec<Result<Point, Rejection>>, Error> {
    let reveal = |shared: gecc::SharedPoint| {
        let x = *shared.expose_x();
        let y = *shared.expose_y();
        let bytes = *shared.expose_bytes();
        let point = shared.into_public();
        assert_eq!((&x, &y, &bytes), (point.x(), point.y(), point.as_bytes()));
        point
    };
    let shared = ecdh::shared_points(engine, C::ID, secret_keys, peers)?;
    Ok(shared
        .into_iter()
        .map(|shared| shared.map(reveal))
        .collect())
}
