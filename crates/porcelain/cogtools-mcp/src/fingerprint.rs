//! Whether a file is still the one that was read.
//!
//! A modification time is not enough: file systems count in milliseconds, some in
//! seconds, and within one such step a file can change and keep its size. So only
//! a settled file has a stamp: one that last changed longer ago than any step (git
//! calls the others racily clean).

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Longer than the step of any file system's clock; FAT's is two seconds.
pub(crate) const MTIME_GRANULARITY: Duration = Duration::from_secs(3);

/// The file's metadata, which identifies its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    size: u64,
    modified: SystemTime,
    id: FileId,
}

impl FileStamp {
    /// The stamp of the file at `path`, links followed, if it is settled at `now`.
    /// It must be taken before the file is read.
    pub(crate) fn if_settled(path: &Path, now: SystemTime) -> Option<Self> {
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

/// Which file it is, and its change time, which programs cannot set, unlike the
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

/// Which file it is, as far as the system can tell.
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
    use cogtools_test_support::Project;

    use super::*;

    /// Longer than the step of the clock of the file systems that tests run on.
    const MOMENT: Duration = Duration::from_millis(50);

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
