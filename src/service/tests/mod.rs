//! Tests of the service as a whole, on an engine with scripted faults, and on the CPU.

mod engine;
mod fake;
mod soak;

use super::{Caller, Coalescer, ServiceError, Shutdown, WhenFull};
use crate::curve::CurveId;
use crate::service::lock;
use fake::{Fake, Fault, Items};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// The next item number; each is used once.
static NEXT: AtomicU64 = AtomicU64::new(0);

fn items(count: usize) -> Items {
    Items::new(NEXT.fetch_add(count as u64, Ordering::Relaxed), count)
}

fn a_curve() -> CurveId {
    CurveId::ALL
        .iter()
        .copied()
        .find(|curve| curve.has_ecdsa())
        .expect("there is one")
}

fn curves() -> Vec<Option<CurveId>> {
    let of_ecdsa = CurveId::ALL
        .iter()
        .copied()
        .filter(|curve| curve.has_ecdsa())
        .map(Some);
    of_ecdsa.chain([None]).collect()
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Waits for a condition that is expected to become true soon.
fn until(mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "it does not come about"
        );
        thread::sleep(Duration::from_micros(200));
    }
}

/// Counts of the outcomes of items.
#[derive(Default)]
struct Tally {
    answered: AtomicU64,
    refused: AtomicU64,
    stopped: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
}

impl Tally {
    fn note(&self, items: &Items, answer: Result<fake::Signed, ServiceError>) {
        let count = match answer {
            Ok(signed) => {
                items.check(&signed);
                &self.answered
            }
            Err(ServiceError::Full { .. }) => &self.refused,
            Err(ServiceError::Stopped) => &self.stopped,
            Err(ServiceError::Engine(_) | ServiceError::Panicked(_)) => &self.failed,
            Err(problem) => panic!("{problem}"),
        };
        count.fetch_add(items.numbers.len() as u64, Ordering::Relaxed);
    }

    fn all(&self) -> [u64; 5] {
        let Tally {
            answered,
            refused,
            stopped,
            failed,
            dropped,
        } = self;
        [answered, refused, stopped, failed, dropped].map(|count| count.load(Ordering::Relaxed))
    }
}

/// Makes requests in all ways: blocking, with tickets that are waited for later, and as futures,
/// some of which are dropped.
fn make_requests(random: &mut StdRng, caller: &Caller, requests: usize, tally: &Tally) -> u64 {
    let mut tickets = Vec::new();
    let mut made = 0;
    for _ in 0..requests {
        let items = items(random.random_range(1..=40));
        let curve = curves()[random.random_range(0..curves().len())];
        let count = items.numbers.len() as u64;
        made += count;
        match random.random_range(0..4) {
            0 => tally.note(&items, items.sign(caller, curve).wait()),
            1 => {
                let mut future = Box::pin(items.sign(caller, curve));
                let polled = future
                    .as_mut()
                    .poll(&mut Context::from_waker(Waker::noop()));
                match polled {
                    Poll::Ready(answer) => tally.note(&items, answer),
                    Poll::Pending => _ = tally.dropped.fetch_add(count, Ordering::Relaxed),
                }
            }
            _ => match items.sign(caller, curve).submit() {
                Ok(ticket) => tickets.push((items.clone(), ticket)),
                Err(problem) => tally.note(&items, Err(problem)),
            },
        }
        while !tickets.is_empty() && random.random_range(0..3) == 0 {
            let (items, ticket) = tickets.swap_remove(random.random_range(0..tickets.len()));
            if random.random_range(0..4) == 0 && !ticket.is_done() {
                tally
                    .dropped
                    .fetch_add(items.numbers.len() as u64, Ordering::Relaxed);
            } else {
                tally.note(&items, ticket.wait());
            }
        }
    }
    tickets
        .into_iter()
        .for_each(|(items, ticket)| tally.note(&items, ticket.wait()));
    made
}

/// Runs sixteen threads with batches that fail and, if requested, a shutdown in the middle.
fn many_callers(when_full: WhenFull, shutdown: Option<Shutdown>) {
    let seed: u64 = rand::random();
    eprintln!("seed {seed}");
    let fake = Fake::taking(Duration::from_micros(300));
    let mut random = StdRng::seed_from_u64(seed);
    let faults = (0..10_000).map(|_| match random.random_range(0..20) {
        0..18 => Fault::None,
        18 => Fault::Error,
        _ => Fault::Panic,
    });
    *lock(&fake.faults) = faults.collect();
    let options = Coalescer::builder()
        .largest_batch(100)
        .queue(400)
        .when_full(when_full)
        .in_flight(3);
    let service = fake.coalescer(options);
    let tally = Tally::default();
    // Enough that some are left after a shutdown, however late it happens.
    let requests = if shutdown.is_some() { 3000 } else { 300 };
    let made: u64 = thread::scope(|scope| {
        let mut threads = Vec::new();
        for thread in 0..16 {
            let service = &service;
            let tally = &tally;
            let mut random = StdRng::seed_from_u64(seed.wrapping_add(1 + thread));
            threads.push(
                scope.spawn(move || make_requests(&mut random, &service.caller(), requests, tally)),
            );
        }
        if let Some(shutdown) = shutdown {
            // On a busy machine this may take longer than any fixed timeout.
            until(|| {
                let stats = service.stats();
                stats.items > 0 && stats.failed_batches > 0 && stats.dropped_items > 0
            });
            service.shutdown(shutdown);
            let late = items(1);
            assert!(matches!(
                late.sign(&service.caller(), None).wait(),
                Err(ServiceError::Stopped)
            ));
        }
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    let [answered, refused, stopped, failed, dropped] = tally.all();
    eprintln!(
        "{answered} answered, {refused} refused, {stopped} stopped, {failed} failed, {dropped} dropped"
    );
    assert_eq!(answered + refused + stopped + failed + dropped, made);
    assert!(answered > 0 && dropped > 0 && (stopped > 0) == shutdown.is_some());
    assert!(when_full == WhenFull::Refuse || refused == 0);
    service.shutdown(Shutdown::Answer);
    // Every answered item was computed, and no item twice, which the fake engine asserts.
    let computed = lock(&fake.computed).len() as u64;
    assert!(
        (answered + failed..=answered + failed + dropped).contains(&computed),
        "{computed}"
    );
    let stats = service.stats();
    assert!(
        stats.failed_batches > 0 && stats.dropped_items > 0,
        "{stats:?}"
    );
    assert_eq!(service.caller().dispatcher.admission.total(), 0);
}

#[test]
fn waiting_callers_lose_no_answers() {
    many_callers(WhenFull::Wait, None);
}

#[test]
fn refused_callers_lose_no_answers() {
    many_callers(WhenFull::Refuse, None);
}

#[test]
fn shutdown_answers_admitted_requests() {
    many_callers(WhenFull::Wait, Some(Shutdown::Answer));
    many_callers(WhenFull::Refuse, Some(Shutdown::Answer));
}

#[test]
fn shutdown_refuses_requests_not_begun() {
    many_callers(WhenFull::Wait, Some(Shutdown::Refuse));
}

#[test]
fn full_batches_of_one_kind_do_not_starve_others() {
    let fake = Fake::held();
    let options = Coalescer::builder()
        .in_flight(1)
        .largest_batch(2)
        .queue(100)
        .longest_wait(ms(1));
    let service = fake.coalescer(options);
    let busy = service.caller();
    let other = service.caller();
    let many: Vec<Items> = (0..20).map(|_| items(2)).collect();
    let tickets: Vec<_> = many
        .iter()
        .map(|items| items.sign(&busy, Some(a_curve())).submit().unwrap())
        .collect();
    until(|| fake.begun() == 1);
    let few = items(1);
    let ticket = few.sign(&other, None).submit().unwrap();
    thread::sleep(ms(2));
    fake.allow(3);
    until(|| ticket.is_done());
    few.check(&ticket.wait().unwrap());
    fake.release();
    many.iter()
        .zip(tickets)
        .for_each(|(items, ticket)| items.check(&ticket.wait().unwrap()));
}

#[test]
fn polled_request_is_submitted_once() {
    let fake = Fake::held();
    let service = fake.coalescer(Coalescer::builder());
    let caller = service.caller();
    let items = items(3);
    let mut request = items.sign(&caller, Some(a_curve()));
    assert!(
        Pin::new(&mut request)
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_pending()
    );
    fake.release();
    items.check(&request.wait().unwrap());
}

#[test]
fn tickets_resolve_as_shutdown_mode_requires() {
    for (shutdown, expected) in [(Shutdown::Answer, [7, 0]), (Shutdown::Refuse, [1, 6])] {
        let fake = Fake::held();
        let service = Arc::new(
            fake.coalescer(
                Coalescer::builder()
                    .in_flight(1)
                    .largest_batch(2)
                    .queue(100),
            ),
        );
        let caller = service.caller();
        let mut tickets = Vec::new();
        for request in 0..7 {
            let items = items(1);
            tickets.push((
                items.sign(&caller, Some(a_curve())).submit().unwrap(),
                items,
            ));
            if request == 0 {
                // The first batch has begun.
                until(|| fake.begun() == 1);
            }
        }
        let ending = {
            let service = service.clone();
            thread::spawn(move || service.shutdown(shutdown))
        };
        until(|| caller.dispatcher.admission.is_closed());
        fake.release();
        ending.join().unwrap();
        let mut found = [0, 0];
        for (ticket, items) in tickets {
            assert!(ticket.is_done());
            match ticket.wait() {
                Ok(signed) => {
                    items.check(&signed);
                    found[0] += 1;
                }
                Err(problem) => {
                    assert!(matches!(problem, ServiceError::Stopped));
                    found[1] += 1;
                }
            }
        }
        assert_eq!(found, expected);
    }
}

/// Submits requests of ten items until one is refused.
fn fill(caller: &Caller) -> Vec<super::Ticket<fake::Signed>> {
    let requests = std::iter::repeat_with(|| items(10).sign(caller, Some(a_curve())).submit());
    requests.map_while(Result::ok).collect()
}

/// Allocating an arena takes longer than computing a batch. Meanwhile batches end, and callers get
/// their answers.
#[test]
fn recycled_arenas_serve_waiting_callers() {
    let fake = Fake::held();
    let service = fake.coalescer(Coalescer::builder().largest_batch(10).queue(1000));
    let caller = service.caller();
    let first = items(10);
    let second = items(10);
    let ticket = first.sign(&caller, Some(a_curve())).submit().unwrap();
    // The arenas that are allocated ahead of need.
    until(|| fake.arenas() == 3);
    thread::sleep(ms(20));
    fake.hold_arenas(Some(0));
    let rest: Vec<Items> = (0..4).map(|_| items(10)).collect();
    thread::scope(|scope| {
        let caller = &caller;
        // The free arenas are too few for these.
        let senders: Vec<_> = rest
            .iter()
            .map(|items| {
                scope.spawn(move || {
                    items
                        .sign(caller, Some(a_curve()))
                        .submit()
                        .unwrap()
                        .wait()
                        .unwrap()
                })
            })
            .collect();
        until(|| fake.arenas() == 4);
        fake.release();
        first.check(&ticket.wait().unwrap());
        // Recycled arenas serve the waiting callers, while one caller may be blocked in allocating
        // one.
        until(|| senders.iter().filter(|sender| sender.is_finished()).count() >= 3);
        fake.hold_arenas(None);
        for (items, sender) in rest.iter().zip(senders) {
            items.check(&sender.join().unwrap());
        }
    });
    second.check(&second.sign(&caller, Some(a_curve())).wait().unwrap());
}

/// Exactly as many arenas are allocated as there can be batches.
#[test]
fn number_of_arenas_is_bounded_by_batches() {
    let fake = Fake::held();
    let service = fake.coalescer(
        Coalescer::builder()
            .largest_batch(10)
            .queue(40)
            .in_flight(2)
            .when_full(WhenFull::Refuse),
    );
    let caller = service.caller();
    let flood: Vec<_> = (0..40).map(|_| items(6)).collect();
    let tickets: Vec<_> = flood
        .iter()
        .filter_map(|items| {
            items
                .sign(&caller, Some(a_curve()))
                .submit()
                .ok()
                .map(|ticket| (items, ticket))
        })
        .collect();
    fake.release();
    for (items, ticket) in tickets {
        items.check(&ticket.wait().unwrap());
    }
    assert!(fake.arenas() <= 2 + 1 + 2 * 4, "{}", fake.arenas());
}

#[test]
fn full_queue_refuses_requests() {
    let fake = Fake::held();
    let service = fake.coalescer(Coalescer::builder().queue(100).when_full(WhenFull::Refuse));
    let callers = [(); 3].map(|()| service.caller());
    // One caller gets at most half of the queue, and the next as much as is left free.
    let tickets = [fill(&callers[0]), fill(&callers[1])];
    assert_eq!(tickets.each_ref().map(Vec::len), [5, 3]);
    let refused = items(21);
    let problem = refused.sign(&callers[2], None).submit().unwrap_err();
    assert!(
        matches!(
            problem,
            ServiceError::Full {
                items: 21,
                queue: 100
            }
        ),
        "{problem}"
    );
    let last = items(20);
    let ticket = last.sign(&callers[2], None).submit().unwrap();
    fake.release();
    last.check(&ticket.wait().unwrap());
    assert!(
        tickets
            .into_iter()
            .flatten()
            .all(|ticket| ticket.wait().is_ok())
    );
    refused.check(&refused.sign(&callers[2], None).wait().unwrap());
}

#[test]
fn full_queue_blocks_callers() {
    let fake = Fake::held();
    let service = fake.coalescer(Coalescer::builder().queue(100).largest_batch(50));
    let hog = service.caller();
    let other = service.caller();
    let hogs = items(50);
    let first = hogs.sign(&hog, Some(a_curve())).submit().unwrap();
    let more = items(40);
    let waiting = items(30);
    let given_up = items(30);
    let second = more.sign(&other, Some(a_curve())).submit().unwrap();
    let mut future = Box::pin(waiting.sign(&other, None));
    let mut dropped = Box::pin(given_up.sign(&other, None));
    let context = &mut Context::from_waker(Waker::noop());
    assert!(
        future.as_mut().poll(context).is_pending() && dropped.as_mut().poll(context).is_pending()
    );
    drop(dropped);
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            items(20)
                .sign(&hog, None)
                .submit()
                .map(|ticket| ticket.wait())
        });
        thread::sleep(ms(20));
        assert!(!thread.is_finished() && !first.is_done());
        fake.release();
        assert!(thread.join().unwrap().unwrap().is_ok());
    });
    until(|| {
        match future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(signed) => {
                waiting.check(&signed.unwrap());
                true
            }
            Poll::Pending => false,
        }
    });
    hogs.check(&first.wait().unwrap());
    more.check(&second.wait().unwrap());
    assert!(
        given_up
            .numbers
            .iter()
            .all(|number| !lock(&fake.computed).contains(number))
    );
}

#[test]
fn too_large_empty_and_invalid_requests_are_answered() {
    let fake = Fake::taking(ms(0));
    let service = fake.coalescer(Coalescer::builder().largest_batch(10));
    let caller = service.caller();
    let problem = items(11).sign(&caller, None).wait().unwrap_err();
    assert!(
        matches!(
            problem,
            ServiceError::TooLarge {
                items: 11,
                most: 10
            }
        ),
        "{problem}"
    );
    assert_eq!(items(0).sign(&caller, None).wait().unwrap(), []);
    let verdicts = caller
        .sm2_verify(&[[1; 32]; 2], &[[1; 64]; 2], &[[2; 33]])
        .wait();
    assert!(
        matches!(verdicts, Err(ServiceError::Invalid(_))),
        "{verdicts:?}"
    );
    for curve in CurveId::ALL
        .iter()
        .copied()
        .filter(|curve| !curve.has_ecdsa())
    {
        let recovered = caller
            .ecdsa_recover(curve, &[[1; 32]], &[[1; 64]], &[[0]])
            .submit();
        assert!(matches!(recovered, Err(ServiceError::Invalid(_))));
    }
    assert!(lock(&fake.batches).is_empty());
}

#[test]
fn failed_batch_fails_only_its_requests() {
    let fake = Fake::held();
    // Taken from the end.
    *lock(&fake.faults) = vec![Fault::None, Fault::Panic, Fault::Error, Fault::None];
    let service = fake.coalescer(Coalescer::builder().in_flight(1));
    let caller = service.caller();
    let first = items(1);
    let first_ticket = first.sign(&caller, Some(a_curve())).submit().unwrap();
    until(|| fake.begun() == 1);
    let mut batches = Vec::new();
    for before in 1..=3 {
        let requests = [1, 2, 3].map(items);
        let tickets = requests
            .each_ref()
            .map(|items| items.sign(&caller, Some(a_curve())).submit().unwrap());
        batches.push((requests, tickets));
        // The previous batch ends, and this one begins.
        fake.allow(1);
        until(|| fake.begun() == before + 1);
    }
    fake.release();
    first.check(&first_ticket.wait().unwrap());
    for ((requests, tickets), fault) in
        batches
            .into_iter()
            .zip([Fault::Error, Fault::Panic, Fault::None])
    {
        for (items, ticket) in requests.iter().zip(tickets) {
            match (ticket.wait(), fault) {
                (Ok(signed), Fault::None) => items.check(&signed),
                (Err(ServiceError::Engine(problem)), Fault::Error) => {
                    assert_eq!(problem.to_string(), "the GPU engine failed: on purpose");
                }
                (Err(ServiceError::Panicked(text)), Fault::Panic) => {
                    assert_eq!(&*text, "on purpose")
                }
                (answer, _) => panic!("{answer:?}"),
            }
        }
    }
    assert_eq!(
        (service.stats().failed_batches, service.stats().cpu_batches),
        (2, 2)
    );
    // The service continues.
    let items = items(5);
    items.check(&items.sign(&caller, None).wait().unwrap());
}

#[test]
fn dropped_requests_are_not_computed() {
    let fake = Fake::held();
    let service = fake.coalescer(Coalescer::builder().in_flight(1));
    let caller = service.caller();
    let begun = items(3);
    let first = begun.sign(&caller, Some(a_curve())).submit().unwrap();
    until(|| fake.begun() == 1);
    let requests: Vec<Items> = (1..=20).map(items).collect();
    let mut tickets: Vec<_> = requests
        .iter()
        .map(|items| Some(items.sign(&caller, None).submit().unwrap()))
        .collect();
    let is_dropped: Vec<bool> = (0..20).map(|request| request % 3 == 1).collect();
    for (ticket, is_dropped) in tickets.iter_mut().zip(&is_dropped) {
        if *is_dropped {
            *ticket = None;
        }
    }
    // This batch has begun: it is computed, and its answer is discarded.
    drop(first);
    fake.release();
    for (items, ticket) in requests.iter().zip(tickets) {
        if let Some(ticket) = ticket {
            items.check(&ticket.wait().unwrap());
        }
    }
    let computed = lock(&fake.computed);
    for (request, items) in requests.iter().enumerate() {
        assert!(
            items
                .numbers
                .iter()
                .all(|number| computed.contains(number) != is_dropped[request])
        );
    }
    assert!(computed.contains(&begun.numbers[0]));
    let dropped: usize = (0..20)
        .filter(|request| is_dropped[*request])
        .map(|request| request + 1)
        .sum();
    assert_eq!(service.stats().dropped_items, dropped as u64);
}

#[test]
fn sole_caller_does_not_wait_for_others() {
    let fake = Fake::taking(ms(0));
    let service = fake.coalescer(Coalescer::builder().longest_wait(Duration::from_secs(100)));
    let caller = service.caller();
    for _ in 0..50 {
        let start = Instant::now();
        let items = items(1);
        items.check(&items.sign(&caller, None).wait().unwrap());
        items_by_future(&caller);
        assert!(start.elapsed() < Duration::from_secs(2));
    }
}

fn items_by_future(caller: &Caller) {
    let items = items(2);
    let mut future = Box::pin(items.sign(caller, Some(a_curve())));
    items.check(
        &super::request::poll_until_ready(|waker| {
            future.as_mut().poll(&mut Context::from_waker(waker))
        })
        .unwrap(),
    );
}

/// While one batch is computed for a long time, single items that arrive slowly wait for the
/// longest wait and no longer.
#[test]
fn trickle_waits_at_most_longest_wait() {
    let fake = Fake::held();
    let service = fake.coalescer(Coalescer::builder().in_flight(2).longest_wait(ms(300)));
    let long = items(1);
    let caller = service.caller();
    let long_ticket = long.sign(&caller, Some(a_curve())).submit().unwrap();
    until(|| fake.begun() == 1);
    for _ in 0..3 {
        let start = Instant::now();
        let first = items(1);
        let second = items(1);
        let ticket = first.sign(&caller, None).submit().unwrap();
        thread::sleep(ms(5));
        let joined = second.sign(&caller, None).submit().unwrap();
        first.check(&ticket.wait().unwrap());
        let waited = start.elapsed();
        assert!(waited >= ms(300) && waited < ms(5000), "{waited:?}");
        // It came later, and was answered together with the first.
        assert!(joined.is_done());
        second.check(&joined.wait().unwrap());
    }
    assert!(!long_ticket.is_done());
    fake.release();
    long.check(&long_ticket.wait().unwrap());
}

#[test]
fn full_batch_starts_at_once() {
    let fake = Fake::held();
    let options = Coalescer::builder()
        .in_flight(2)
        .largest_batch(10)
        .longest_wait(Duration::from_secs(100));
    let service = fake.coalescer(options);
    let first = items(1);
    let second = [items(4), items(6)];
    let caller = service.caller();
    let ticket = first.sign(&caller, Some(a_curve())).submit().unwrap();
    until(|| fake.begun() == 1);
    let tickets = second
        .each_ref()
        .map(|items| items.sign(&caller, None).submit().unwrap());
    until(|| fake.begun() == 2);
    fake.release();
    first.check(&ticket.wait().unwrap());
    second
        .iter()
        .zip(tickets)
        .for_each(|(items, ticket)| items.check(&ticket.wait().unwrap()));
}

/// A caller that always has more requests than there is room for does not starve others.
#[test]
fn large_callers_do_not_starve_others() {
    for when_full in [WhenFull::Wait, WhenFull::Refuse] {
        let fake = Fake::taking(ms(2));
        let options = Coalescer::builder()
            .largest_batch(100)
            .queue(400)
            .when_full(when_full);
        let service = fake.coalescer(options);
        let barrier = Barrier::new(5);
        let is_over = AtomicU64::new(0);
        let mut slowest = Duration::ZERO;
        let by_hog = thread::scope(|scope| {
            let hog = service.caller();
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    let hog = hog.clone();
                    let barrier = &barrier;
                    let is_over = &is_over;
                    scope.spawn(move || {
                        let mut tickets = Vec::new();
                        let mut answered = 0u64;
                        barrier.wait();
                        while is_over.load(Ordering::Relaxed) == 0 {
                            match items(20).sign(&hog, None).submit() {
                                Ok(ticket) => tickets.push(ticket),
                                Err(ServiceError::Full { .. }) => thread::yield_now(),
                                Err(problem) => panic!("{problem}"),
                            }
                            let done = tickets.extract_if(.., |ticket| ticket.is_done());
                            answered += done
                                .map(|ticket| ticket.wait().unwrap().len() as u64)
                                .sum::<u64>();
                        }
                        answered
                    })
                })
                .collect();
            let small = service.caller();
            barrier.wait();
            thread::sleep(ms(20));
            for _ in 0..100 {
                let start = Instant::now();
                let items = items(5);
                items.check(
                    &items
                        .sign(&small, None)
                        .wait()
                        .expect("there is room for who has little"),
                );
                slowest = slowest.max(start.elapsed());
            }
            is_over.store(1, Ordering::Relaxed);
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .sum::<u64>()
        });
        // A full queue of other requests is a few batches of 2 ms, on a machine that may be busy.
        assert!(slowest < ms(2000), "{slowest:?}");
        assert!(by_hog > 1000, "{by_hog}");
    }
}

#[test]
fn aborted_tasks_release_everything() {
    let fake = Fake::taking(Duration::from_micros(200));
    let options = Coalescer::builder().largest_batch(64).queue(256);
    let service = fake.coalescer(options);
    let tally = Arc::new(Tally::default());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(3)
        .build()
        .unwrap();
    let tasks: Vec<_> = (0..2000)
        .map(|task: usize| {
            let caller = service.caller();
            let items = items(1 + task % 9);
            let tally = tally.clone();
            let handle = runtime.spawn(async move {
                let answer = items.sign(&caller, Some(a_curve())).await;
                tally.note(&items, answer);
            });
            if task.is_multiple_of(5) {
                handle.abort();
            }
            handle
        })
        .collect();
    let ended: Vec<bool> = tasks
        .into_iter()
        .map(|task| runtime.block_on(task).is_ok())
        .collect();
    assert!(
        ended
            .iter()
            .enumerate()
            .all(|(task, is_ended)| *is_ended || task.is_multiple_of(5))
    );
    let ended = ended.iter().enumerate().filter(|(_, is_ended)| **is_ended);
    let expected: u64 = ended.map(|(task, _)| 1 + task as u64 % 9).sum();
    assert_eq!(tally.all(), [expected, 0, 0, 0, 0]);
    until(|| service.caller().dispatcher.admission.total() == 0);
}
