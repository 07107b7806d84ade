//! A request, from what it asks for to its answer.

use super::account::Account;
use super::batch::Place;
use super::dispatch::{Dispatcher, Placed};
use super::error::ServiceError;
use super::gate::{Answer, Waiter};
use super::kind::{Inputs, RequestKind};
use super::options::WhenFull;
use super::park;
use crate::host::fork::Process;
use crate::types::{Error, Results};
use std::fmt;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Makes a value of the results of a request.
pub type Read<T> = fn(&Results) -> T;

/// A request that is made but not begun. [`Request::wait`] sleeps until the answer is there, `await` gives it to
/// asynchronous code, and [`Request::submit`] hands the items in and returns at once.
///
/// The columns are borrowed until the items are handed in, which is when there is room for them.
#[must_use = "a request does nothing unless it is submitted, waited for or awaited"]
pub struct Request<'a, T> {
    dispatcher: &'a Dispatcher,
    account: &'a Arc<Account>,
    kind: RequestKind,
    inputs: Result<Inputs<'a>, ServiceError>,
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
        account: &'a Arc<Account>,
        kind: RequestKind,
        inputs: Result<Inputs<'a>, Error>,
        read: Read<T>,
    ) -> Self {
        let inputs = inputs.and_then(|inputs| kind.operation.require().map(|()| inputs));
        let inputs = inputs.map_err(|problem| ServiceError::Invalid(Arc::new(problem)));
        Request { dispatcher, account, kind, inputs, read, stage: Stage::New }
    }

    /// Sleeps until the answer is there. If nothing else is computed, this thread computes the request itself, as a
    /// direct call of few items does.
    ///
    /// # Errors
    /// Every [`ServiceError`].
    pub fn wait(mut self) -> Result<T, ServiceError> {
        park::wait(|waker| self.poll_ticket(waker, true))?.wait()
    }

    /// Hands the items in, and gives a ticket for the answer. With [`WhenFull::Wait`] sleeps while there is no room.
    ///
    /// # Errors
    /// Every [`ServiceError`] but those of batches.
    pub fn submit(mut self) -> Result<Ticket<T>, ServiceError> {
        park::wait(|waker| self.poll_ticket(waker, false))
    }

    /// Makes ready what the first requests of this kind would else wait for: arenas for as many batches as there can
    /// be, in page-locked memory where there is a GPU, and on GPUs kernels, tables and the memory of the largest
    /// batches. For verification an arena takes 161 bytes an item of the largest batch. The request is not handed in,
    /// and may be one of no items.
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

    /// Hands the items in as soon as there is room. `waits` is for a thread that does nothing else until it has the
    /// answer.
    fn poll_ticket(&mut self, waker: &Waker, waits: bool) -> Poll<Result<Ticket<T>, ServiceError>> {
        // One that was polled before may be handed in already.
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
        let Dispatcher { options, gate, process, .. } = self.dispatcher;
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
            return Poll::Ready(Err(ServiceError::TooLarge { items, most: options.largest_batch }));
        }
        let answer = match &self.stage {
            Stage::Waits(waiter) => gate.poll(waiter, waker),
            _ => match gate.enter(self.account, items) {
                Answer::Full if options.when_full == WhenFull::Wait => {
                    let waiter = gate.wait(self.account, items, waker);
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
                let placed = self.dispatcher.place(self.account, self.kind, &inputs, waits);
                Poll::Ready(placed.map(|placed| self.ticket(Some(placed))))
            }
        }
    }

    fn ticket(&self, placed: Option<Placed>) -> Ticket<T> {
        Ticket { placed, place: None, read: self.read, process: self.dispatcher.process }
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
            // The locks of another process may be held for ever.
            && self.dispatcher.process.is_this()
        {
            self.dispatcher.gate.forget(waiter);
        }
    }
}

impl<T> fmt::Debug for Request<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// A request that is handed in: wait for the answer on a thread ([`Ticket::wait`]), or `await` it.
///
/// Dropping it takes the items out again unless their batch has begun. It holds the answers of the whole batch while it
/// lives.
#[must_use = "dropping a ticket takes its request back"]
pub struct Ticket<T> {
    /// `None` where there are no items.
    placed: Option<Placed>,
    /// The position of the waker.
    place: Option<Place>,
    read: Read<T>,
    process: Process,
}

impl<T> Ticket<T> {
    /// The number of the batch, for measurements.
    #[cfg(feature = "lab")]
    pub fn batch(&self) -> u64 {
        self.placed.as_ref().map_or(u64::MAX, |placed| placed.batch.number)
    }

    /// Returns whether the answer is available.
    pub fn is_done(&self) -> bool {
        self.placed.as_ref().is_none_or(|placed| placed.batch.outcome().is_some())
    }

    /// Sleeps until the answer is there.
    ///
    /// # Errors
    /// [`ServiceError::Engine`] and [`ServiceError::Panicked`] where that has become of the batch;
    /// [`ServiceError::Stopped`] when the service was shut down before; [`ServiceError::Forked`] in a child of the
    /// process that made the service.
    pub fn wait(mut self) -> Result<T, ServiceError> {
        park::wait(|waker| self.poll_answer(waker))
    }

    fn poll_answer(&mut self, waker: &Waker) -> Poll<Result<T, ServiceError>> {
        let Some(Placed { batch, items }) = &self.placed else {
            return Poll::Ready(Ok((self.read)(&Results::new(&[], [&[], &[]], [0, 0]))));
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
        f.debug_struct("Ticket").field("is_done", &self.is_done()).finish_non_exhaustive()
    }
}
