//! A tunnel through a proxy, by the method CONNECT.
//!
//! hyper-util has one, too, but its errors have no public type.

use http::header::{HOST, PROXY_AUTHORIZATION};
use http::{Method, Request, StatusCode, Uri};
use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;

use crate::error::ProxyReason;
use crate::proxy::Proxy;
use crate::stream::Transport;
use crate::target::Target;

/// Asks the proxy at the other end of `transport` for a connection to `target`.
pub(crate) async fn open(
    transport: Box<dyn Transport>,
    proxy: &Proxy,
    target: &Target,
) -> Result<Box<dyn Transport>, ProxyReason> {
    let handshake = http1::handshake::<_, Empty<Bytes>>(TokioIo::new(transport));
    let (mut sender, connection) = handshake.await.map_err(|_| ProxyReason::Malformed)?;
    let connection = tokio::spawn(connection.with_upgrades());
    let tunnel = async {
        let response = sender
            .send_request(request(proxy, target)?)
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
    let _guard = AbortOnDrop(connection.abort_handle());
    let upgraded = tunnel.await?;
    Ok(Box::new(TokioIo::new(upgraded)))
}

/// Ends the task of a connection whose tunnel is not waited for any more.
struct AbortOnDrop(tokio::task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn request(proxy: &Proxy, target: &Target) -> Result<Request<Empty<Bytes>>, ProxyReason> {
    let host = if target.host.contains(':') {
        format!("[{}]", target.host)
    } else {
        target.host.clone()
    };
    let authority = format!("{host}:{}", target.port);
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
