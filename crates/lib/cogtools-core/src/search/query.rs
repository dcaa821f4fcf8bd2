//! A request as the search sees it: its words.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::text::{stem, tokens};

/// The maximum size of a request; the rest is not read.
const MAX_BYTES: usize = 2_000;
/// The number of words of it that are used.
const MAX_WORDS: usize = 48;
/// Marks around a word that are not a part of it.
const MARKS: &str = "'\"`“”‘’«»„.:,;?!()[]{}<>…";
/// Marks inside values, such as the address of a page or the number of an issue.
const VALUE_MARKS: &str = "@#/\\:";

/// A word of a request.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) stem: String,
    /// True if it says nothing about the purpose of a tool.
    pub(super) is_stop: bool,
    /// True if it is a part of a value, which is more probably an argument.
    pub(super) is_value: bool,
    /// Stems of the names of parameters for the value.
    pub(super) parameters: &'static [&'static str],
}

/// Reads the beginning of the request `text`; the rest of a very long one is left out.
pub(super) fn parse(text: &str) -> Vec<Word> {
    let (text, _) = text.split_at(text.floor_char_boundary(MAX_BYTES));
    let pieces = text.split_whitespace().flat_map(|piece| {
        let bare = piece.trim_matches(|mark| MARKS.contains(mark));
        let is_value = bare.contains(|c: char| c.is_ascii_digit() || VALUE_MARKS.contains(c));
        let words = tokens(piece).into_iter();
        words.map(move |token| Word {
            stem: stem(&token),
            is_stop: is_stop_word(&token),
            is_value,
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

/// Returns the stems of the names of parameters for a value, which is recognized by its form.
fn parameters(value: &str) -> &'static [&'static str] {
    match value.split_once('@') {
        _ if value.contains("://") => &["url", "link", "pag"],
        Some(("", _)) => &["user", "usernam"],
        Some((_, host)) if host.contains('.') => &["email", "mail", "user", "recipi"],
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
        a about absolutely all already also am an and any anything are as at away be because been \
        before being both but by can could d did do does doing don done e else etc even every \
        everything exactly for from g given go going got had has have he her hers him his how i \
        if in into is isn it its itself just keep let like ll m may me might more most much must \
        my need no not now of off on one only or our ours out over own please quite re really \
        right s said same say says she should shouldn so some something such sure t take taken \
        takes than that the their them then there these they thing things this those through to \
        today tomorrow tonight too up upon us use used using ve very via want was we were what when where whether which \
        while who whom whose why will with without won would yes yesterday yet you your yours";
    words.split_whitespace().collect()
});

/// Returns true if `word` says nothing about the purpose of a tool.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

#[cfg(test)]
mod tests {
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
        check("acme/web#12", "acm web 12", "");
        check("what is it", "what is it", "");
        check("", "", "");
    }

    #[test]
    fn a_long_request_is_cut() {
        assert_eq!(parse(&"ä1é deploy ".repeat(100_000)).len(), MAX_WORDS);
        assert_eq!(parse(&"é".repeat(1_000_001))[0].stem.len(), MAX_BYTES);
    }
}
