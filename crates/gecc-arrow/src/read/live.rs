//! Streams that may give nothing for long, read on threads of their own.

use super::ipc::IpcStream;
use super::recut::{Came, Next};
use crate::error::{Error, caught};
use arrow_array::RecordBatch;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread;

/// The batches of a stream, of these columns. One is read ahead of those that were taken. The thread that reads is not
/// waited for, since nobody can wake it: when the batches are dropped it ends with the next of them, or with the
/// stream.
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn batches(stream: IpcStream, places: Vec<usize>) -> std::io::Result<Next> {
    // Without room of its own, so that no more than one message is in memory.
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

/// Sends batches until there are no more, one is an error, or nobody wants them.
fn read(mut stream: IpcStream, places: &[usize], send: &SyncSender<Result<RecordBatch, Error>>) {
    // A panic of who gives the bytes is not taken for the end.
    while let Some(batch) = caught(|| stream.next(places)).transpose() {
        let is_last = batch.is_err();
        if send.send(batch).is_err() || is_last {
            return;
        }
    }
}
