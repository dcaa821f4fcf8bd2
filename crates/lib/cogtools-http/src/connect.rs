//! Makes connections: name, TCP, proxy, its tunnel and TLS, within one limit.
//!
//! hyper-util has a tunnel, too, but its errors have no public type.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use cogtools_process::http::{HostRule, address};
use http::header::{HOST, PROXY_AUTHORIZATION};
use http::{Method, Request, StatusCode, Uri};
use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tower_service::Service;

use crate::client::ClientOptions;
use crate::error::{ProxyReason, Reason, TlsReason, of_connection, of_tls};
use crate::exchange::transport::permits;
use crate::proxy::{Proxies, Proxy};
use crate::target::{Target, in_authority, is_local_name};

/// The time without traffic after which the system checks that the other end is alive.
const KEEPALIVE: Duration = Duration::from_mins(1);

/// Makes connections.
#[derive(Clone)]
pub(crate) struct Connector {
    tcp: HttpConnector<Resolver>,
    tls: Arc<Tls>,
    proxies: Arc<Proxies>,
    timeout: Duration,
    resolver: Resolver,
    hosts: Option<Arc<[HostRule]>>,
}

impl Connector {
    pub(crate) fn new(options: &ClientOptions, resolver: Resolver) -> Self {
        let mut tcp = HttpConnector::new_with_resolver(resolver.clone());
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(KEEPALIVE));
        Self {
            tcp,
            tls: Arc::new(Tls::new(options)),
            proxies: Arc::new(options.proxies.clone()),
            timeout: options.connect_timeout,
            resolver,
            hosts: options.hosts.clone().map(Arc::from),
        }
    }

    async fn connect(mut self, uri: Uri) -> Result<Stream, Reason> {
        let target = Target::new(&uri).map_err(|error| error.reason)?;
        let proxies = Arc::clone(&self.proxies);
        let Some(proxy) = proxies.find(&target)? else {
            let transport = match self.hosts.take() {
                None => self.connect_to(&target, target.uri.clone()).await?,
                Some(hosts) => self.connect_guarded(&target, &hosts).await?,
            };
            return Ok(Stream::new(transport, false));
        };
        let through = |reason| Reason::Proxy {
            proxy: proxy.name.clone(),
            reason,
        };
        let unreached = |reason| through(ProxyReason::Connect(format!("it {reason}")));
        let at = Target::new(&proxy.uri).map_err(|error| unreached(error.reason))?;
        let transport = self.connect_to(&at, at.uri.clone()).await;
        let transport = transport.map_err(unreached)?;
        if !target.is_https {
            return Ok(Stream::new(transport, true));
        }
        let tunnel = open_tunnel(transport, proxy, &target).await;
        let tunnel = tunnel.map_err(through)?;
        let secure = self.tls.connect(&target.host, tunnel).await?;
        Ok(Stream::new(Box::new(secure), false))
    }

    /// Connects to an address of `target` that `hosts` permit. One forbidden address forbids all.
    async fn connect_guarded(
        &mut self,
        target: &Target,
        hosts: &[HostRule],
    ) -> Result<Box<dyn Transport>, Reason> {
        let addresses = if let Some(address) = address(&target.host) {
            vec![address]
        } else {
            let name = target.host.parse::<Name>();
            let name = name.map_err(|_| Reason::InvalidUrl("its URL has an invalid host"))?;
            let found = self.resolver.call(name).await?;
            found.map(|address| address.ip()).collect()
        };
        let forbidden = addresses
            .iter()
            .find(|address| !permits(hosts, target, **address));
        if let Some(address) = forbidden {
            return Err(Reason::Forbidden(*address));
        }
        let mut last = Reason::Resolve("it has no address".to_owned());
        for address in addresses {
            let uri = format!("http://{}/", SocketAddr::new(address, target.port));
            let uri = uri.parse();
            let uri = uri.map_err(|_| Reason::InvalidUrl("its URL is invalid"))?;
            match self.connect_to(target, uri).await {
                Err(error) => last = error,
                connected => return connected,
            }
        }
        Err(last)
    }

    /// Connects to `target` directly, at the host of `uri`.
    async fn connect_to(
        &mut self,
        target: &Target,
        uri: Uri,
    ) -> Result<Box<dyn Transport>, Reason> {
        let connected = self.tcp.call(uri).await;
        let tcp = connected.map_err(|error| of_connection(&error))?;
        let tcp = tcp.into_inner();
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
        ready.map_err(|error| of_connection(&error))
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

type Addresses = Result<Vec<SocketAddr>, io::Error>;
type Lookup = Pin<Box<dyn Future<Output = Addresses> + Send>>;
type Found = Result<std::vec::IntoIter<SocketAddr>, Reason>;

/// Finds the addresses of names.
#[derive(Clone)]
pub(crate) struct Resolver {
    lookup: Arc<dyn Fn(String) -> Lookup + Send + Sync>,
}

impl Resolver {
    /// Returns the resolver of the system.
    pub(crate) fn system() -> Self {
        Self::new(|name| {
            Box::pin(async move {
                let found = tokio::net::lookup_host((name, 0)).await?;
                Ok(found.collect())
            })
        })
    }

    pub(crate) fn new(lookup: impl Fn(String) -> Lookup + Send + Sync + 'static) -> Self {
        Self {
            lookup: Arc::new(lookup),
        }
    }
}

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = Reason;
    type Future = Pin<Box<dyn Future<Output = Found> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Reason>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let name = name.as_str().to_ascii_lowercase();
        if is_local_name(&name) {
            let addresses = vec![
                SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
                SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
            ];
            return Box::pin(async move { Ok(addresses.into_iter()) });
        }
        let lookup = (self.lookup)(name);
        Box::pin(async move {
            let addresses = lookup.await;
            let addresses = addresses.map_err(|error| Reason::Resolve(error.to_string()))?;
            Ok(addresses.into_iter())
        })
    }
}

/// A stream of bytes that a connection is made of.
pub(crate) trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

/// A connection.
pub(crate) struct Stream {
    io: TokioIo<Box<dyn Transport>>,
    /// True if a proxy reads the requests, which then have to name the host.
    is_proxied: bool,
}

impl Stream {
    pub(crate) fn new(transport: Box<dyn Transport>, is_proxied: bool) -> Self {
        Self {
            io: TokioIo::new(transport),
            is_proxied,
        }
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new().proxy(self.is_proxied)
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

/// Asks the proxy at the other end of `transport` for a connection to `target`.
async fn open_tunnel(
    transport: Box<dyn Transport>,
    proxy: &Proxy,
    target: &Target,
) -> Result<Box<dyn Transport>, ProxyReason> {
    let handshake = http1::handshake::<_, Empty<Bytes>>(TokioIo::new(transport));
    let (mut sender, connection) = handshake.await.map_err(|_| ProxyReason::Malformed)?;
    // It ends the task of the connection when the tunnel is not waited for any more.
    let mut tasks = JoinSet::new();
    tasks.spawn(connection.with_upgrades());
    let tunnel = async {
        let response = sender
            .send_request(connect_request(proxy, target)?)
            .await
            .map_err(|_| ProxyReason::Malformed)?;
        match response.status() {
            status if status.is_success() => {}
            StatusCode::PROXY_AUTHENTICATION_REQUIRED => return Err(ProxyReason::Authentication),
            status => return Err(ProxyReason::Status(status)),
        }
        let upgraded = hyper::upgrade::on(response).await;
        upgraded.map_err(|_| ProxyReason::Malformed)
    };
    let upgraded = tunnel.await?;
    Ok(Box::new(TokioIo::new(upgraded)))
}

fn connect_request(proxy: &Proxy, target: &Target) -> Result<Request<Empty<Bytes>>, ProxyReason> {
    let authority = format!("{}:{}", in_authority(target.host.clone()), target.port);
    let uri = Uri::builder().authority(authority.as_str()).build();
    let mut request = Request::builder()
        .method(Method::CONNECT)
        .uri(uri.map_err(|_| ProxyReason::Malformed)?)
        .header(HOST, authority);
    if let Some(authorization) = &proxy.authorization {
        request = request.header(PROXY_AUTHORIZATION, authorization);
    }
    request
        .body(Empty::new())
        .map_err(|_| ProxyReason::Malformed)
}

/// Makes connections secure. The certificates are read for the first connection:
/// that takes milliseconds.
struct Tls {
    file: Option<PathBuf>,
    dir: Option<PathBuf>,
    config: OnceLock<Result<Arc<ClientConfig>, TlsReason>>,
}

impl Tls {
    fn new(options: &ClientOptions) -> Self {
        Self {
            file: options.certificates.clone(),
            dir: options.certificate_dir.clone(),
            config: OnceLock::new(),
        }
    }

    /// Makes `stream` a secure connection to `host`.
    async fn connect<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        host: &str,
        stream: S,
    ) -> Result<TlsStream<S>, Reason> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| Reason::InvalidUrl("its URL has an invalid host"))?;
        let config = self.config.get_or_init(|| self.load());
        let config = config.clone().map_err(Reason::Tls)?;
        let connecting = TlsConnector::from(config).connect(name, stream);
        connecting.await.map_err(|error| of_tls(&error))
    }

    fn load(&self) -> Result<Arc<ClientConfig>, TlsReason> {
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsReason::Handshake(error.to_string()))?;
        let config = builder.with_root_certificates(self.roots()?);
        Ok(Arc::new(config.with_no_client_auth()))
    }

    fn roots(&self) -> Result<RootCertStore, TlsReason> {
        let loaded = if self.file.is_none() && self.dir.is_none() {
            rustls_native_certs::load_native_certs()
        } else {
            rustls_native_certs::load_certs_from_paths(self.file.as_deref(), self.dir.as_deref())
        };
        let mut roots = RootCertStore::empty();
        let (added, _) = roots.add_parsable_certificates(loaded.certs);
        if added > 0 {
            return Ok(roots);
        }
        let error = loaded.errors.first();
        let reason = error.map_or_else(|| "none found".to_owned(), ToString::to_string);
        Err(TlsReason::NoRoots(reason))
    }
}
