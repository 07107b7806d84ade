use gecc::*;
use std::time::Instant;
fn time(mut f: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..3 {
        let t = Instant::now();
        f();
        best = best.min(t.elapsed().as_secs_f64());
    }
    best
}
fn main() {
    let portable = std::env::args().any(|a| a == "portable");
    let n: usize = 1 << 16;
    let eng = |b: bool| {
        Engine::builder().backend(Backend::Cpu).threads(1).portable(portable).batch_equations(b).build().unwrap()
    };
    let (single, batch) = (eng(false), eng(true));
    let run =
        |name: &str, verify: &dyn Fn(&Engine, std::ops::Range<usize>, &[[u8; 64]]) -> Verdicts, sigs: &[[u8; 64]]| {
            for n in [64usize, 128, 256, 512, 1024, 2048, 4096, 16384, 65536] {
                let go = |e: &Engine| {
                    let k = (65536 / n).min(8);
                    time(|| {
                        for i in 0..k {
                            assert!(verify(e, i * n..(i + 1) * n, sigs).all_valid())
                        }
                    }) / (k * n) as f64
                        * 1e6
                };
                let (a, b) = (go(&single), go(&batch));
                println!("{name} n={n} single {a:.2} batch {b:.2} us  ratio {:.2}", a / b);
            }
            let n = 65536;
            let a = time(|| {
                let _ = verify(&single, 0..n, sigs);
            });
            for one_in in [65536usize, 10000, 1000, 300, 100, 10, 2, 1] {
                let mut bad = sigs.to_vec();
                for i in (0..n).step_by(one_in) {
                    bad[i][45] ^= 1;
                }
                let b = time(|| {
                    let v = verify(&batch, 0..n, &bad);
                    assert_eq!(v.rejected().count(), n.div_ceil(one_in));
                });
                println!("{name} bad 1/{one_in}: cost {:.3}", b / a);
            }
        };
    macro_rules! curve {
        ($c:ident) => {{
            let (sk, pk) = keys::generate::<$c>(&single, n).unwrap();
            let d: Vec<[u8; 32]> = (0..n)
                .map(|i| {
                    let mut d = [i as u8; 32];
                    d[..8].copy_from_slice(&i.to_le_bytes());
                    d
                })
                .collect();
            let s = ecdsa::sign_recoverable::<$c>(&single, &d, &sk, Default::default()).unwrap();
            let sigs: Vec<_> = s.iter().map(|s| s.unwrap().signature).collect();
            let ids: Vec<_> = s.iter().map(|s| s.unwrap().recovery_id).collect();
            run(
                stringify!($c),
                &|e, r, sigs| {
                    ecdsa::verify_recoverable::<$c>(
                        e,
                        &d[r.clone()],
                        &sigs[r.clone()],
                        &ids[r.clone()],
                        PublicKeys::points(&pk[r]),
                        Default::default(),
                    )
                    .unwrap()
                },
                &sigs,
            );
            // repeated keys
            for uses in [16usize, 32, 64, 128, 256, 512, 1024] {
                let key = |i: usize| i / uses % n;
                let sks: Vec<SecretKey> = (0..n).map(|i| SecretKey::from_bytes(*sk[key(i)].expose_bytes())).collect();
                let pks: Vec<_> = (0..n).map(|i| pk[key(i)]).collect();
                let s = ecdsa::sign_recoverable::<$c>(&single, &d, &sks, Default::default()).unwrap();
                let sigs: Vec<_> = s.iter().map(|s| s.unwrap().signature).collect();
                let ids: Vec<_> = s.iter().map(|s| s.unwrap().recovery_id).collect();
                let go = |e: &Engine| {
                    time(|| {
                        assert!(
                            ecdsa::verify_recoverable::<$c>(
                                e,
                                &d,
                                &sigs,
                                &ids,
                                PublicKeys::points(&pks),
                                Default::default()
                            )
                            .unwrap()
                            .all_valid()
                        )
                    }) / n as f64
                        * 1e6
                };
                println!("{} uses {uses}: single {:.2} batch {:.2}", stringify!($c), go(&single), go(&batch));
            }
        }};
    }
    {
        let (sk, pk) = keys::generate::<Secp256k1>(&single, n).unwrap();
        let d: Vec<[u8; 32]> = (0..n)
            .map(|i| {
                let mut d = [i as u8; 32];
                d[..8].copy_from_slice(&i.to_le_bytes());
                d
            })
            .collect();
        let sigs: Vec<_> = bip340::sign(&single, &d, bip340::SigningKeys::with_public(&sk, &pk), Default::default())
            .unwrap()
            .into_iter()
            .map(|s| s.unwrap())
            .collect();
        let x: Vec<[u8; 32]> = pk.iter().map(|p| *p.x()).collect();
        run(
            "bip340",
            &|e, r, sigs| bip340::verify(e, &d[r.clone()], &sigs[r.clone()], PublicKeys::x_only(&x[r])).unwrap(),
            &sigs,
        );
    }
    curve!(Secp256k1);
    curve!(P256);
    curve!(BrainpoolP256r1);
}
