//! The variables of shell scripts: those that a script sets, and those that it expands.

use std::collections::HashSet;

use crate::linter::Expression;
use crate::program::is_in;

/// Variables that a shell sets itself.
pub(super) const OF_SHELLS: &str = "BASHPID BASH_ARGV BASH_REMATCH BASH_SOURCE BASH_VERSION COLUMNS \
    EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME HOSTNAME HOSTTYPE IFS LINENO LINES MACHTYPE OLDPWD \
    OPTARG OPTIND OSTYPE PATH PIPESTATUS PPID PWD RANDOM REPLY SECONDS SHLVL SRANDOM UID TMPDIR";

/// The names that a shell sets: `A=`, `A[1]+=`, `${A:=1}`, `exec {A}>out`.
static ASSIGNED: Expression = Expression::new(
    r"(?<![\w$])([A-Za-z_]\w*)(?:\[[^\]\n]{0,64}\])?[:+]?=|(?<!\$)\{([A-Za-z_]\w*)\}[<>]",
);
/// The names that an arithmetic expression sets: `A = 1`, `A += 1`, `A++`.
static COMPUTED: Expression =
    Expression::new(r"(?<![\w$])([A-Za-z_]\w*)\s*(?:[-+*/%&|^]?=(?!=)|\+\+|--)");
/// Commands of shells that set the variables which they are given.
const SETTERS: &str = "read for select getopts local declare typeset mapfile readarray printf set";

/// The names of the variables that a shell script sets.
pub(crate) fn assigned(text: &str) -> HashSet<&str> {
    let mut names = HashSet::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if words.any(|word| is_in(word, SETTERS)) {
            let words = words.map(|word| word.trim_matches([';', '"', '\'']));
            names.extend(words.filter(|word| is_name(word)));
        }
        let is_arithmetic = line.contains("((") || line.contains("let ");
        for forms in [Some(&ASSIGNED), is_arithmetic.then_some(&COMPUTED)] {
            let found = forms.into_iter().flat_map(|it| it.captures_iter(line));
            names.extend(found.filter_map(|found| Some(found.get(1).or(found.get(2))?.as_str())));
        }
    }
    names
}

/// A variable, and in braces one without another value beside it.
static EXPANDED: Expression =
    Expression::new(r"\$(?:\{#*([A-Za-z_]\w*)(?!\w|:(?!\?)|[-+=?])|#*([A-Za-z_]\w*))");

/// The variables that the active text of a shell script expands, without those that have another
/// value beside them, with the offsets of their `$`.
pub(crate) fn expansions(text: &str) -> Vec<(usize, &str)> {
    let found = EXPANDED.captures_iter(text).filter_map(|found| {
        let name = found.get(1).or(found.get(2))?;
        Some((found.get(0)?.start(), name.as_str()))
    });
    found.collect()
}

/// The delimiter of the here-document that begins at `text`. Nothing is expanded in one that is
/// quoted.
pub(super) fn here_document(text: &str) -> Option<(&str, bool)> {
    let rest = text.strip_prefix("<<")?;
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    let rest = rest.trim_start_matches([' ', '\t']);
    let name = rest.trim_start_matches(['\'', '"', '\\']);
    let is_end = |c: char| c.is_whitespace() || "'\";|&()<>".contains(c);
    let end = name.split(is_end).next().filter(|end| !end.is_empty())?;
    Some((end, name.len() < rest.len()))
}

/// Returns true for a name of a variable.
pub(crate) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
