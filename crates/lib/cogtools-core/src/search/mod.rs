//! A search for tools, for a model that does not know their names.

mod rank;
mod words;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::json;

pub use self::rank::ToolIndex;
use crate::{Name, Tool};

/// Prints the first `limit` of the `tools` that match `query`, best first, as a JSON object with
/// one match per line and a hint for the model on what to do next.
pub(crate) fn search(query: &str, tools: &[Tool], limit: usize) -> String {
    let ranked = ToolIndex::new(tools).rank(query);
    let matches = ranked.iter().filter_map(|index| tools.get(*index));
    let lines: Vec<String> = matches.take(limit).map(line).collect();
    let more = ranked.len().saturating_sub(limit);
    let list = if lines.is_empty() {
        "[]".to_owned()
    } else {
        format!("[\n{}\n]", lines.join(",\n"))
    };
    let hint = if lines.is_empty() {
        let all = tools.len();
        format!("none of {all} tools fits; try other words, or an empty query to list all")
    } else if more > 0 {
        format!("{more} more match; use a higher limit or a more specific query")
    } else {
        format!("call one with {}", Name::CALL)
    };
    let (query, hint) = (json!(query), json!(hint));
    format!("{{\"query\": {query}, \"tools\": {list}, \"hint\": {hint}}}\n")
}

fn line(tool: &Tool) -> String {
    let declaration = json!({
        "name": tool.name().as_str(),
        "description": &tool.description,
        "parameters": tool.schema.to_json_schema(),
    });
    declaration.to_string()
}

/// The maximum size of a request; the rest is not read.
const MAX_BYTES: usize = 2_000;
/// The number of words of it that are used.
const MAX_WORDS: usize = 48;
/// Marks around a word that are not a part of it.
const MARKS: &str = "'\"`“”‘’«»„.:,;?!()[]{}<>…";
/// Marks after which a capital is no name.
const SENTENCE_ENDS: [char; 4] = ['.', ':', '!', '?'];
/// Marks inside values, such as the address of a page or the number of an issue.
const VALUE_MARKS: &str = "@#/\\:";

/// A word of a request.
#[derive(Debug)]
struct Word {
    stem: String,
    /// True if it says nothing about the purpose of a tool.
    is_stop: bool,
    /// True if it is a part of a value, which is more probably an argument.
    is_value: bool,
    /// True if it is written as a part of a name: with a capital within a sentence.
    is_name: bool,
    /// Stems of the names of parameters for the value.
    parameters: &'static [&'static str],
}

/// Reads the beginning of the request `text`; the rest of a very long one is left out.
fn parse(text: &str) -> Vec<Word> {
    let (text, _) = text.split_at(text.floor_char_boundary(MAX_BYTES));
    let mut begins = true;
    let pieces = text.split_whitespace().flat_map(|piece| {
        let is_name = !std::mem::replace(&mut begins, piece.ends_with(SENTENCE_ENDS))
            && is_capitalized(piece);
        let bare = piece.trim_matches(|mark| MARKS.contains(mark));
        let is_value =
            is_file(bare) || bare.contains(|c: char| c.is_ascii_digit() || VALUE_MARKS.contains(c));
        let words = tokens(piece).into_iter();
        words.map(move |token| Word {
            stem: stem(&token),
            is_stop: is_stop_word(&token),
            is_value,
            is_name,
            parameters: parameters(bare),
        })
    });
    let mut words: Vec<Word> = pieces.take(MAX_WORDS).collect();
    // A request of nothing but values or stop words is meant as it is.
    let is_value = words.iter().all(|word| word.is_value);
    let is_stop = words.iter().all(|word| word.is_stop);
    for word in &mut words {
        word.is_value &= !is_value;
        word.is_stop &= !is_stop;
    }
    words
}

/// Returns true if `piece` is written with a capital and small letters, as names are.
fn is_capitalized(piece: &str) -> bool {
    let mut letters = piece
        .trim_start_matches(|mark| MARKS.contains(mark))
        .chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase)
}

/// Returns true if `value` is the name of a file with an ending, such as `notes.txt`.
fn is_file(value: &str) -> bool {
    let is_ending = |ending: &str| (1..=5).contains(&ending.len()) && ending.is_ascii();
    let parts = value.rsplit_once('.');
    parts.is_some_and(|(name, ending)| {
        let is_letter = |c: char| c.is_ascii_alphabetic();
        name.contains(is_letter) && is_ending(ending) && ending.contains(is_letter)
    })
}

/// Returns true if `value` is a time of day, such as `9am` or `15:30`.
fn is_time(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    let half = ["am", "pm"]
        .iter()
        .find_map(|half| value.strip_suffix(half));
    let (hours, minutes) = half.unwrap_or(&value).split_once(':').unzip();
    let is_number = |text: &str| (1..=2).contains(&text.len()) && text.parse::<u8>().is_ok();
    let hours = hours.or(half);
    hours.is_some_and(is_number) && minutes.is_none_or(is_number)
}

/// Returns the stems of the names of parameters for a value, which is recognized by its form.
fn parameters(value: &str) -> &'static [&'static str] {
    match value.split_once('@') {
        _ if value.contains("://") => &["url", "link", "pag"],
        Some(("", _)) => &["user", "usernam"],
        Some((_, host)) if host.contains('.') => &["email", "mail", "user", "recipi"],
        _ if is_file(value) => &["path", "file", "filepath"],
        _ if is_time(value) => &["tim", "hour"],
        _ if value.starts_with('/') => &["path", "file", "directori", "fold"],
        _ => match value.strip_prefix('#') {
            Some(rest) if rest.bytes().all(|byte| byte.is_ascii_digit()) => &["issu", "numb"],
            Some(_) => &["channel"],
            None => &[],
        },
    }
}

/// Words that say nothing about the purpose of a tool.
static STOP_WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let words = "\
        a about absolutely all already also am an and any anybody anyone anything are as at away be because been \
        before being both but by can could d did do does doing don done e else etc even every \
        everything exactly for from g given go going got had has have he her hers him his how i \
        if in into is isn it its itself just keep let like ll m may me might more most much must \
        my need no not now of off on one only or our ours out over own please quite re really \
        right s said same say says she should shouldn so some somebody someone something such sure t take taken \
        takes than that the their them then there these they thing things this those through to \
        today tomorrow tonight too up upon us use used using ve very via want was we were what when where whether which \
        while who whom whose why will with without won would yes yesterday yet you your yours";
    words.split_whitespace().collect()
});

/// Returns true if `word` says nothing about the purpose of a tool.
fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// Forms of irregular verbs.
const IRREGULAR: [(&str, &str); 18] = [
    ("began", "begin"),
    ("broke", "break"),
    ("built", "build"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("drew", "draw"),
    ("found", "find"),
    ("hidden", "hide"),
    ("kept", "keep"),
    ("left", "leave"),
    ("made", "make"),
    ("ran", "run"),
    ("sent", "send"),
    ("shown", "show"),
    ("spoke", "speak"),
    ("told", "tell"),
    ("wrote", "write"),
    ("written", "write"),
];
/// Endings of nouns of verbs, and the ending of the verb.
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

/// Returns the stem of the English `word`, which is in lower case.
///
/// It is cruder than a linguist's: it only has to be the same for `deploys`, `deployed` and
/// `deployment`. Words of other scripts are their own stems.
fn stem(word: &str) -> String {
    let irregular = IRREGULAR.iter().find(|(form, _)| *form == word);
    let word = irregular.map_or(word, |(_, word)| *word);
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

/// Removes the second `p` of `stopp`.
fn undouble(base: &str) -> String {
    let mut letters = base.chars().rev();
    let (last, before) = (letters.next(), letters.next());
    let is_double = base.len() > 3 && last == before && !matches!(last, Some('l' | 's' | 'z'));
    base[..base.len() - usize::from(is_double)].to_owned()
}

/// Returns the tokens of `text`: runs of letters and digits in lower case, split where `camelCase`
/// has its parts. A word with a capital first is one, such as `GitHub`.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    each_token(text, false, |token| tokens.push(token.to_owned()));
    tokens
}

/// Calls `add` with each token of `text`, which is a name or prose.
fn each_token(text: &str, is_name: bool, mut add: impl FnMut(&str)) {
    let mut token = String::new();
    for word in text.split(|letter: char| !letter.is_alphanumeric()) {
        let splits = is_name || word.starts_with(char::is_lowercase);
        let mut before = '\0';
        let mut letters = word.chars().peekable();
        while let Some(letter) = letters.next() {
            let begins = before.is_lowercase()
                || before.is_uppercase() && letters.peek().is_some_and(|next| next.is_lowercase());
            if splits && begins && letter.is_uppercase() {
                add(&token);
                token.clear();
            }
            token.extend(letter.to_lowercase());
            before = letter;
        }
        if !token.is_empty() {
            add(&token);
            token.clear();
        }
    }
}

/// Returns how similar `token` is to the `query`'s, from 0 to 1: equal, a longer or a shorter
/// form, or one that contains it.
fn similarity(query: &str, token: &str) -> f64 {
    /// Shorter prefixes and infixes are ambiguous.
    const MIN_PREFIX_CHARS: usize = 4;
    const MIN_INFIX_CHARS: usize = 4;
    let has = |text: &str, min: usize| text.chars().count() >= min || !text.is_ascii();
    let is_prefix = |text: &str, of: &str| has(text, MIN_PREFIX_CHARS) && of.starts_with(text);
    if query == token {
        1.0
    } else if is_prefix(query, token) {
        0.7
    } else if is_prefix(token, query) || has(query, MIN_INFIX_CHARS) && token.contains(query) {
        0.4
    } else {
        0.0
    }
}

#[cfg(test)]
mod query_tests {
    use super::*;

    /// The stems outside values without stop words, and those inside.
    #[track_caller]
    fn check(text: &str, said: &str, values: &str) {
        let words = parse(text);
        let stems = |is_value: bool| {
            let words = words.iter();
            let words = words.filter(|word| word.is_value == is_value && !word.is_stop);
            let stems: Vec<&str> = words.map(|word| word.stem.as_str()).collect();
            stems.join(" ")
        };
        assert_eq!(
            (stems(false).as_str(), stems(true).as_str()),
            (said, values)
        );
    }

    #[test]
    fn values_are_not_what_is_asked() {
        check("scale web to 5 replicas", "scal web replica", "5");
        check("close it in acme/web", "clos", "acm web");
        check("show /var/log/app.log!", "show", "var log app log");
        check("list: the issues of #web.", "list issu", "web");
        check(
            "don't merge Anna's branch, it's broken",
            "merg anna branch broken",
            "",
        );
        check("read notes.txt at 9:30", "read", "not txt 9 30");
        check("acme/web#12", "acm web 12", "");
        check("what is it", "what is it", "");
        check("", "", "");
    }

    #[test]
    fn values_have_forms() {
        for (value, expected) in [
            ("9am", Some("tim")),
            ("11:30pm", Some("tim")),
            ("15:00", Some("tim")),
            ("9", None),
            ("am", None),
            ("a:b", None),
            ("notes.txt", Some("path")),
            ("1.5", None),
            ("e.g", Some("path")),
            ("ada@example.com", Some("email")),
        ] {
            assert_eq!(parameters(value).first().copied(), expected, "{value}");
        }
    }

    #[test]
    fn capitals_within_a_sentence_are_names() {
        let is_name = |text: &str| {
            let words = parse(text).into_iter();
            let names = words.filter(|word| word.is_name).map(|word| word.stem);
            names.collect::<Vec<_>>()
        };
        assert_eq!(is_name("Is it late in New York?"), ["new", "york"]);
        assert_eq!(is_name("run SQL. Then tell «Ada»"), ["ada"]);
        assert_eq!(is_name("Weather"), Vec::<String>::new());
    }

    #[test]
    fn a_long_request_is_cut() {
        assert_eq!(parse(&"ä1é deploy ".repeat(100_000)).len(), MAX_WORDS);
        assert_eq!(parse(&"é".repeat(1_000_001))[0].stem.len(), MAX_BYTES);
    }
}

#[cfg(test)]
mod text_tests {
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
            &["write", "writes", "wrote", "written"],
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

    #[test]
    fn tokens_of_names_and_sentences() {
        for (text, expected) in [
            ("", vec![]),
            ("git_commit-all", vec!["git", "commit", "all"]),
            (
                "readJSONFile, twice!",
                vec!["read", "json", "file", "twice"],
            ),
            ("git.push 2", vec!["git", "push", "2"]),
            ("GitHub's OneNote", vec!["github", "s", "onenote"]),
            ("Straße für ÄPFEL", vec!["straße", "für", "äpfel"]),
            ("天気 予報", vec!["天気", "予報"]),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn similarity_decreases_from_equal_to_unrelated() {
        for (asked, word, expected) in [
            ("commit", "commit", 1.0),
            ("comm", "commit", 0.7),
            ("commits", "commit", 0.4),
            ("mmit", "commit", 0.4),
            ("天", "天気予報", 0.7),
            ("気", "天気予報", 0.4),
            ("co", "commit", 0.0),
            ("a", "banana", 0.0),
            ("push", "commit", 0.0),
            ("the", "another", 0.0),
        ] {
            let found = similarity(asked, word);
            assert!(
                (found - expected).abs() < f64::EPSILON,
                "{asked} {word}: {found}"
            );
        }
    }
}
