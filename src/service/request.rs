//! A request, from its inputs to its answer.

use super::admission::{Answer, Waiter};
use super::batch::WaitingPosition;
use super::dispatch::{Dispatcher, Placed};
use super::error::ServiceError;
use super::kind::{RequestInputs, RequestKind};
use super::options::WhenFull;
use super::quota::Quota;
use crate::host::process::Process;
use crate::types::{Error, Results};
use std::fmt;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Converts the results of a request to a value.
pub type Read<T> = fn(&Results) -> T;

/// A request that has been created but not begun. [`Request::wait`] blocks until the answer is
/// available, `await` returns it to asynchronous code, and [`Request::submit`] submits the items
/// and returns at once.
///
/// The columns are borrowed until the items are submitted, which happens once there is room for
/// them.
#[must_use = "a request does nothing unless it is submitted, waited for or awaited"]
pub struct Request<'a, T> {
    dispatcher: &'a Dispatcher,
    quota: &'a Arc<Quota>,
    kind: RequestKind,
    inputs: Result<RequestInputs<'a>, ServiceError>,
    read: Read<T>,
    stage: Stage<T>,
}

enum Stage<T> {
    New,
    Waits(Arc<Waiter>),
    HandedIn(Ticket<T>),
    Over,
}

impl<'a, T> Request<'a, T> {
    pub(super) fn new(
        dispatcher: &'a Dispatcher,
        quota: &'a Arc<Quota>,
        kind: RequestKind,
        inputs: Result<RequestInputs<'a>, Error>,
        read: Read<T>,
    ) -> Self {
        let inputs = inputs.and_then(|inputs| kind.operation.require().map(|()| inputs));
        let inputs = inputs.map_err(|problem| ServiceError::Invalid(Arc::new(problem)));
        Request {
            dispatcher,
            quota,
            kind,
            inputs,
            read,
            stage: Stage::New,
        }
    }

    /// Blocks until the answer is available. If nothing else is being computed, this thread
    /// computes the request itself, like a direct call with few items.
    ///
    /// # Errors
    /// Every [`ServiceError`].
    pub fn wait(mut self) -> Result<T, ServiceError> {
        poll_until_ready(|waker| self.poll_ticket(waker, true))?.wait()
    }

    /// Submits the items, and returns a ticket for the answer. With [`WhenFull::Wait`], blocks
    /// while there is no room.
    ///
    /// # Errors
    /// Every [`ServiceError`] except those of batches.
    pub fn submit(mut self) -> Result<Ticket<T>, ServiceError> {
        poll_until_ready(|waker| self.poll_ticket(waker, false))
    }

    /// Prepares everything that the first requests of this kind would otherwise wait for: arenas
    /// for the maximum number of batches, in page-locked memory if there is a GPU, and on GPUs
    /// kernels, tables and the memory of the largest batches. For verification, an arena takes 161
    /// bytes per item of the largest batch. The request itself is not submitted, and may have no
    /// items.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`], [`ServiceError::Engine`] and [`ServiceError::Forked`].
    ///
    /// ```
    /// use gecc::service::Coalescer;
    /// use gecc::{CurveId, Engine, PublicKeys, ecdsa::Policy};
    /// let coalescer = Coalescer::new(&Engine::new()?)?;
    /// let curve: CurveId = "p256".parse().unwrap();
    /// coalescer.caller().ecdsa_verify(curve, &[], &[], PublicKeys::points(&[]), Policy::default()).prepare().unwrap();
    /// # Ok::<(), gecc::Error>(())
    /// ```
    pub fn prepare(self) -> Result<(), ServiceError> {
        if !self.dispatcher.process.is_this() {
            return Err(ServiceError::Forked);
        }
        self.inputs.as_ref().map_err(Clone::clone)?;
        self.dispatcher.prepare(self.kind)
    }

    /// Submits the items as soon as there is room. `waits` is set by a thread that does nothing
    /// else until it has the answer.
    fn poll_ticket(&mut self, waker: &Waker, waits: bool) -> Poll<Result<Ticket<T>, ServiceError>> {
        // A request that was polled before may have been submitted already.
        match mem::replace(&mut self.stage, Stage::Over) {
            Stage::HandedIn(ticket) => return Poll::Ready(Ok(ticket)),
            stage => self.stage = stage,
        }
        let result = self.hand_in(waker, waits);
        if result.is_ready() {
            self.stage = Stage::Over;
        }
        result
    }

    fn hand_in(&mut self, waker: &Waker, waits: bool) -> Poll<Result<Ticket<T>, ServiceError>> {
        let Dispatcher {
            options,
            admission: gate,
            process,
            ..
        } = self.dispatcher;
        let inputs = match &self.inputs {
            Ok(inputs) => *inputs,
            Err(problem) => return Poll::Ready(Err(problem.clone())),
        };
        let items = inputs.items();
        if !process.is_this() {
            return Poll::Ready(Err(ServiceError::Forked));
        }
        if items == 0 {
            return Poll::Ready(Ok(self.ticket(None)));
        }
        if items > options.largest_batch {
            return Poll::Ready(Err(ServiceError::TooLarge {
                items,
                most: options.largest_batch,
            }));
        }
        let answer = match &self.stage {
            Stage::Waits(waiter) => gate.poll(waiter, waker),
            _ => match gate.enter(self.quota, items) {
                Answer::Full if options.when_full == WhenFull::Wait => {
                    let waiter = gate.wait(self.quota, items, waker);
                    let answer = gate.poll(&waiter, waker);
                    self.stage = Stage::Waits(waiter);
                    answer
                }
                answer => Some(answer),
            },
        };
        match answer {
            None => Poll::Pending,
            Some(Answer::Full) => Poll::Ready(Err(gate.full(items))),
            Some(Answer::Stopped) => Poll::Ready(Err(ServiceError::Stopped)),
            Some(Answer::LetIn) => {
                let placed = self.dispatcher.place(self.quota, self.kind, &inputs, waits);
                Poll::Ready(placed.map(|placed| self.ticket(Some(placed))))
            }
        }
    }

    fn ticket(&self, placed: Option<Placed>) -> Ticket<T> {
        Ticket {
            placed,
            place: None,
            read: self.read,
            process: self.dispatcher.process,
        }
    }
}

impl<T> Future for Request<'_, T> {
    type Output = Result<T, ServiceError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if !matches!(self.stage, Stage::HandedIn(_)) {
            match self.poll_ticket(context.waker(), false) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(problem)) => return Poll::Ready(Err(problem)),
                Poll::Ready(Ok(ticket)) => self.stage = Stage::HandedIn(ticket),
            }
        }
        match &mut self.stage {
            Stage::HandedIn(ticket) => Pin::new(ticket).poll(context),
            Stage::New | Stage::Waits(_) | Stage::Over => Poll::Pending,
        }
    }
}

impl<T> Drop for Request<'_, T> {
    fn drop(&mut self) {
        if let Stage::Waits(waiter) = &self.stage
            // The locks of another process may be held forever.
            && self.dispatcher.process.is_this()
        {
            self.dispatcher.admission.withdraw(waiter);
        }
    }
}

impl<T> fmt::Debug for Request<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// A submitted request. Wait for the answer on a thread ([`Ticket::wait`]), or `await` it.
///
/// Dropping a ticket withdraws the items unless their batch has begun. A ticket keeps the answers
/// of the whole batch alive.
#[must_use = "dropping a ticket takes its request back"]
pub struct Ticket<T> {
    /// The position of the answers; `None` if the request has no items.
    placed: Option<Placed>,
    /// The position of the waker.
    place: Option<WaitingPosition>,
    read: Read<T>,
    process: Process,
}

impl<T> Ticket<T> {
    /// Returns the number of the batch, for measurements.
    #[cfg(feature = "lab")]
    pub fn batch(&self) -> u64 {
        self.placed
            .as_ref()
            .map_or(u64::MAX, |placed| placed.batch.number)
    }

    /// Returns whether the answer is available.
    pub fn is_done(&self) -> bool {
        self.placed
            .as_ref()
            .is_none_or(|placed| placed.batch.outcome().is_some())
    }

    /// Blocks until the answer is available.
    ///
    /// # Errors
    /// [`ServiceError::Engine`] and [`ServiceError::Panicked`] if the batch failed or panicked;
    /// [`ServiceError::Stopped`] if the service was shut down before; [`ServiceError::Forked`] in a
    /// child of the process that created the service.
    pub fn wait(mut self) -> Result<T, ServiceError> {
        poll_until_ready(|waker| self.poll_answer(waker))
    }

    fn poll_answer(&mut self, waker: &Waker) -> Poll<Result<T, ServiceError>> {
        let Some(Placed { batch, items }) = &self.placed else {
            return Poll::Ready(Ok((self.read)(&Results::codes(&[]))));
        };
        if batch.outcome().is_none() && !self.process.is_this() {
            return Poll::Ready(Err(ServiceError::Forked));
        }
        if batch.outcome().is_none() && batch.wake_at_end(items.start, &mut self.place, waker) {
            return Poll::Pending;
        }
        match batch.outcome() {
            Some(Ok(answers)) => Poll::Ready(Ok((self.read)(&answers.slice(items.clone())))),
            Some(Err(problem)) => Poll::Ready(Err(problem.clone())),
            None => Poll::Pending,
        }
    }
}

impl<T> Future for Ticket<T> {
    type Output = Result<T, ServiceError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.poll_answer(context.waker())
    }
}

impl<T> Drop for Ticket<T> {
    fn drop(&mut self) {
        if let Some(Placed { batch, items }) = &self.placed
            && batch.outcome().is_none()
            && self.process.is_this()
        {
            batch.drop_request(items.clone(), self.place);
        }
    }
}

impl<T> fmt::Debug for Ticket<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket")
            .field("is_done", &self.is_done())
            .finish_non_exhaustive()
    }
}

/// Wakes a thread that is parked.
struct ParkedThread(Thread);

impl Wake for ParkedThread {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

thread_local!(static WAKER: Waker = Waker::from(Arc::new(ParkedThread(thread::current()))));

/// Polls until there is a result. Between polls, this thread sleeps until it is woken.
pub(super) fn poll_until_ready<R>(mut poll: impl FnMut(&Waker) -> Poll<R>) -> R {
    let waker = WAKER.with(Waker::clone);
    loop {
        match poll(&waker) {
            Poll::Ready(result) => return result,
            Poll::Pending => thread::park(),
        }
    }
}
