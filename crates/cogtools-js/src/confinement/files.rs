//! No files, no TCP, no signals to other processes: Landlock with no rights at all.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetError, Scope,
};

/// Denies this process everything that the kernel's Landlock knows. A kernel without it denies
/// the same by the filter of system calls.
pub(super) fn deny() -> Result<(), String> {
    restrict().map_err(|error| error.to_string())
}

fn restrict() -> Result<(), RulesetError> {
    let newest = ABI::V6;
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(newest))?
        .handle_access(AccessNet::from_all(newest))?
        .scope(Scope::from_all(newest))?
        .create()?
        .restrict_self()
        .map(drop)
}
