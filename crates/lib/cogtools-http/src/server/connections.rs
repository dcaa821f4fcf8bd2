//! The connections of a server: how many there are, and how they end.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;

use super::Body;

/// How long the next connection waits for one to end, until another one is asked.
const PATIENCE: Duration = Duration::from_millis(20);

/// The connections of a server.
pub(super) struct Connections {
    slots: Arc<Semaphore>,
    /// Each connection's request to end, the oldest first.
    open: Arc<Mutex<VecDeque<Arc<Notify>>>>,
    /// Every connection has a sender; the receiver ends with the last of them.
    alive: (mpsc::Sender<Infallible>, mpsc::Receiver<Infallible>),
}

impl Connections {
    /// Room for `max` connections.
    pub(super) fn new(max: usize) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(max)),
            open: Arc::default(),
            alive: mpsc::channel(1),
        }
    }

    /// A place for another connection. If there is none, the oldest ones end, each after the
    /// request that it is at: clients keep connections that they do not use.
    pub(super) async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        let slot = || Arc::clone(&self.slots).acquire_owned();
        if let Ok(permit) = Arc::clone(&self.slots).try_acquire_owned() {
            return Some(permit);
        }
        loop {
            let oldest = self.open().pop_front();
            let Some(oldest) = oldest else {
                return slot().await.ok();
            };
            oldest.notify_one();
            if let Ok(permit) = timeout(PATIENCE, slot()).await {
                return permit.ok();
            }
        }
    }

    /// Serves the requests on `stream` in a task of its own, in `permit`'s place.
    pub(super) fn serve<S>(
        &self,
        http: &http1::Builder,
        stream: TcpStream,
        service: S,
        permit: Option<OwnedSemaphorePermit>,
    ) where
        S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible>
            + Send
            + 'static,
        S::Future: Send,
    {
        let close = Arc::<Notify>::default();
        self.open().push_back(Arc::clone(&close));
        let (open, alive) = (Arc::clone(&self.open), self.alive.0.clone());
        let connection = http.serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            let mut connection = pin!(connection);
            tokio::select! {
                _ = connection.as_mut() => {}
                () = close.notified() => {
                    connection.as_mut().graceful_shutdown();
                    let _ = connection.await;
                }
            }
            let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
            open.retain(|other| !Arc::ptr_eq(other, &close));
            drop((permit, alive));
        });
    }

    /// Ends all connections, each after its request, at most within `grace`.
    pub(super) async fn end(self, grace: Duration) {
        for close in self.open().drain(..) {
            close.notify_one();
        }
        let (sender, mut receiver) = self.alive;
        drop(sender);
        let _ = timeout(grace, receiver.recv()).await;
    }

    fn open(&self) -> std::sync::MutexGuard<'_, VecDeque<Arc<Notify>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
