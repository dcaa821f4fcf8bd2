//! The productions of `grammar.txt`.

use std::collections::HashMap;

/// The productions of one kind.
#[derive(Default)]
pub(super) struct Kind {
    /// Expressions without parts.
    pub(super) leaves: Vec<String>,
    /// Expressions with parts.
    pub(super) branches: Vec<String>,
}

/// All kinds by their letters.
pub(super) struct Grammar(HashMap<char, Kind>);

impl Grammar {
    pub(super) fn read() -> Self {
        let mut kinds: HashMap<char, Kind> = HashMap::new();
        let mut current = (' ', false);
        for line in include_str!("grammar.txt").lines() {
            if line.is_empty() || line.starts_with("# ") || line == "#" {
                continue;
            }
            if line == "--" {
                current.1 = true;
            } else if let Some(letter) = line.strip_prefix('[').filter(|_| is_heading(line)) {
                current = (letter.chars().next().expect("a letter"), false);
            } else {
                let kind = kinds.entry(current.0).or_default();
                let production = line.replace('⏎', "\n").replace("<U+2028>", "\u{2028}");
                let (letter, is_branch) = current;
                assert!(letter != ' ', "a production without a kind: {line}");
                if is_branch {
                    kind.branches.push(production);
                } else {
                    kind.leaves.push(production);
                }
            }
        }
        Self(kinds)
    }

    /// The kind of a letter.
    pub(super) fn kind(&self, letter: char) -> &Kind {
        self.0
            .get(&letter)
            .unwrap_or_else(|| panic!("%{letter} is no kind"))
    }
}

/// `[n] numbers`.
fn is_heading(line: &str) -> bool {
    line.chars().nth(2) == Some(']') && line.chars().nth(3) == Some(' ')
}
