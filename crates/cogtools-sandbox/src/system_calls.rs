//! Filters of system calls: seccomp.

use std::collections::BTreeMap;

pub use seccompiler::{
    BackendError, SeccompAction as Action, SeccompCmpArgLen, SeccompCmpOp as Operation,
    SeccompCondition as Condition, SeccompRule as Rule,
};
use seccompiler::{BpfProgram, SeccompFilter, TargetArch};

/// What a filter says about each call, by its number: one of the rules matches it. A call with
/// no rules is matched whatever its arguments are.
pub type Rules = BTreeMap<i64, Vec<Rule>>;

/// Why a filter cannot be installed.
#[derive(Debug)]
pub struct FilterError(seccompiler::Error);

/// The error that a refused call fails with.
pub const REFUSED: i32 = libc::EACCES;

/// Filters the calls of this thread from now on: `matched` for those that `rules` match, `other`
/// for all others. The strictest action of all filters counts.
pub fn filter(rules: Rules, matched: Action, other: Action) -> Result<(), FilterError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(seccompiler::Error::from);
    let filter = SeccompFilter::new(rules, other, matched, arch?)
        .and_then(BpfProgram::try_from)
        .map_err(seccompiler::Error::from);
    Ok(seccompiler::apply_filter(&filter?)?)
}

/// The argument at `index`, as a number of 32 bits, compares to `value` as `operation` says.
pub fn condition(index: u8, operation: Operation, value: u64) -> Result<Condition, FilterError> {
    let condition = Condition::new(index, SeccompCmpArgLen::Dword, operation, value);
    Ok(condition.map_err(seccompiler::Error::from)?)
}

/// All of `conditions` hold.
pub fn rule(conditions: Vec<Condition>) -> Result<Rule, FilterError> {
    Ok(Rule::new(conditions).map_err(seccompiler::Error::from)?)
}

/// Refuses the calls that `rules` match.
pub fn refuse(rules: Rules) -> Result<(), FilterError> {
    let error = Action::Errno(REFUSED.unsigned_abs());
    filter(rules, error, Action::Allow)
}

impl From<seccompiler::Error> for FilterError {
    fn from(error: seccompiler::Error) -> Self {
        Self(error)
    }
}

impl std::fmt::Display for FilterError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
