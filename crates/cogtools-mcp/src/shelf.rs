//! What was made of the files when they were read last. A file that has not
//! changed is not read again for a list; for a call it always is.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use cogtools_core::{Candidate, Diagnostic, load_all};

use crate::offer::Offer;
use crate::stamp::Stamp;

/// The offers of one listing, for the next.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    kept: Mutex<HashMap<PathBuf, Kept>>,
}

#[derive(Debug)]
struct Kept {
    stamp: Stamp,
    offer: Arc<Offer>,
}

/// What is to be told of a file, or what is wrong with it.
pub(crate) type Offered = Result<Arc<Offer>, Vec<Diagnostic>>;

impl Shelf {
    /// What each of `files` offers, in their order. Whoever comes while another
    /// one is at it waits, and finds all of it done. With `counted` each knows what
    /// it costs.
    pub(crate) fn offers(&self, files: Vec<Candidate>, counted: bool) -> Vec<Offered> {
        self.offers_at(SystemTime::now(), files, counted)
    }

    fn offers_at(&self, now: SystemTime, files: Vec<Candidate>, counted: bool) -> Vec<Offered> {
        // There is time for this while another one is at it.
        let stamps: Vec<Option<Stamp>> = files
            .iter()
            .map(|file| Stamp::of(&file.path, now))
            .collect();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut *kept);
        let known: Vec<Option<Arc<Offer>>> = files
            .iter()
            .zip(&stamps)
            .map(|(file, stamp)| {
                let kept = before.get(&file.path)?;
                let known = !counted || kept.offer.is_counted();
                (known && Some(&kept.stamp) == stamp.as_ref()).then(|| Arc::clone(&kept.offer))
            })
            .collect();
        let anew = files
            .iter()
            .zip(&known)
            .filter(|(_, known)| known.is_none());
        let anew: Vec<Candidate> = anew.map(|(file, _)| file.clone()).collect();
        let mut read =
            load_all(&anew, |_, loaded| Offer::of(loaded, counted).map(Arc::new)).into_iter();
        let offers = known
            .into_iter()
            .filter_map(|known| known.map(Ok).or_else(|| read.next()));
        let offers: Vec<Offered> = offers.collect();
        *kept = files
            .into_iter()
            .zip(stamps)
            .zip(&offers)
            .filter_map(|((file, stamp), offer)| {
                // What is broken is looked at again each time.
                let (stamp, offer) = (stamp?, Arc::clone(offer.as_ref().ok()?));
                Some((file.path, Kept { stamp, offer }))
            })
            .collect();
        offers
    }
}

#[cfg(test)]
mod tests {
    use cogtools_test_support::Project;

    use std::time::Duration;

    use super::*;
    use crate::stamp::TICK;

    /// Longer than the tick of the file systems that tests run on.
    const MOMENT: Duration = Duration::from_millis(50);

    /// The descriptions of what the files `names` offer at a time.
    fn descriptions(
        shelf: &Shelf,
        project: &Project,
        names: &[&str],
        now: SystemTime,
    ) -> Vec<Option<String>> {
        let files = names.iter().map(|name| {
            let path = project.path(name);
            Candidate::file(path.clone(), path)
        });
        let offers = shelf.offers_at(now, files.collect(), false).into_iter();
        let tools = offers.map(|offer| offer.ok()?.tool());
        tools
            .map(|tool| Some(tool?.description?.into_owned()))
            .collect()
    }

    fn write(project: &Project, name: &str, description: &str) {
        let text = format!("name: {name}\ndescription: {description}\nimplementation: c\n");
        project.file(format!("{name}.yaml"), text);
    }

    #[test]
    fn every_change_is_seen_and_nothing_else_is_read() {
        let (project, shelf) = (Project::new(), Shelf::default());
        let names = ["a.yaml", "b.yaml", "c.yaml"];
        let check = |now: SystemTime, expected: [Option<&str>; 3]| {
            let found = descriptions(&shelf, &project, &names, now);
            let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
            assert_eq!(found, expected);
        };
        write(&project, "a", "one");
        write(&project, "b", "one");
        write(&project, "c", "one");
        check(SystemTime::now(), [Some("one"); 3]);
        // As fast as it gets, and of the same size.
        write(&project, "b", "two");
        let two = [Some("one"), Some("two"), Some("one")];
        check(SystemTime::now(), two);
        let rested = SystemTime::now() + TICK + MOMENT;
        check(rested, two);
        let kept = || {
            let kept = shelf.kept.lock().expect("nobody has panicked");
            let mut kept: Vec<_> = kept
                .iter()
                .map(|(path, kept)| (path.clone(), Arc::as_ptr(&kept.offer)))
                .collect();
            kept.sort_unstable();
            kept
        };
        let first = kept();
        assert_eq!(first.len(), 3);
        check(rested, two);
        assert_eq!(kept(), first, "what rests is not read again");
        std::thread::sleep(MOMENT * 2);
        // By then the first writing has rested, and the second has not.
        let between = SystemTime::now() + TICK - MOMENT;
        write(&project, "a", "six");
        project.file("c.yaml", "name: [");
        check(between, [Some("six"), Some("two"), None]);
        assert_eq!(kept(), first[1..2], "what has changed is not kept");
        std::fs::remove_file(project.path("b.yaml")).expect("it is there");
        check(between, [Some("six"), None, None]);
        assert_eq!(kept(), []);
    }
}
