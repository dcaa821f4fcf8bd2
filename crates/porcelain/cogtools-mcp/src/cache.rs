//! The cache of declarations. A list loads only files that have changed since the
//! last one, and tools that their providers declare anew; a call always loads its file.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use cogtools_core::{Candidate, Diagnostic, load_all};
use serde_json::Value;

use crate::fingerprint::FileStamp;
use crate::published_tool::{PublishOptions, PublishedTool};

/// The tools of the last list.
#[derive(Debug, Default)]
pub(crate) struct DeclarationCache {
    /// By the path, which no two tools have in common: a provider's is not one of a file.
    entries: Mutex<HashMap<PathBuf, CacheEntry>>,
}

#[derive(Debug)]
struct CacheEntry {
    stamp: Stamp,
    tool: Arc<PublishedTool>,
}

/// What a tool was loaded from.
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
                Arc::clone(tool.shared_value()),
                candidate.name.clone(),
            )),
            None => FileStamp::if_settled(&candidate.path, now).map(Self::File),
        }
    }

    /// Whether the tool is the same. A declaration is kept in memory as long as it is.
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

/// What identifies a tool.
fn path(candidate: &Candidate) -> &PathBuf {
    match candidate.remote() {
        Some(_) => &candidate.display_path,
        None => &candidate.path,
    }
}

/// The tool in a file, or the file's errors.
pub(crate) type LoadResult = Result<Arc<PublishedTool>, Vec<Diagnostic>>;

impl DeclarationCache {
    /// The tools in `files`, in the same order, with their token counts if asked for.
    /// Concurrent calls wait for the first, and then find everything cached.
    pub(crate) fn get_or_load(
        &self,
        files: Vec<Candidate>,
        options: PublishOptions,
    ) -> Vec<LoadResult> {
        self.get_or_load_at(SystemTime::now(), files, options)
    }

    fn get_or_load_at(
        &self,
        now: SystemTime,
        files: Vec<Candidate>,
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
                let is_complete = !options.count_tokens || entry.tool.has_token_count();
                let is_current = stamp
                    .as_ref()
                    .is_some_and(|now| entry.stamp.is_current(now));
                (is_complete && is_current).then(|| Arc::clone(&entry.tool))
            })
            .collect();
        let changed: Vec<Candidate> = files
            .iter()
            .zip(&cached)
            .filter(|(_, tool)| tool.is_none())
            .map(|(file, _)| file.clone())
            .collect();
        let mut loaded = load_all(&changed, |_, loaded| {
            PublishedTool::from_loaded(loaded, options).map(Arc::new)
        })
        .into_iter();
        let results: Vec<LoadResult> = cached
            .into_iter()
            .filter_map(|tool| tool.map(Ok).or_else(|| loaded.next()))
            .collect();
        *entries = files
            .into_iter()
            .zip(stamps)
            .zip(&results)
            .filter_map(|((file, stamp), result)| {
                // Invalid files are loaded again each time.
                let (stamp, tool) = (stamp?, Arc::clone(result.as_ref().ok()?));
                Some((path(&file).clone(), CacheEntry { stamp, tool }))
            })
            .collect();
        results
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cogtools_core::file::ReadScope;
    use cogtools_test_support::Project;

    use super::*;
    use crate::fingerprint::MTIME_GRANULARITY;

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
            .get_or_load_at(now, files.collect(), PublishOptions::default())
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
}
