//! The sources of a configuration that require approval: what exactly is approved, and
//! the status of each.

use std::path::PathBuf;

use super::package::{self, ToolPackage};
use crate::digest::{self, named_paths};
use crate::source::{Folder, Package, Provider, Source};
use crate::trust::{Grant, Verdict};
use crate::{Config, Context, Diagnostic, Tool};

/// A source that requires approval.
#[derive(Clone, Debug)]
pub struct TrustableSource {
    /// The name that the user knows it by.
    pub name: String,
    /// What kind of source it is.
    pub kind: Kind,
}

/// A kind of source that requires approval.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Another program, identified by its command lines.
    Provider(Provider),
    /// A package with tools that run programs.
    Package {
        /// Its folder, with links resolved.
        root: PathBuf,
        /// The tools that run programs.
        tools: Vec<String>,
    },
}

/// Whether a source may run.
#[derive(Debug)]
pub struct ApprovalStatus {
    /// Whether all of it may run.
    pub verdict: Verdict,
    /// The error that prevented a complete answer.
    pub diagnostic: Option<Diagnostic>,
}

/// The sources of `config` that require approval, in order and without duplicates.
pub fn trustable_sources(config: &Config, cx: &Context) -> Vec<TrustableSource> {
    let mut found: Vec<TrustableSource> = Vec::new();
    for source in &config.sources {
        match source {
            Source::Folder(folder) => found.extend(TrustableSource::packages_in(folder)),
            Source::Provider(provider) if !provider.requires_approval(cx) => {}
            Source::Provider(provider) => found.push(TrustableSource {
                name: provider.settings().name.clone(),
                kind: Kind::Provider(provider.clone()),
            }),
            Source::Packages(packages) => {
                let (packages, _) = packages.packages();
                found.extend(packages.into_iter().filter_map(TrustableSource::package));
            }
        }
    }
    let mut seen: Vec<(String, bool)> = Vec::new();
    found.retain(|source| {
        let key = (source.name.clone(), source.is_provider());
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    found
}

impl TrustableSource {
    /// The package, if it has tools that run programs.
    fn package(package: Package) -> Option<Self> {
        let tools: Vec<String> = package
            .folders
            .iter()
            .flat_map(|folder| folder.list().entries)
            .filter_map(|entry| entry.load().ok())
            .filter(Tool::runs_programs)
            .map(|tool| tool.name().to_string())
            .collect();
        (!tools.is_empty()).then(|| Self {
            name: package.name,
            kind: Kind::Package {
                root: package.root,
                tools,
            },
        })
    }

    /// The packages that a folder of the project leads into.
    fn packages_in(folder: &Folder) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let entries = folder.list().entries;
        for tool in entries.iter().filter_map(|entry| entry.load().ok()) {
            let Some(ToolPackage { name, root }) = ToolPackage::of(&tool) else {
                continue;
            };
            let own = tool.name().to_string();
            let same = found.iter_mut().find(|other| other.name == name);
            if let Some(Kind::Package { tools, .. }) = same.map(|other| &mut other.kind) {
                tools.push(own);
            } else {
                let tools = vec![own];
                let kind = Kind::Package { root, tools };
                found.push(Self { name, kind });
            }
        }
        found
    }

    /// Whether it is a provider rather than a package.
    pub const fn is_provider(&self) -> bool {
        matches!(self.kind, Kind::Provider(_))
    }

    /// `provider` or `package`.
    pub const fn noun(&self) -> &'static str {
        match self.kind {
            Kind::Provider(_) => "provider",
            Kind::Package { .. } => "package",
        }
    }

    /// The source itself, with its current content.
    pub fn grant(&self, cx: &Context) -> Result<Grant, Box<Diagnostic>> {
        match &self.kind {
            Kind::Provider(provider) => provider
                .command(cx)
                .map_err(|error| Box::new(error.diagnostic())),
            Kind::Package { root, .. } => {
                let grant = package::grant(&self.name, root)
                    .map_err(|error| Box::new(error.diagnostic()))?;
                self.check_contained(cx)?;
                Ok(grant)
            }
        }
    }

    /// The tools that an approved provider currently declares, which runs its
    /// discovery. Packages are approved as a whole.
    pub fn tools(&self, cx: &Context) -> Result<Vec<Grant>, Box<Diagnostic>> {
        let Kind::Provider(provider) = &self.kind else {
            return Ok(Vec::new());
        };
        let tools = provider
            .tools(cx)
            .map_err(|error| Box::new(error.diagnostic()))?;
        Ok(tools.iter().map(|tool| provider.grant(tool, cx)).collect())
    }

    /// The source and tool under which it is recorded.
    pub fn key(&self, cx: &Context) -> (String, String) {
        match &self.kind {
            Kind::Provider(provider) => (provider.key(cx), String::new()),
            Kind::Package { root, .. } => package::key(&self.name, root),
        }
    }

    /// The files that are approved with it: for a provider those that its command lines
    /// name, as written; for a package all its files, as far as they can be listed.
    pub fn files(&self, cx: &Context) -> Vec<PathBuf> {
        let provider = match &self.kind {
            Kind::Provider(provider) => provider,
            Kind::Package { root, .. } => return digest::files(root).unwrap_or_default(),
        };
        let mut files: Vec<PathBuf> = provider
            .settings()
            .approved_parts()
            .into_iter()
            .flatten()
            .flat_map(|argument| named_paths(&cx.root, argument))
            .collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Whether it may run. The discovery of an approved provider is run, because each
    /// new or changed tool requires approval too.
    pub fn status(&self, cx: &Context) -> ApprovalStatus {
        match self.verdict(cx) {
            Ok(verdict) => ApprovalStatus {
                verdict,
                diagnostic: None,
            },
            Err((verdict, diagnostic)) => ApprovalStatus {
                verdict,
                diagnostic: Some(*diagnostic),
            },
        }
    }

    fn verdict(&self, cx: &Context) -> Result<Verdict, (Verdict, Box<Diagnostic>)> {
        let not_approved = |diagnostic| (Verdict::NotApproved, diagnostic);
        let record = cx
            .trust
            .read()
            .map_err(|error| not_approved(Box::new(error.diagnostic())))?;
        let verdict = record.verdict(&self.grant(cx).map_err(not_approved)?);
        if verdict != Verdict::Approved {
            return Ok(verdict);
        }
        let tools = self
            .tools(cx)
            .map_err(|diagnostic| (Verdict::Approved, diagnostic))?;
        let all = tools
            .iter()
            .all(|tool| record.verdict(tool) == Verdict::Approved);
        Ok(if all {
            Verdict::Approved
        } else {
            Verdict::Changed
        })
    }
}
