//! Shell scripts: the variables that a script sets and expands, and its commands without its texts.

use std::collections::{HashMap, HashSet, VecDeque};
use std::iter::repeat_n;
use std::ops::Range;

use super::script::Language;
use crate::linter::Expression;
use crate::program::{base, is_in, stdin_runner};

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

/// Words before the first one of a command.
const KEYWORDS: &str = "then do else if while ! { until exec sudo";

/// The words of a part of a script, from the first one of its command.
pub(super) fn command_words(part: &str) -> impl Iterator<Item = &str> {
    let words = part.split(|c: char| c.is_whitespace() || "|;&()`".contains(c));
    let is_assignment = |word: &str| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    words.skip_while(move |word| word.is_empty() || is_in(word, KEYWORDS) || is_assignment(word))
}

/// The parts of a shell script, with its offsets.
#[derive(Default)]
pub(crate) struct ShellParts {
    /// The text with blanks in place of comments, escaped characters, texts in single quotes, and
    /// here-documents with a quoted delimiter.
    pub(crate) active: String,
    /// The commands. `_` replaces texts in quotes, and blanks replace comments, here-documents, and
    /// line ends within a command or an array. Substitutions of commands stay.
    pub(crate) code: String,
    /// Here-documents in which values are expanded, and that an interpreter runs: the offset of the
    /// operator, and the text.
    pub(crate) documents: Vec<(usize, Range<usize>)>,
}

/// A here-document whose lines come next.
struct Document<'t> {
    /// The offset of its operator.
    at: usize,
    end: &'t str,
    is_quoted: bool,
    /// The interpreter that runs it.
    runner: Option<&'t str>,
}

impl ShellParts {
    /// Finds the parts of the script `text`.
    pub(crate) fn of(text: &str) -> Self {
        let lines = text.lines().map(str::trim).enumerate();
        let last: HashMap<&str, usize> = lines.map(|(index, line)| (line, index)).collect();
        let mut this = Self::default();
        let mut documents: VecDeque<Document<'_>> = VecDeque::new();
        // Quotes, `(` of a substitution, and `=` of an array.
        let mut open: Vec<char> = Vec::new();
        for (index, line) in text.split_inclusive('\n').enumerate() {
            if let Some(document) = documents.front() {
                this.add_document(document, line);
                if line.trim() == document.end {
                    documents.pop_front();
                }
                continue;
            }
            let start = this.code.len();
            let (mut is_comment, mut is_escaped, mut before) = (false, false, '\n');
            for (at, c) in line.char_indices() {
                let rest = &line[at..];
                let inner = open.last().copied();
                let is_text = matches!(inner, Some('"' | '\''));
                is_comment |= !is_text && before.is_whitespace() && c == '#';
                let is_inactive = is_comment || is_escaped || inner == Some('\'');
                let is_joined = is_escaped || inner == Some('=');
                let depth = open.len();
                match c {
                    _ if is_comment => {}
                    _ if is_escaped => is_escaped = false,
                    '\'' if inner == Some('\'') => drop(open.pop()),
                    _ if inner == Some('\'') => {}
                    '\\' => is_escaped = true,
                    '"' | '`' if inner == Some(c) => drop(open.pop()),
                    ')' if matches!(inner, Some('(' | '=')) => drop(open.pop()),
                    '\'' if inner == Some('"') => {}
                    '"' | '\'' | '`' => open.push(c),
                    '(' if before == '$' || inner == Some('(') => open.push(c),
                    '(' if before == '=' && !is_text => open.push('='),
                    '<' if before != '<' && !is_text => {
                        let document = here_document(rest);
                        let document = document.filter(|it| last.get(it.0) > Some(&index));
                        documents.extend(document.map(|(end, is_quoted)| Document {
                            at: start + at,
                            end,
                            is_quoted,
                            runner: runner(line, at),
                        }));
                    }
                    _ => {}
                }
                let is_hidden = is_inactive && c != '\n';
                push(&mut this.active, if is_hidden { ' ' } else { c }, c);
                let shown = match c {
                    _ if is_text && open.len() == depth => '_',
                    '\n' if is_joined => ' ',
                    '\\' if rest == "\\\n" => ' ',
                    c if is_comment && c != '\n' => ' ',
                    c => c,
                };
                push(&mut this.code, shown, c);
                before = c;
            }
        }
        this
    }

    /// Adds a line of a here-document.
    fn add_document(&mut self, document: &Document<'_>, line: &str) {
        let start = self.code.len();
        let line = line.replace("\\$", "  ");
        let is_end = line.trim() == document.end;
        let is_shell = document.runner.is_some_and(is_shell);
        let mut depth = 0_usize;
        for (at, c) in line.char_indices() {
            match c {
                '(' if depth > 0 || line[..at].ends_with('$') && !document.is_quoted => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            let is_code = depth > 0 || is_shell && !is_end || c == '\n';
            push(&mut self.code, if is_code { c } else { ' ' }, c);
            let is_blank = document.is_quoted && c != '\n';
            push(&mut self.active, if is_blank { ' ' } else { c }, c);
        }
        if document.is_quoted || document.runner.is_none() {
            return;
        }
        match self.documents.last_mut() {
            Some((at, text)) if *at == document.at => text.end = start,
            _ => self.documents.push((document.at, start..start)),
        }
    }
}

/// Adds `shown` in place of `c`, in as many bytes.
fn push(text: &mut String, shown: char, c: char) {
    if shown == c {
        text.push(c);
    } else {
        text.extend(repeat_n(shown, c.len_utf8()));
    }
}

/// Returns the interpreter that runs the here-document at `at` of the line.
fn runner(line: &str, at: usize) -> Option<&str> {
    let own = line[..at].rsplit(['|', ';', '&', '(', '`']).next()?;
    let is_printed = command_words(own).next() == Some("cat");
    let reader = if is_printed {
        line[at..]
            .split([';', '&', ')'])
            .next()?
            .split('|')
            .nth(1)?
    } else {
        own
    };
    stdin_runner(command_words(reader))
}

/// Returns true for a program that runs commands of a shell.
fn is_shell(program: &str) -> bool {
    base(program) == "ssh" || Language::of(&format!("#!{program}")) == Language::Shell
}

/// The delimiter of the here-document that begins at `text`. Nothing is expanded in one that is
/// quoted.
fn here_document(text: &str) -> Option<(&str, bool)> {
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
