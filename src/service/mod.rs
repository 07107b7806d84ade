//! A coalescer: combines many small concurrent requests into a few large batches.
//!
//! A service receives its signatures one by one or by the dozen, from many connections. A GPU needs
//! 10^5 of them per call to be efficient, and a CPU some hundreds. A [`Coalescer`] takes requests
//! from any number of threads and futures, combines those of the same kind (operation, scheme,
//! curve and policy) into batches, and returns to each caller the answers to its own items. They
//! are the same as those of direct calls.
//!
//! A program that already has thousands of items calls [`crate::ecdsa`] and the other modules
//! directly.
//!
//! ```
//! use gecc::service::{Coalescer, WhenFull};
//! use gecc::{CurveId, Engine, PublicKeys, keys};
//! # let curve: CurveId = "secp256k1".parse().unwrap();
//! let engine = Engine::new()?;
//! let (secret, public) = keys::generate(&engine, curve, 64)?;
//! let digests: Vec<[u8; 32]> = (0..64).map(|item| [item; 32]).collect();
//!
//! let coalescer = Coalescer::builder().when_full(WhenFull::Refuse).build(&engine)?;
//! std::thread::scope(|scope| {
//!     for (item, secret) in secret.iter().enumerate() {
//!         let caller = coalescer.caller();
//!         let public = &public[item..][..1];
//!         let digest = &digests[item..][..1];
//!         scope.spawn(move || {
//!             let signed = caller.ecdsa_sign(curve, digest, secret, Default::default()).wait().unwrap();
//!             let signature = [signed[0].unwrap()];
//!             let keys = PublicKeys::points(public);
//!             let verdicts = caller.ecdsa_verify(curve, digest, &signature, keys, Default::default()).wait();
//!             assert!(verdicts.unwrap().all_valid());
//!         });
//!     }
//! });
//! # Ok::<(), gecc::Error>(())
//! ```
//!
//! A request is a future, for any executor. This example polls a few of them on one thread:
//!
//! ```
//! # use std::future::Future;
//! use gecc::service::{Coalescer, ServiceError};
//! use gecc::{CurveId, Engine, SecretKey};
//! # use std::{pin::pin, sync::Arc, task::{Context, Poll, Wake}, thread};
//! # struct Unpark(thread::Thread);
//! # impl Wake for Unpark {
//! #     fn wake(self: Arc<Self>) { self.0.unpark() }
//! # }
//! fn run<T>(future: impl Future<Output = T>) -> T {
//!     // ... polls the future, and sleeps until it is woken
//! #     let (waker, mut future) = (Arc::new(Unpark(thread::current())).into(), pin!(future));
//! #     loop {
//! #         match future.as_mut().poll(&mut Context::from_waker(&waker)) {
//! #             Poll::Ready(value) => return value,
//! #             Poll::Pending => thread::park(),
//! #         }
//! #     }
//! }
//!
//! let coalescer = Coalescer::new(&Engine::new()?)?;
//! let caller = coalescer.caller();
//! let curve: CurveId = "p256".parse().unwrap();
//! let key = SecretKey::generate(gecc::P256)?;
//! let signatures = run(async {
//!     // Both are under way at once. A ticket that is dropped takes its request back.
//!     let first = caller.ecdsa_sign(curve, &[[1; 32]], &key, Default::default()).submit()?;
//!     let second = caller.ecdsa_sign(curve, &[[2; 32], [3; 32]], &key, Default::default()).await?;
//!     Ok::<_, ServiceError>([first.await?, second].concat())
//! });
//! assert_eq!(signatures.unwrap().len(), 3);
//! # Ok::<(), gecc::Error>(())
//! ```
//!
//! # When a batch begins
//! A batch begins at once when nothing is being computed, so that a lone caller does not wait for
//! others; when it is full; or when its oldest item has waited for
//! [`CoalescerBuilder::longest_wait`] and a thread of the coalescer is free. While batches are
//! computed the next one accumulates, so that batches grow with the load.
//!
//! # Choice of the device
//! If the engine may choose, the CPU or the GPUs compute a batch, depending on how long recent
//! batches of that size took on each. Otherwise the engine's only device computes it.
//!
//! # Failures
//! An error of the engine, or a panic, is the answer to all requests of the batch, and to no other.
//! No request is lost or answered twice.

mod admission;
mod arenas;
mod batch;
mod caller;
mod coalescer;
mod compaction;
mod compute;
mod dispatch;
mod error;
mod kind;
mod options;
mod plan;
mod quota;
mod rates;
mod request;
mod round_robin;
mod slot;
#[cfg(test)]
mod tests;

use crate::host::lock;
pub use caller::Caller;
pub use coalescer::{Coalescer, CoalescerBuilder};
pub use error::ServiceError;
pub use options::{Shutdown, Stats, WhenFull};
pub use request::{Request, Ticket};
