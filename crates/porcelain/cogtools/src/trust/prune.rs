//! Removes approvals of what no longer exists.

use std::path::Path;

use cogtools_core::Context;
use cogtools_core::approval::TrustableSource;
use cogtools_core::store::{PackageStore, ProviderStore};
use cogtools_program::{Failure, Io};

/// Removes the approvals of packages and projects whose folders no longer exist, and of
/// providers that this project no longer has.
pub(crate) fn prune(all: &[TrustableSource], cx: &Context, io: &mut Io<'_>) -> Result<(), Failure> {
    let current: Vec<(String, String)> = all.iter().filter_map(|it| it.key(cx)).collect();
    let keep = |source: &str, tool: &str| {
        if source.starts_with("npm:") {
            return Path::new(tool).is_dir();
        }
        if let Some(project) = source.strip_prefix("loaded:") {
            return Path::new(tool).is_dir() && Path::new(project).is_dir();
        }
        let root = source
            .splitn(3, ':')
            .nth(2)
            .map_or(Path::new(""), Path::new);
        let known = current.iter().any(|(other, _)| other == source);
        root.is_dir() && (root != cx.root || known)
    };
    let removed = cx
        .trust
        .update(|record| record.retain(keep) + record.prune_projects())
        .map_err(|error| Failure::from(error.diagnostic()))?;
    if let Some(state) = &cx.state {
        let record = cx.trust.read();
        let record = record.map_err(|error| Failure::from(error.diagnostic()))?;
        PackageStore::new(state).retain(|root, hash| record.approves_package(root, hash));
        ProviderStore::new(state).retain(|source| record.has_source(source));
    }
    io.print(format!("forgot {removed}\n").as_bytes())
}
