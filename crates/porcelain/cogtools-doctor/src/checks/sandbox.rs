//! The parts of a sandbox that this system enforces, and the parts that none enforces.

use cogtools_core::process::{Confinement, Gap, Namespaces, Support};
use cogtools_core::sandbox::LIMITATIONS;

use crate::context::Context;
use crate::finding::Finding;

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let confinement = Confinement::new(Some(&cx.host.programs));
    let rows = LIMITATIONS.iter();
    let rows = rows.map(|one| format!("{} ({})", one.what, one.note));
    let system = if confinement.is_active() {
        let support = confinement.support();
        Some(of_system(&support.unwrap_or_else(Support::none)))
    } else {
        cfg!(unix).then(unconfined)
    };
    let table = Finding::ok("a program in a sandbox can still").with_details(rows.collect());
    system.into_iter().chain([table]).collect()
}

/// The warning that the programs of tools run without limits.
fn unconfined() -> Finding {
    let name = Confinement::PROGRAM;
    let message =
        format!("`{name}` is not installed beside cogtools: programs of tools run without limits");
    Finding::warning(message).hint("install all programs of cogtools in one folder")
}

/// The parts that this system enforces.
fn of_system(support: &Support) -> Finding {
    let landlock = support.landlock.map_or_else(String::new, |version| {
        let namespaces = match support.namespaces {
            Namespaces::None => "no namespaces",
            Namespaces::Files => "namespaces without processes",
            Namespaces::All => "all namespaces",
        };
        format!(" (Landlock {version}, {namespaces})")
    });
    if support.gaps.is_empty() {
        return Finding::ok(format!("files{landlock} and sockets are protected"));
    }
    let gaps: Vec<&str> = support.gaps.iter().map(|gap| gap.name()).collect();
    let message = format!("sandboxes do not protect {} here", gaps.join(" and "));
    let finding = Finding::warning(message);
    if support.gaps == Gap::ALL {
        finding.hint("install all programs of cogtools in one folder, on Linux 6.2 or later")
    } else {
        finding.hint("use Linux 6.2 or later, with Landlock and seccomp")
    }
}
