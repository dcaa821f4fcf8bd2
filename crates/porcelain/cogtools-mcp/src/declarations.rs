//! Declarations of tools, as clients see them, and their cache: a list parses only files that have
//! changed since the last one, and tools that their providers declare anew. A call always loads
//! its file.
//!
//! Parsed schemas of a thousand tools would be most of the server's memory, so a declaration is
//! stored as text.

use std::collections::HashMap;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;
use std::sync::Arc;

use cogtools_core::digest::{self, Hash};
use cogtools_core::text::{self, Text};
use cogtools_core::tool::ToolError;
use cogtools_core::{Candidate, Cost, Diagnostic, Target, Tool, fail_on, load_all};
use parking_lot::Mutex;
use rmcp::model;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::prompt;

/// A tool that clients can list.
#[derive(Debug)]
pub(crate) struct PublishedTool {
    /// The declaration in the format of MCP.
    json: Box<RawValue>,
    /// True if the tool is a prompt, too.
    is_prompt: bool,
    /// The size of its declaration, if it was counted.
    cost: Option<Cost>,
    /// True if parts of it are in other files, which have no stamp.
    has_shared_parts: bool,
    /// The source and the URI of the app that shows its results, if it has one.
    app: Option<(String, String)>,
}

/// The keys of an app's URI in `_meta` of a tool: of MCP Apps, and of its first drafts.
const APP: [&str; 2] = ["/_meta/ui/resourceUri", "/_meta/ui~1resourceUri"];

/// Options of the published declarations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PublishOptions {
    /// True if their tokens are counted.
    pub(crate) count_tokens: bool,
    /// The API that the client passes them to, if it is known.
    pub(crate) api: Option<Target>,
}

impl PublishedTool {
    /// Publishes `tool`, unless the client's API rejects it.
    pub(crate) fn new(tool: &Tool, options: PublishOptions) -> Result<Self, Vec<Diagnostic>> {
        Self::with_description(tool, "", options)
    }

    /// Publishes `tool` with `end` at the end of its description.
    pub(crate) fn with_description(
        tool: &Tool,
        end: &str,
        options: PublishOptions,
    ) -> Result<Self, Vec<Diagnostic>> {
        let rejections = tool.mcp_rejections(options.api);
        fail_on(rejections)?;
        let declaration = tool.to_mcp(options.api);
        let json = if end.is_empty() {
            to_raw_value(&declaration)
        } else {
            serde_json::to_value(&declaration).and_then(|mut declaration| {
                if let Some(Value::String(description)) = declaration.get_mut("description") {
                    description.push_str(end);
                }
                to_raw_value(&declaration)
            })
        };
        // A declaration that cannot be encoded would be a bug.
        let json = json.map_err(|_| ToolError::Bug(tool.file().to_path_buf()).diagnostics())?;
        let app = app(json.get()).map(|uri| (tool.provenance.source.clone(), uri));
        Ok(Self {
            json,
            is_prompt: prompt::is_prompt(tool),
            cost: options.count_tokens.then(|| tool.cost()),
            has_shared_parts: !tool.shared.is_empty(),
            app,
        })
    }

    /// Returns the tool with the URI that its app has here, if that is another one.
    pub(crate) fn with_app(&self, renamed: &Renamed) -> Option<Self> {
        let uri = renamed.get(self.app.as_ref()?)?;
        let mut declaration: Value = serde_json::from_str(self.json.get()).ok()?;
        for pointer in APP {
            if let Some(own) = declaration.pointer_mut(pointer) {
                *own = uri.as_str().into();
            }
        }
        Some(Self {
            json: to_raw_value(&declaration).ok()?,
            app: None,
            ..*self
        })
    }

    /// Returns the cost of its declaration; none if it was not counted.
    pub(crate) fn cost(&self) -> Cost {
        self.cost.unwrap_or_default()
    }

    /// Returns the declaration as text.
    pub(crate) const fn json(&self) -> &RawValue {
        &self.json
    }

    /// Returns its name.
    pub(crate) fn name(&self) -> String {
        #[derive(serde::Deserialize)]
        struct Named {
            name: String,
        }
        let named = serde_json::from_str::<Named>(self.json.get());
        named.map(|named| named.name).unwrap_or_default()
    }

    /// Returns the declaration in the protocol's own type.
    pub(crate) fn tool(&self) -> Option<model::Tool> {
        serde_json::from_str(self.json.get()).ok()
    }

    /// Returns the prompt for this tool, if it is one.
    pub(crate) fn prompt(&self) -> Option<model::Prompt> {
        let tool = self.is_prompt.then(|| self.tool())??;
        Some(prompt::from_tool(tool))
    }

    /// Returns a hash of all that clients can see of the tool.
    pub(crate) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.json.get(), self.is_prompt).hash(&mut hasher);
        hasher.finish()
    }
}

/// The URIs of resources that have other ones here, by their source and their own URI.
pub(crate) type Renamed = HashMap<(String, String), String>;

/// Returns the URI of the app in a declaration.
fn app(declaration: &str) -> Option<String> {
    // Few tools have one, and a declaration can be long.
    let declaration = declaration.contains("resourceUri").then_some(declaration)?;
    let declaration: Value = serde_json::from_str(declaration).ok()?;
    let mut uris = APP
        .iter()
        .filter_map(|it| declaration.pointer(it)?.as_str());
    uris.next().map(str::to_owned)
}

/// The tool in a file, or the errors of the file.
pub(crate) type LoadResult = Result<Arc<PublishedTool>, Vec<Diagnostic>>;

/// Publishes a tool that was loaded from its file.
pub(crate) fn publish(loaded: Result<Tool, ToolError>, options: PublishOptions) -> LoadResult {
    PublishedTool::new(&loaded.map_err(ToolError::diagnostics)?, options).map(Arc::new)
}

/// The tools of the last list.
#[derive(Debug, Default)]
pub(crate) struct DeclarationCache {
    /// By the path, which no two tools have in common: a provider's is not one of a file.
    entries: Mutex<HashMap<PathBuf, CacheEntry>>,
}

#[derive(Debug)]
struct CacheEntry {
    stamp: Stamp,
    api: Option<Target>,
    tool: Arc<PublishedTool>,
}

/// The origin of a loaded tool.
#[derive(Clone, Debug)]
enum Stamp {
    /// The content of a file.
    File(Hash),
    /// A declaration, and the name that the tool has here.
    Declaration(Arc<Value>, OsString),
}

impl Stamp {
    fn of(candidate: &Candidate) -> Option<Self> {
        if let Some(tool) = candidate.remote() {
            let name = candidate.name.clone();
            return Some(Self::Declaration(Arc::clone(&tool.value), name));
        }
        let (path, display_path) = (&candidate.path, &candidate.display_path);
        let content = text::bytes(path, display_path, Text::MAX_BYTES, &candidate.scope);
        content.ok().map(|it| Self::File(digest::bytes(&it)))
    }

    /// Returns true if the tool is the same. A declaration is kept in memory as long as it is.
    fn is_current(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(one), Self::File(other)) => one == other,
            (Self::Declaration(one, name), Self::Declaration(other, other_name)) => {
                Arc::ptr_eq(one, other) && name == other_name
            }
            (Self::File(_), Self::Declaration(..)) | (Self::Declaration(..), Self::File(_)) => {
                false
            }
        }
    }
}

/// Returns the path that identifies a tool.
fn path(candidate: &Candidate) -> &PathBuf {
    match candidate.remote() {
        Some(_) => &candidate.display_path,
        None => &candidate.path,
    }
}

impl DeclarationCache {
    /// Returns the tools in `files`, in the same order, with their token counts if asked for.
    /// Concurrent calls wait for the first, and then find everything cached.
    pub(crate) fn get_or_load(
        &self,
        files: &[Candidate],
        options: PublishOptions,
    ) -> Vec<LoadResult> {
        // Before the lock: this needs no other thread's result.
        let stamps: Vec<Option<Stamp>> = files.iter().map(Stamp::of).collect();
        let mut entries = self.entries.lock();
        let previous = std::mem::take(&mut *entries);
        let cached: Vec<Option<Arc<PublishedTool>>> = files
            .iter()
            .zip(&stamps)
            .map(|(file, stamp)| {
                let entry = previous.get(path(file))?;
                let is_complete = !options.count_tokens || entry.tool.cost.is_some();
                let is_current = stamp
                    .as_ref()
                    .is_some_and(|now| entry.stamp.is_current(now) && entry.api == options.api);
                (is_complete && is_current).then(|| Arc::clone(&entry.tool))
            })
            .collect();
        let changed: Vec<Candidate> = files
            .iter()
            .zip(&cached)
            .filter(|(_, tool)| tool.is_none())
            .map(|(file, _)| file.clone())
            .collect();
        let mut loaded = load_all(&changed, |_, loaded| publish(loaded, options)).into_iter();
        let results: Vec<LoadResult> = cached
            .into_iter()
            .filter_map(|tool| tool.map(Ok).or_else(|| loaded.next()))
            .collect();
        *entries = files
            .iter()
            .zip(stamps)
            .zip(&results)
            .filter_map(|((file, stamp), result)| {
                // Invalid files are loaded again each time.
                let (stamp, tool) = (stamp?, Arc::clone(result.as_ref().ok()?));
                (!tool.has_shared_parts).then_some(())?;
                let api = options.api;
                Some((path(file).clone(), CacheEntry { stamp, api, tool }))
            })
            .collect();
        results
    }
}

#[cfg(test)]
mod tests {
    use cogtools_core::file::ReadScope;
    use cogtools_test_support::Project;

    use super::*;

    /// The descriptions of the tools in the files `names`.
    fn descriptions(
        cache: &DeclarationCache,
        project: &Project,
        names: &[&str],
    ) -> Vec<Option<String>> {
        let files = names.iter().map(|name| {
            let path = project.path(name);
            Candidate::file(path.clone(), path, ReadScope::User)
        });
        cache
            .get_or_load(&files.collect::<Vec<_>>(), PublishOptions::default())
            .into_iter()
            .map(|result| Some(result.ok()?.tool()?.description?.into_owned()))
            .collect()
    }

    fn write(project: &Project, name: &str, description: &str) {
        let text = format!("name: {name}\ndescription: {description}\nimplementation: c\n");
        project.file(format!("{name}.yaml"), text);
    }

    #[test]
    fn changed_files_are_loaded_and_others_are_cached() {
        let (project, cache) = (Project::new(), DeclarationCache::default());
        let names = ["a.yaml", "b.yaml", "c.yaml"];
        let check = |expected: [Option<&str>; 3]| {
            let found = descriptions(&cache, &project, &names);
            assert_eq!(found, expected.map(|text| text.map(str::to_owned)));
        };
        write(&project, "a", "one");
        write(&project, "b", "one");
        write(&project, "c", "one");
        let cached = || {
            let entries = cache.entries.lock();
            let mut cached: Vec<_> = entries
                .iter()
                .map(|(path, entry)| (path.clone(), Arc::as_ptr(&entry.tool)))
                .collect();
            cached.sort_unstable();
            cached
        };
        check([Some("one"); 3]);
        let first = cached();
        assert_eq!(first.len(), 3);
        // As soon as possible, and of the same size.
        write(&project, "b", "two");
        let two = [Some("one"), Some("two"), Some("one")];
        check(two);
        let second = cached();
        assert_eq!([&second[0], &second[2]], [&first[0], &first[2]]);
        check(two);
        assert_eq!(cached(), second, "a file that is the same was loaded again");
        project.file("c.yaml", "name: [");
        check([Some("one"), Some("two"), None]);
        assert_eq!(cached(), second[..2], "an invalid file is cached");
        std::fs::remove_file(project.path("b.yaml")).expect("it exists");
        check([Some("one"), None, None]);
        assert_eq!(cached(), second[..1]);
    }

    #[test]
    fn a_tool_with_parts_in_other_files_is_loaded_each_time() {
        let (project, cache) = (Project::new(), DeclarationCache::default());
        project.file("p.shared.yaml", "p: string\n").file(
            "a.yaml",
            "name: a\ndescription: d\nparameters: {p: {$ref: './p.shared.yaml#/p'}}\nimplementation: x\n",
        );
        let found = descriptions(&cache, &project, &["a.yaml"]);
        assert_eq!(found, [Some("d".to_owned())]);
        let entries = cache.entries.lock();
        assert!(entries.is_empty());
    }
}
