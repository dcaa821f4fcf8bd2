//! The hosts that a call may reach.

use std::net::IpAddr;

use cogtools_core::http::{HostRule, HttpTask, address, canonical_host, is_link_local, is_public};
use cogtools_core::{Code, Diagnostic};

use super::Failed;
use crate::error::Reason;
use crate::target::Target;

/// The host of a tool's URL, and the rules of `hosts`.
pub(super) struct Guarded {
    own: Target,
    is_host_rendered: bool,
    hosts: Vec<HostRule>,
}

impl Guarded {
    /// Reads the hosts of `task`.
    pub(super) fn new(task: &HttpTask) -> Result<Self, Box<Diagnostic>> {
        let own = target(&task.url).ok_or_else(|| {
            let diagnostic = Diagnostic::new(Code::SchemaViolation, "`url` is not a valid URL");
            Box::new(diagnostic.hint("send other arguments, or correct the tool's `url`"))
        })?;
        Ok(Self {
            own,
            is_host_rendered: task.is_host_rendered,
            hosts: task.hosts.clone(),
        })
    }

    /// Returns true if `url` is at the scheme, host and port of the tool's URL.
    pub(super) fn is_own(&self, url: &str) -> bool {
        target(url).is_some_and(|target| self.own.is_same_server(&target))
    }

    /// Returns true if `hosts` names the host of `url`.
    pub(super) fn is_named(&self, url: &str) -> bool {
        target(url).is_some_and(|target| is_named(&self.hosts, &target))
    }

    /// Checks a request for `url`, as far as its address is not needed.
    pub(super) fn check(&self, url: &str, is_own: bool) -> Result<(), Box<Diagnostic>> {
        let Some(target) = target(url) else {
            let message = "a page is not at a valid URL";
            return Err(Box::new(Diagnostic::new(Code::ToolFailed, message)));
        };
        let named = is_named(&self.hosts, &target);
        let place = place(&target);
        let denied = |message: String| Err(denied(message, &place));
        if !named && (!is_own || self.is_host_rendered) {
            return denied(format!("`{place}` is not one of the hosts of this tool"));
        }
        if let Some(address) = address(&canonical_host(&target.host))
            && !permits(&self.hosts, &target, address)
        {
            return denied(format!("`{place}` is not a public address"));
        }
        if !named && !target.is_https {
            return denied(format!("`{place}` would be reached without TLS"));
        }
        Ok(())
    }

    /// Checks the URL of the token of OAuth.
    pub(super) fn check_token_url(&self, url: &str) -> Result<(), Box<Diagnostic>> {
        let Some(target) = target(url) else {
            let diagnostic = Diagnostic::new(Code::InvalidConfig, "`token_url` is not a valid URL");
            return Err(Box::new(
                diagnostic.hint("write it as in `https://a.example/token`"),
            ));
        };
        if target.is_https || is_named(&self.hosts, &target) {
            return Ok(());
        }
        let place = place(&target);
        Err(denied(
            format!("`{place}` would be reached without TLS"),
            &place,
        ))
    }

    /// Explains a connection that was not made because of its address.
    pub(super) fn explain(failed: Failed, url: &str) -> Failed {
        match (failed, target(url)) {
            (Failed::Client(error), Some(target)) => match error.reason {
                Reason::Forbidden(_) => Failed::Other(denied(error.to_string(), &place(&target))),
                _ => Failed::Client(error),
            },
            (failed, _) => failed,
        }
    }
}

fn target(url: &str) -> Option<Target> {
    let target = Target::new(&url.parse().ok()?).ok()?;
    target.authorization.is_none().then_some(target)
}

fn is_named(hosts: &[HostRule], target: &Target) -> bool {
    let host = canonical_host(&target.host);
    hosts.iter().any(|rule| rule.matches(&host, target.port))
}

/// Returns true if `target` may be at this address: it is public, or the host has an entry of its
/// own, which is the address itself for one of the link.
pub(super) fn permits(hosts: &[HostRule], target: &Target, found: IpAddr) -> bool {
    let host = canonical_host(&target.host);
    let mut exact = hosts.iter().filter(|rule| !rule.is_wildcard());
    let is_literal = address(&host) == Some(found.to_canonical());
    is_public(found)
        || exact.any(|rule| rule.matches(&host, target.port))
            && (!is_link_local(found) || is_literal)
}

/// Returns the host with its port, unless that is the one of a scheme, as `hosts` writes it.
fn place(target: &Target) -> String {
    let host = canonical_host(&target.host);
    let host = if host.contains(':') {
        format!("[{host}]")
    } else {
        host
    };
    match target.port {
        80 | 443 => host,
        port => format!("{host}:{port}"),
    }
}

fn denied(message: String, place: &str) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(Code::Denied, message);
    let hint = format!("if the tool may reach it, its author writes `hosts: [\"{place}\"]`");
    Box::new(diagnostic.hint(hint))
}
