//! The privileges of root, most of which lead around everything else that a process gives up: with
//! some of them it reads the memory of others, raises its limits or loads code into the kernel.

use std::io;

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// What root keeps: to use files and accounts of all users, to end what it has started, and to
/// listen on ports with low numbers.
const KEPT: [CapabilitySet; 9] = [
    CapabilitySet::CHOWN,
    CapabilitySet::DAC_OVERRIDE,
    CapabilitySet::DAC_READ_SEARCH,
    CapabilitySet::FOWNER,
    CapabilitySet::FSETID,
    CapabilitySet::KILL,
    CapabilitySet::SETGID,
    CapabilitySet::SETUID,
    CapabilitySet::NET_BIND_SERVICE,
];

/// Gives up all other privileges. With `no_new_privs`, no program that is started later has them
/// either.
pub fn limit() -> io::Result<()> {
    let kept: CapabilitySet = KEPT.into_iter().collect();
    let has = capabilities(None)?;
    let sets = CapabilitySets {
        effective: has.effective & kept,
        permitted: has.permitted & kept,
        inheritable: CapabilitySet::empty(),
    };
    Ok(set_capabilities(None, sets)?)
}
