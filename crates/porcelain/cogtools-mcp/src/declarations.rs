//! Declarations of tools, as clients see them, and their cache: a list loads only files that have
//! changed since the last one, and tools that their providers declare anew. A call always loads
//! its file.
//!
//! Parsed schemas of a thousand tools would be most of the server's memory, so a declaration is
//! stored as text.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use cogtools_core::tool::ToolError;
use cogtools_core::{Candidate, Cost, Diagnostic, Target, Tool, fail_on, load_all};
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
    File(FileStamp),
    /// A declaration, and the name that the tool has here.
    Declaration(Arc<Value>, OsString),
}

impl Stamp {
    fn of(candidate: &Candidate, now: SystemTime) -> Option<Self> {
        match candidate.remote() {
            Some(tool) => Some(Self::Declaration(
                Arc::clone(&tool.value),
                candidate.name.clone(),
            )),
            None => FileStamp::if_settled(&candidate.path, now).map(Self::File),
        }
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
        self.get_or_load_at(SystemTime::now(), files, options)
    }

    fn get_or_load_at(
        &self,
        now: SystemTime,
        files: &[Candidate],
        options: PublishOptions,
    ) -> Vec<LoadResult> {
        // Before the lock: this needs no other thread's result.
        let stamps: Vec<Option<Stamp>> = files.iter().map(|file| Stamp::of(file, now)).collect();
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
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

/// Longer than the step of any file system's clock; FAT's is two seconds.
const MTIME_GRANULARITY: Duration = Duration::from_secs(3);

/// The metadata of a file that identifies its content.
///
/// A modification time is not enough: file systems count in milliseconds, some in
/// seconds, and within one such step a file can change and keep its size. So only
/// a settled file has a stamp: one that last changed longer ago than any step (git
/// calls the others racily clean).
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileStamp {
    size: u64,
    modified: SystemTime,
    id: FileId,
}

impl FileStamp {
    /// Returns the stamp of the file at `path`, links followed, if it is settled at `now`.
    /// It must be taken before the file is read.
    fn if_settled(path: &Path, now: SystemTime) -> Option<Self> {
        let stamp = Self::of(&path.metadata().ok()?)?;
        stamp.is_settled(now).then_some(stamp)
    }

    fn of(meta: &Metadata) -> Option<Self> {
        Some(Self {
            size: meta.len(),
            modified: meta.modified().ok()?,
            id: FileId::new(meta)?,
        })
    }

    fn is_settled(&self, now: SystemTime) -> bool {
        let age = now.duration_since(self.id.changed_at(self.modified));
        age.is_ok_and(|age| age > MTIME_GRANULARITY)
    }
}

/// The identity of a file, and its change time, which programs cannot set, unlike the
/// modification time.
#[cfg(unix)]
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileId {
    device: u64,
    inode: u64,
    changed_at: Duration,
}

#[cfg(unix)]
impl FileId {
    fn new(meta: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;

        let seconds = u64::try_from(meta.ctime()).ok()?;
        Some(Self {
            device: meta.dev(),
            inode: meta.ino(),
            changed_at: Duration::new(seconds, u32::try_from(meta.ctime_nsec()).ok()?),
        })
    }

    fn changed_at(&self, _modified: SystemTime) -> SystemTime {
        SystemTime::UNIX_EPOCH + self.changed_at
    }
}

/// The identity of a file, as far as the system can tell.
#[cfg(not(unix))]
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileId {
    created: SystemTime,
}

#[cfg(not(unix))]
impl FileId {
    fn new(meta: &Metadata) -> Option<Self> {
        let created = meta.created().ok()?;
        Some(Self { created })
    }

    fn changed_at(&self, modified: SystemTime) -> SystemTime {
        modified.max(self.created)
    }
}

#[cfg(test)]
mod tests {
    use cogtools_core::file::ReadScope;
    use cogtools_test_support::Project;

    use super::*;

    /// Longer than the step of the clock of the file systems that tests run on.
    const MOMENT: Duration = Duration::from_millis(50);

    /// The descriptions of the tools in the files `names` at a time.
    fn descriptions(
        cache: &DeclarationCache,
        project: &Project,
        names: &[&str],
        now: SystemTime,
    ) -> Vec<Option<String>> {
        let files = names.iter().map(|name| {
            let path = project.path(name);
            Candidate::file(path.clone(), path, ReadScope::User)
        });
        cache
            .get_or_load_at(now, &files.collect::<Vec<_>>(), PublishOptions::default())
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
        let check = |now: SystemTime, expected: [Option<&str>; 3]| {
            let found = descriptions(&cache, &project, &names, now);
            assert_eq!(found, expected.map(|text| text.map(str::to_owned)));
        };
        write(&project, "a", "one");
        write(&project, "b", "one");
        write(&project, "c", "one");
        check(SystemTime::now(), [Some("one"); 3]);
        // As soon as possible, and of the same size.
        write(&project, "b", "two");
        let two = [Some("one"), Some("two"), Some("one")];
        check(SystemTime::now(), two);
        let settled = SystemTime::now() + MTIME_GRANULARITY + MOMENT;
        check(settled, two);
        let cached = || {
            let entries = cache.entries.lock().expect("no thread has panicked");
            let mut cached: Vec<_> = entries
                .iter()
                .map(|(path, entry)| (path.clone(), Arc::as_ptr(&entry.tool)))
                .collect();
            cached.sort_unstable();
            cached
        };
        let first = cached();
        assert_eq!(first.len(), 3);
        check(settled, two);
        assert_eq!(cached(), first, "a settled file was loaded again");
        std::thread::sleep(MOMENT * 2);
        // At this time the first write is settled, and the second is not.
        let between = SystemTime::now() + MTIME_GRANULARITY - MOMENT;
        write(&project, "a", "six");
        project.file("c.yaml", "name: [");
        check(between, [Some("six"), Some("two"), None]);
        assert_eq!(cached(), first[1..2], "a changed file is cached");
        std::fs::remove_file(project.path("b.yaml")).expect("it exists");
        check(between, [Some("six"), None, None]);
        assert_eq!(cached(), []);
    }

    #[test]
    fn a_tool_with_parts_in_other_files_is_loaded_each_time() {
        let (project, cache) = (Project::new(), DeclarationCache::default());
        project.file("p.shared.yaml", "p: string\n").file(
            "a.yaml",
            "name: a\ndescription: d\nparameters: {p: {$ref: './p.shared.yaml#/p'}}\nimplementation: x\n",
        );
        let settled = SystemTime::now() + MTIME_GRANULARITY + MOMENT;
        let found = descriptions(&cache, &project, &["a.yaml"], settled);
        assert_eq!(found, [Some("d".to_owned())]);
        let entries = cache.entries.lock().expect("no thread has panicked");
        assert!(entries.is_empty());
    }

    #[test]
    fn a_file_that_has_just_changed_has_no_stamp() {
        let project = Project::new();
        project.file("a", "1");
        let now = SystemTime::now();
        assert_eq!(FileStamp::if_settled(&project.path("a"), now), None);
        assert_eq!(FileStamp::if_settled(&project.path("b"), now), None);
    }

    /// A file whose modification time was set back looks old, but is not.
    #[cfg(unix)]
    #[test]
    fn only_a_settled_file_has_a_stamp() {
        let project = Project::new();
        project.file("a", "1");
        let path = project.path("a");
        let back = SystemTime::UNIX_EPOCH + Duration::from_hours(24);
        let set_back = || {
            let file = std::fs::File::options()
                .write(true)
                .open(&path)
                .expect("it exists");
            file.set_modified(back).expect("it is writable");
        };
        let settled = || SystemTime::now() + MTIME_GRANULARITY + MOMENT;
        set_back();
        assert_eq!(FileStamp::if_settled(&path, SystemTime::now()), None);
        let first = FileStamp::if_settled(&path, settled());
        assert!(first.is_some());
        assert_eq!(FileStamp::if_settled(&path, settled()), first);
        std::thread::sleep(MOMENT);
        project.file("a", "2");
        set_back();
        assert_eq!(FileStamp::if_settled(&path, SystemTime::now()), None);
        let second = FileStamp::if_settled(&path, settled());
        assert!(second.is_some() && second != first, "{second:?}");
    }
}
