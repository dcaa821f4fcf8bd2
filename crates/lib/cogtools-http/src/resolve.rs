//! The addresses of a host.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::dns::Name;
use tower_service::Service;

use crate::error::Reason;
use crate::target::is_local_name;

type Addresses = Result<Vec<SocketAddr>, io::Error>;
type Lookup = Pin<Box<dyn Future<Output = Addresses> + Send>>;
type Found = Result<std::vec::IntoIter<SocketAddr>, Reason>;

/// Finds the addresses of names.
#[derive(Clone)]
pub(crate) struct Resolver {
    lookup: Arc<dyn Fn(String) -> Lookup + Send + Sync>,
}

impl Resolver {
    /// The system's.
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
            let addresses = lookup
                .await
                .map_err(|error| Reason::Resolve(error.to_string()))?;
            Ok(addresses.into_iter())
        })
    }
}
