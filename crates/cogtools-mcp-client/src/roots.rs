//! Whom a server's certificate has to be signed by: the authorities that the
//! system trusts, or those in `SSL_CERT_FILE` and `SSL_CERT_DIR`.

use rustls::{ClientConfig, RootCertStore};

use crate::obstacle::Obstacle;

/// How TLS is spoken with the server at `url`. Certificates are looked for only
/// where there is a use for them.
pub(crate) fn config(url: &str) -> Result<ClientConfig, Obstacle> {
    let roots = if url.starts_with("https:") {
        load()?
    } else {
        RootCertStore::empty()
    };
    let config = ClientConfig::builder().with_root_certificates(roots);
    Ok(config.with_no_client_auth())
}

fn load() -> Result<RootCertStore, Obstacle> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (good, _) = roots.add_parsable_certificates(found.certs);
    if good > 0 {
        return Ok(roots);
    }
    let error = found.errors.first();
    let words = error.map_or_else(|| "there are none".to_owned(), ToString::to_string);
    Err(Obstacle::Roots(words))
}
