//! Calls of tools, by whichever request: observed, and reported while they run.

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio_util::sync::CancellationToken;

use super::{AppState, Server};
use crate::call::CallOutcome;
use crate::client_arguments::ClientArguments;
use crate::progress;

impl Server {
    /// Calls the tool `name`, and reports what there is to warn about.
    pub(super) async fn call(
        &self,
        name: &str,
        arguments: ClientArguments,
        request: &RequestContext<RoleServer>,
    ) -> CallOutcome {
        let observed = self.state.observers.begin(name, request);
        // A future that is moved often moves this only once.
        let outcome = Box::pin(self.call_in_pool(name, arguments, request)).await;
        observed.end(&outcome).await;
        outcome
    }

    /// Calls the tool in another thread.
    async fn call_in_pool(
        &self,
        name: &str,
        arguments: ClientArguments,
        request: &RequestContext<RoleServer>,
    ) -> CallOutcome {
        let AppState {
            catalogue, workers, ..
        } = &*self.state;
        let cancelled = self.cancelled(&request.ct);
        let (progress, forwarder) = progress::forwarder(request).unzip();
        let call = workers.call(catalogue, name, arguments, progress, cancelled);
        let outcome = call.await;
        if let Some(forwarder) = forwarder {
            forwarder.finish().await;
        }
        self.warn(catalogue.new_call_warnings()).await;
        outcome
    }

    /// Completes when the client cancels the request, or the server shuts down.
    async fn cancelled(&self, request: &CancellationToken) {
        tokio::select! {
            () = request.cancelled() => {}
            () = self.state.stop.cancelled() => {}
        }
    }
}
