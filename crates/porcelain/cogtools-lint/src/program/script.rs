//! The text of a script: the variables that it reads, the commands that it runs, the code that
//! it makes of arguments.
//!
//! Scripts are not parsed. What is found are plain forms that mean the same wherever they
//! stand; comments and quoted texts of a shell are left out.

use std::collections::BTreeMap;

use super::table::base;
use super::{env_read, made_code, shell, started};

/// The language of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Shell,
    Python,
    JavaScript,
    Ruby,
    Perl,
    Php,
    Lua,
    PowerShell,
    Awk,
    R,
    Other,
}

/// A script.
pub(crate) struct Script<'s> {
    pub(crate) language: Language,
    pub(crate) text: &'s str,
}

impl<'s> Script<'s> {
    /// The script in `text`, which begins with `#!`.
    pub(crate) fn of(text: &'s str) -> Self {
        let line = text.lines().next().unwrap_or_default();
        let words = line.trim_start_matches("#!").split_whitespace().map(base);
        let mut names = words.filter(|word| *word != "env" && !word.starts_with('-'));
        let name = names.next().unwrap_or_default();
        Self {
            language: Language::of(name),
            text,
        }
    }

    /// The variables that it reads and does not set, with the offset of the first read.
    pub(crate) fn reads(&self) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        if self.language == Language::Shell {
            shell::reads(self.text, &mut found);
        } else {
            env_read::all(self.language, self.text, &mut found);
        }
        found
    }

    /// Whether it is not known how it reads variables.
    pub(crate) fn is_unknown(&self) -> bool {
        self.language == Language::Other
    }

    /// The commands of a shell script: their words, and the offset of each.
    pub(crate) fn commands(&self) -> Vec<(usize, Vec<&'s str>)> {
        if self.language != Language::Shell {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            if line.trim_start().starts_with('#') {
                continue;
            }
            let mut offset = start;
            for part in line.split_inclusive(['|', ';', '&', '(', '`']) {
                let text = part.trim_end_matches(['|', ';', '&', '(', '`', '\n', ')']);
                let keywords = [
                    "then", "do", "else", "if", "while", "!", "{", "until", "exec", "sudo",
                ];
                let words: Vec<&str> = text
                    .split_whitespace()
                    .skip_while(|word| keywords.contains(word) || is_assignment(word))
                    .collect();
                if let Some(first) = words.first() {
                    let at = offset + text.find(first).unwrap_or(0);
                    found.push((at, words));
                }
                offset += part.len();
            }
        }
        found
    }

    /// Whether a shell script writes its output to a file.
    pub(crate) fn redirects(&self) -> bool {
        self.language == Language::Shell && shell::redirects(self.text)
    }

    /// Where it makes code of a text that it has not written itself, and how.
    pub(crate) fn made_code(&self) -> Vec<(usize, &'static str)> {
        made_code::all(self.language, self.text)
    }

    /// The commands that a script in another language than a shell's starts: their words.
    pub(crate) fn started(&self) -> Vec<Vec<&'s str>> {
        if matches!(self.language, Language::Shell | Language::Other) {
            return Vec::new();
        }
        started::all(self.text)
    }
}

impl Language {
    fn of(name: &str) -> Self {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        match stem {
            "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "ash" | "fish" => Self::Shell,
            "python" | "pypy" => Self::Python,
            "node" | "bun" | "deno" | "tsx" | "ts-node" => Self::JavaScript,
            "ruby" => Self::Ruby,
            "perl" => Self::Perl,
            "php" => Self::Php,
            "lua" | "luajit" => Self::Lua,
            "pwsh" | "powershell" => Self::PowerShell,
            "awk" | "gawk" | "mawk" | "nawk" => Self::Awk,
            "Rscript" | "R" => Self::R,
            _ => Self::Other,
        }
    }
}

pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The name at the beginning of `text`.
pub(super) fn name_at(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    &text[..end.unwrap_or(text.len())]
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}
