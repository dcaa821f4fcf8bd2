//! Whether a file is still the one that was read.
//!
//! A time alone does not tell: a clock of files ticks in milliseconds, on some
//! systems in seconds, and within a tick a file can change and keep its size. So a
//! stamp counts only when the file had rested for longer than any tick as it was
//! taken.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Longer than the tick of any file system; FAT's is two seconds.
pub(crate) const TICK: Duration = Duration::from_secs(3);

/// What the system says of a file without opening it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    size: u64,
    modified: SystemTime,
    node: Node,
}

impl Stamp {
    /// The stamp of the file at `path`, links followed, if it has rested by `now`.
    /// To be taken before the file is read.
    pub(crate) fn of(path: &Path, now: SystemTime) -> Option<Self> {
        let meta = path.metadata().ok()?;
        let stamp = Self {
            size: meta.len(),
            modified: meta.modified().ok()?,
            node: Node::of(&meta)?,
        };
        let rested = now
            .duration_since(stamp.node.changed(stamp.modified))
            .ok()?;
        (rested > TICK).then_some(stamp)
    }
}

/// Which file it is, and when anything about it was changed last. Nobody can set
/// that time, as one can set the other.
#[cfg(unix)]
#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    device: u64,
    number: u64,
    changed: Duration,
}

#[cfg(unix)]
impl Node {
    fn of(meta: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;

        let seconds = u64::try_from(meta.ctime()).ok()?;
        Some(Self {
            device: meta.dev(),
            number: meta.ino(),
            changed: Duration::new(seconds, u32::try_from(meta.ctime_nsec()).ok()?),
        })
    }

    fn changed(&self, _modified: SystemTime) -> SystemTime {
        SystemTime::UNIX_EPOCH + self.changed
    }
}

/// Which file it is, as far as the system tells.
#[cfg(not(unix))]
#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    created: SystemTime,
}

#[cfg(not(unix))]
impl Node {
    fn of(meta: &Metadata) -> Option<Self> {
        let created = meta.created().ok()?;
        Some(Self { created })
    }

    fn changed(&self, modified: SystemTime) -> SystemTime {
        modified.max(self.created)
    }
}

#[cfg(test)]
mod tests {
    use cogtools_test_support::Project;

    use super::*;

    /// Longer than the tick of the file systems that tests run on.
    const MOMENT: Duration = Duration::from_millis(50);

    #[test]
    fn a_file_that_has_just_changed_is_not_known() {
        let project = Project::new();
        project.file("a", "1");
        let now = SystemTime::now();
        assert_eq!(Stamp::of(&project.path("a"), now), None);
        assert_eq!(Stamp::of(&project.path("b"), now), None);
    }

    /// A file whose modification time was set back looks old, and is not.
    #[cfg(unix)]
    #[test]
    fn only_rest_makes_a_stamp() {
        let project = Project::new();
        project.file("a", "1");
        let path = project.path("a");
        let back = SystemTime::UNIX_EPOCH + Duration::from_hours(24);
        let set_back = || {
            let file = std::fs::File::options().write(true).open(&path);
            let file = file.expect("it is there");
            file.set_modified(back).expect("it is ours");
        };
        let rested = || SystemTime::now() + TICK + MOMENT;
        set_back();
        assert_eq!(Stamp::of(&path, SystemTime::now()), None);
        let first = Stamp::of(&path, rested());
        assert!(first.is_some());
        assert_eq!(Stamp::of(&path, rested()), first);
        std::thread::sleep(MOMENT);
        project.file("a", "2");
        set_back();
        assert_eq!(Stamp::of(&path, SystemTime::now()), None);
        let second = Stamp::of(&path, rested());
        assert!(second.is_some() && second != first, "{second:?}");
    }
}
