//! The trusted authorities for HTTPS: the system's, or those in `SSL_CERT_FILE`
//! and `SSL_CERT_DIR`.

use rustls::{ClientConfig, RootCertStore};

use crate::http_error::HttpError;

/// The TLS configuration for the server at `url`. Certificates are loaded only for
/// `https:` URLs.
pub(crate) fn config(url: &str) -> Result<ClientConfig, HttpError> {
    let roots = if url.starts_with("https:") {
        load()?
    } else {
        RootCertStore::empty()
    };
    let config = ClientConfig::builder().with_root_certificates(roots);
    Ok(config.with_no_client_auth())
}

fn load() -> Result<RootCertStore, HttpError> {
    let loaded = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(loaded.certs);
    if added > 0 {
        return Ok(roots);
    }
    let error = loaded.errors.first();
    let reason = error.map_or_else(|| "none found".to_owned(), ToString::to_string);
    Err(HttpError::RootCerts(reason))
}
