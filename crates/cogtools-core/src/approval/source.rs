//! The sources of a configuration that run only with the user's word: what
//! exactly would be allowed, and how each of them stands.

use std::path::PathBuf;

use super::package::{self, ToolPackage};
use crate::digest::{self, referenced_file};
use crate::source::{Folder, Package, Provider, Source};
use crate::trust::{Grant, Verdict};
use crate::{Config, Fault, Surroundings, Tool};

/// A source that needs the user's word.
#[derive(Clone, Debug)]
pub struct TrustableSource {
    /// The name that its user knows it by.
    pub name: String,
    /// What it is.
    pub kind: Kind,
}

/// What a source that needs the user's word is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Another program, by its command lines.
    Provider(Provider),
    /// A package, some of whose tools run programs.
    Package {
        /// Its folder, links resolved.
        root: PathBuf,
        /// The tools that do.
        tools: Vec<String>,
    },
}

/// Whether a source may run.
#[derive(Debug)]
pub struct ApprovalStatus {
    /// Whether all of it may run.
    pub verdict: Verdict,
    /// Why not even that can be told for sure.
    pub fault: Option<Fault>,
}

/// The sources of `config` that need the user's word, in its order, each once.
pub fn trustable_sources(config: &Config, around: &Surroundings) -> Vec<TrustableSource> {
    let mut found: Vec<TrustableSource> = Vec::new();
    for source in &config.sources {
        match source {
            Source::Folder(folder) => found.extend(TrustableSource::packages_in(folder)),
            Source::Provider(provider) if !provider.needs_word(around) => {}
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
    found.retain(|subject| {
        let key = (subject.name.clone(), subject.is_provider());
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    found
}

impl TrustableSource {
    /// The package, if it has tools that run programs.
    fn package(package: Package) -> Option<Self> {
        let listed = package
            .folders
            .iter()
            .flat_map(|folder| folder.list().listed);
        let tools = listed.filter_map(|listed| listed.load().ok());
        let tools = tools.filter(Tool::runs_programs);
        let tools: Vec<String> = tools.map(|tool| tool.name().to_string()).collect();
        (!tools.is_empty()).then(|| Self {
            name: package.name,
            kind: Kind::Package {
                root: package.root,
                tools,
            },
        })
    }

    /// The packages that a folder of the project leads to.
    fn packages_in(folder: &Folder) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let listed = folder.list().listed;
        let tools = listed.iter().filter_map(|listed| listed.load().ok());
        for tool in tools {
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

    /// Whether it is a provider, and not a package.
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

    /// The source itself, as it is now.
    pub fn grant(&self, around: &Surroundings) -> Result<Grant, Box<Fault>> {
        match &self.kind {
            Kind::Provider(provider) => provider
                .command(around)
                .map_err(|error| Box::new(error.fault())),
            Kind::Package { root, .. } => {
                package::grant(&self.name, root).map_err(|error| Box::new(error.fault()))
            }
        }
    }

    /// What a provider that is allowed declares, each tool as it is now; it is
    /// asked for that. A package is allowed as a whole.
    pub fn tools(&self, around: &Surroundings) -> Result<Vec<Grant>, Box<Fault>> {
        let Kind::Provider(provider) = &self.kind else {
            return Ok(Vec::new());
        };
        let tools = provider.tools(around);
        let tools = tools.map_err(|error| Box::new(error.fault()))?;
        let items = tools.iter().map(|tool| provider.grant(tool, around));
        Ok(items.collect())
    }

    /// Where the record has it: source and tool.
    pub fn key(&self, around: &Surroundings) -> (String, String) {
        match &self.kind {
            Kind::Provider(provider) => (provider.key(around), String::new()),
            Kind::Package { root, .. } => package::key(&self.name, root),
        }
    }

    /// The files that are allowed with it: those that a provider's command lines
    /// name, as they name them; all of a package, as far as they can be told.
    pub fn files(&self, around: &Surroundings) -> Vec<PathBuf> {
        let provider = match &self.kind {
            Kind::Provider(provider) => provider,
            Kind::Package { root, .. } => return digest::files(root).unwrap_or_default(),
        };
        let words = provider.settings().lines().into_iter().flatten();
        let files = words.filter(|word| referenced_file(&around.root, word).is_some());
        let mut files: Vec<PathBuf> = files.map(PathBuf::from).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Whether it may run. A provider whose command is allowed is asked for what
    /// it declares: a tool that is new or has changed needs the user's word too.
    pub fn status(&self, around: &Surroundings) -> ApprovalStatus {
        match self.verdict(around) {
            Ok(verdict) => ApprovalStatus {
                verdict,
                fault: None,
            },
            Err((verdict, fault)) => ApprovalStatus {
                verdict,
                fault: Some(*fault),
            },
        }
    }

    fn verdict(&self, around: &Surroundings) -> Result<Verdict, (Verdict, Box<Fault>)> {
        let unknown = |fault| (Verdict::NotApproved, fault);
        let record = around.trust.read();
        let record = record.map_err(|error| unknown(Box::new(error.fault())))?;
        let verdict = record.verdict(&self.grant(around).map_err(unknown)?);
        if verdict != Verdict::Allowed {
            return Ok(verdict);
        }
        let tools = self.tools(around);
        let tools = tools.map_err(|fault| (Verdict::Allowed, fault))?;
        let all = tools
            .iter()
            .all(|tool| record.verdict(tool) == Verdict::Allowed);
        Ok(if all {
            Verdict::Allowed
        } else {
            Verdict::Changed
        })
    }
}
