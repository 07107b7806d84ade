//! Streams that may be idle for a long time, read on threads of their own.

use super::ipc::IpcStream;
use super::recut::{Came, Next};
use crate::error::{Error, caught};
use arrow_array::RecordBatch;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread;

/// Returns the batches of a stream, with the columns at `places`. One batch is read ahead. The
/// reading thread is not joined, because it cannot be woken: when the batches are dropped, it ends
/// with the next batch or with the stream.
///
/// # Errors
/// If the system cannot start a thread.
pub(crate) fn batches(stream: IpcStream, places: Vec<usize>) -> std::io::Result<Next> {
    // A channel without a buffer, so that at most one message is in memory.
    let (send, receive) = mpsc::sync_channel(0);
    let thread = thread::Builder::new().name("gecc-stream".to_owned());
    thread.spawn(move || read(stream, &places, &send))?;
    Ok(Box::new(move |patience| match receive.recv_timeout(patience) {
        Ok(Ok(batch)) => Came::Batch(batch),
        Ok(Err(problem)) => Came::Failed(problem),
        Err(RecvTimeoutError::Timeout) => Came::Nothing,
        Err(RecvTimeoutError::Disconnected) => Came::End,
    }))
}

/// Sends batches until there are no more, one is an error, or the receiver is gone.
fn read(mut stream: IpcStream, places: &[usize], send: &SyncSender<Result<RecordBatch, Error>>) {
    // A panic of the input is not mistaken for its end.
    while let Some(batch) = caught(|| stream.next(places)).transpose() {
        let is_last = batch.is_err();
        if send.send(batch).is_err() || is_last {
            return;
        }
    }
}
