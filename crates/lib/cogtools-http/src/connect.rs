//! Makes connections: name, TCP, proxy and TLS, within one limit.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use tower_service::Service;

use crate::error::{ProxyReason, Reason};
use crate::options::ClientOptions;
use crate::proxy::{Proxies, Proxy};
use crate::resolve::Resolver;
use crate::stream::{Stream, Transport};
use crate::target::Target;
use crate::tls::Tls;
use crate::{causes, tunnel};

/// After how long without traffic the system checks that the other end is alive.
const KEEPALIVE: Duration = Duration::from_mins(1);

/// Makes connections.
#[derive(Clone)]
pub(crate) struct Connector {
    tcp: HttpConnector<Resolver>,
    tls: Arc<Tls>,
    proxies: Arc<Proxies>,
    timeout: Duration,
}

impl Connector {
    pub(crate) fn new(options: &ClientOptions, resolver: Resolver) -> Self {
        let mut tcp = HttpConnector::new_with_resolver(resolver);
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(KEEPALIVE));
        Self {
            tcp,
            tls: Arc::new(Tls::new(options)),
            proxies: Arc::new(options.proxies.clone()),
            timeout: options.connect_timeout,
        }
    }

    async fn connect(mut self, uri: Uri) -> Result<Stream, Reason> {
        let target = Target::new(&uri).map_err(|error| error.reason)?;
        let proxies = Arc::clone(&self.proxies);
        let Some(proxy) = proxies.find(&target)? else {
            let transport = self.connect_to(&target).await?;
            return Ok(Stream::new(transport, false));
        };
        let transport = self.connect_to_proxy(proxy).await?;
        if !target.is_https {
            return Ok(Stream::new(transport, true));
        }
        let tunnel = tunnel::open(transport, proxy, &target).await;
        let tunnel = tunnel.map_err(|reason| Reason::Proxy {
            proxy: proxy.name.clone(),
            reason,
        })?;
        let secure = self.tls.connect(&target.host, tunnel).await?;
        Ok(Stream::new(Box::new(secure), false))
    }

    async fn connect_to_proxy(&mut self, proxy: &Proxy) -> Result<Box<dyn Transport>, Reason> {
        let failed = |reason: Reason| Reason::Proxy {
            proxy: proxy.name.clone(),
            reason: ProxyReason::Connect(format!("it {reason}")),
        };
        let target = Target::new(&proxy.uri).map_err(|error| failed(error.reason))?;
        self.connect_to(&target).await.map_err(failed)
    }

    /// Connects to `target` directly.
    async fn connect_to(&mut self, target: &Target) -> Result<Box<dyn Transport>, Reason> {
        let connecting = self.tcp.call(target.uri.clone());
        let tcp = connecting
            .await
            .map_err(|error| causes::of_connection(&error))?
            .into_inner();
        if !target.is_https {
            return Ok(Box::new(tcp));
        }
        Ok(Box::new(self.tls.connect(&target.host, tcp).await?))
    }
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = Reason;
    type Future = Pin<Box<dyn Future<Output = Result<Stream, Reason>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Reason>> {
        let ready = self.tcp.poll_ready(cx);
        ready.map_err(|error| causes::of_connection(&error))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let timeout = self.timeout;
        let connecting = self.clone().connect(uri);
        Box::pin(async move {
            let connected = tokio::time::timeout(timeout, connecting).await;
            connected.unwrap_or(Err(Reason::ConnectTimeout(timeout)))
        })
    }
}
