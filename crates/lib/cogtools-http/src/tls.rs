//! TLS, and the trusted authorities: the system's, or those of `SSL_CERT_FILE` and
//! `SSL_CERT_DIR`.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::causes;
use crate::error::{Reason, TlsReason};
use crate::options::ClientOptions;

/// Makes connections secure. The certificates are read for the first connection:
/// that takes milliseconds.
pub(crate) struct Tls {
    file: Option<PathBuf>,
    dir: Option<PathBuf>,
    config: OnceLock<Result<Arc<ClientConfig>, TlsReason>>,
}

impl Tls {
    pub(crate) fn new(options: &ClientOptions) -> Self {
        Self {
            file: options.certificates.clone(),
            dir: options.certificate_dir.clone(),
            config: OnceLock::new(),
        }
    }

    /// Makes `stream` a secure connection to `host`.
    pub(crate) async fn connect<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        host: &str,
        stream: S,
    ) -> Result<TlsStream<S>, Reason> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| Reason::InvalidUrl("its URL has an invalid host"))?;
        let config = self.config.get_or_init(|| self.load());
        let config = config.clone().map_err(Reason::Tls)?;
        let connecting = TlsConnector::from(config).connect(name, stream);
        connecting.await.map_err(|error| causes::of_tls(&error))
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
