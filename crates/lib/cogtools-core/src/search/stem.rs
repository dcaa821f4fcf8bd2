//! The stem of an English word: what its forms have in common.
//!
//! Cruder than a linguist's: it only has to give the same stem for `deploys`, `deployed` and
//! `deployment`. Words of other scripts are their own stems.

/// Endings of nouns of verbs, and what the verb has instead.
const NOUNS: [(&str, &str); 6] = [
    ("ization", "ize"),
    ("isation", "ize"),
    ("ations", "ate"),
    ("ation", "ate"),
    ("ments", "ment"),
    ("ically", "ic"),
];
/// Endings of verbs.
const VERBS: [&str; 2] = ["ing", "ed"];
/// Endings that are left out if at least four letters stay.
const SUFFIXES: [&str; 5] = ["ment", "er", "or", "ion", "ly"];

/// The stem of `word`, which is in lower case.
pub(super) fn stem(word: &str) -> String {
    if word.len() <= 3 || !word.is_ascii() {
        return word.to_owned();
    }
    let mut word = word.to_owned();
    let noun = NOUNS.iter().find_map(|(ending, verb)| {
        let base = word.strip_suffix(ending)?;
        (base.len() >= 3).then(|| format!("{base}{verb}"))
    });
    word = singular(noun.unwrap_or(word));
    let verb = VERBS.iter().find_map(|ending| {
        let base = word.strip_suffix(ending)?;
        (base.len() >= 3 && base.contains(['a', 'e', 'i', 'o', 'u', 'y'])).then(|| undouble(base))
    });
    word = verb.unwrap_or(word);
    let base = SUFFIXES.iter().find_map(|ending| {
        let base = word.strip_suffix(ending)?;
        (base.len() >= 4).then(|| base.to_owned())
    });
    word = base.unwrap_or(word);
    if word.len() > 3 && word.ends_with('e') {
        word.pop();
    }
    if word.len() > 3 && word.ends_with('y') {
        word.pop();
        word.push('i');
    }
    word
}

fn singular(mut word: String) -> String {
    let is_hissing = ["sses", "ches", "shes", "xes"];
    if is_hissing.iter().any(|ending| word.ends_with(ending)) {
        word.truncate(word.len() - 2);
    } else if word.len() > 4 && word.ends_with("ies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|it| word.ends_with(it)) {
        word.pop();
    }
    word
}

/// `stopp` without its second `p`.
fn undouble(base: &str) -> String {
    let mut letters = base.chars().rev();
    let (last, before) = (letters.next(), letters.next());
    let is_double = base.len() > 3 && last == before && !matches!(last, Some('l' | 's' | 'z'));
    base[..base.len() - usize::from(is_double)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &[
                "deploy",
                "deploys",
                "deployed",
                "deploying",
                "deployment",
                "deployments",
            ][..],
            &["directory", "directories"],
            &["stop", "stopped", "stops"],
            &["create", "creates", "created", "creating", "creation"],
            &["search", "searches", "searching"],
            &["page", "pages"],
            &["translation", "translate"],
            &["fetch", "fetches", "fetched"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|one| *one == stems[0]), "{stems:?}");
        }
        for (word, expected) in [
            ("京都", "京都"),
            ("größe", "größe"),
            ("git", "git"),
            ("status", "status"),
        ] {
            assert_eq!(stem(word), expected);
        }
    }
}
