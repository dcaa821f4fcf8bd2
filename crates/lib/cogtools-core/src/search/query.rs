//! A request as the search sees it: its words, and the values in it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::stem::stem;
use super::tokens::tokens;
use super::value::Value;

/// How much of a request is read; in bytes.
const MAX_BYTES: usize = 2_000;
/// How many words of it are used.
const MAX_WORDS: usize = 48;
/// Marks around a word that are not a part of it.
const MARKS: &str = "'\"`“”‘’«»„.,;?()[]{}<>…";
/// Marks that can follow a quotation.
const ENDS: &str = ".,:;!?)]";

/// A word of a request.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) stem: String,
    /// Whether it says nothing about what a tool does.
    pub(super) is_stop: bool,
    /// Whether it is quoted, or a part of a value.
    pub(super) is_quoted: bool,
    /// Whether it is written like a name inside a sentence.
    pub(super) is_name: bool,
}

/// A request.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) words: Vec<Word>,
    pub(super) values: Vec<Value>,
}

impl Query {
    /// Reads the beginning of `text`; the rest of a very long one is left out.
    pub(super) fn parse(text: &str) -> Self {
        let (text, _) = text.split_at(text.floor_char_boundary(MAX_BYTES));
        let mut query = Self::default();
        let mut rest = text.trim_start();
        let mut closing: Option<char> = None;
        while !rest.is_empty() {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let piece = &rest[..end];
            let opened = match closing {
                None => quotation(rest.trim_start_matches(['(', '['])),
                Some(_) => None,
            };
            closing = closing.or(opened);
            query.read(piece, closing.is_some());
            let is_closed = |mark: char| {
                let piece = piece.trim_end_matches(|last| ENDS.contains(last));
                let from = opened.map_or(0, |_| piece.find(mark).map_or(0, |at| at + 1));
                piece.get(from..).is_some_and(|piece| piece.ends_with(mark))
            };
            closing = closing.filter(|mark| !is_closed(*mark));
            rest = rest[end..].trim_start();
        }
        query.take_literally();
        query
    }

    /// The words outside quotations.
    pub(super) fn said(&self) -> Vec<&Word> {
        let words = self.words.iter();
        words.filter(|word| !word.is_quoted).collect()
    }

    /// Their stems.
    pub(super) fn stems(&self) -> Vec<&str> {
        let words = self.said().into_iter();
        words.map(|word| word.stem.as_str()).collect()
    }

    /// Reads one piece of the request.
    fn read(&mut self, piece: &str, is_quoted: bool) {
        let bare = piece.trim_matches(|mark| mark != '.' && MARKS.contains(mark));
        let bare = bare.trim_end_matches(|mark| mark == '!' || MARKS.contains(mark));
        let is_colon_part = bare.starts_with(':');
        let bare = if is_colon_part {
            bare
        } else {
            bare.trim_end_matches(':')
        };
        let is_first = self.words.is_empty() && self.values.is_empty();
        let is_name = !is_first && bare.starts_with(char::is_uppercase);
        if let Some(value) = Value::parse(bare) {
            for word in &value.words {
                self.push(word, value.is_quotation || is_quoted, false);
            }
            self.values.push(value);
        } else {
            for token in tokens(piece) {
                self.push(&token, is_quoted, is_name);
            }
        }
    }

    fn push(&mut self, token: &str, is_quoted: bool, is_name: bool) {
        if self.words.len() < MAX_WORDS {
            self.words.push(Word {
                stem: stem(token),
                is_stop: is_stop_word(token),
                is_quoted,
                is_name,
            });
        }
    }

    /// Takes a request that is one quotation, or of stop words only, for what it says.
    fn take_literally(&mut self) {
        let is_quotation = self.words.iter().all(|word| word.is_quoted);
        let is_empty = self.words.iter().all(|word| word.is_stop);
        for word in &mut self.words {
            word.is_quoted &= !is_quotation;
            word.is_stop &= !is_empty;
        }
    }
}

/// The mark that ends the quotation at the beginning of `text`, if it is one.
fn quotation(text: &str) -> Option<char> {
    let mut letters = text.char_indices();
    let mark = match letters.next()?.1 {
        mark @ ('\'' | '"' | '`') => mark,
        '“' => '”',
        '‘' => '’',
        '„' => '“',
        '«' => '»',
        _ => return None,
    };
    let ends = |(at, letter): (usize, char)| {
        let after = text[at + letter.len_utf8()..].chars().next();
        letter == mark && after.is_none_or(|after| !after.is_alphanumeric())
    };
    letters.any(ends).then_some(mark)
}

/// Words that say nothing about what a tool does.
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

/// Whether `word` says nothing about what a tool does.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stems outside quotations without stop words, those inside, and the number of values.
    #[track_caller]
    fn check(text: &str, said: &str, quoted: &str, values: usize) {
        let query = Query::parse(text);
        let stems = |is_quoted: bool| {
            let words = query.words.iter();
            let words = words.filter(|word| word.is_quoted == is_quoted && !word.is_stop);
            let stems: Vec<&str> = words.map(|word| word.stem.as_str()).collect();
            stems.join(" ")
        };
        assert_eq!(
            (stems(false).as_str(), stems(true).as_str()),
            (said, quoted)
        );
        assert_eq!(query.values.len(), values, "{:?}", query.values);
    }

    #[test]
    fn quotations_and_values_are_not_what_is_asked() {
        check("scale web to 5 replicas", "scal web replica", "5", 1);
        check(
            "close 'No way, it broke' in acme/web",
            "clos",
            "way brok acm web",
            1,
        );
        check(
            "find “old things”, then (\"new\") ones",
            "find one",
            "old new",
            0,
        );
        check(
            "don't merge Anna's branch, it's broken",
            "merg anna branch broken",
            "",
            0,
        );
        check("show /var/log/app.log", "show log", "", 1);
        check("'deploy the site'", "deploi sit", "", 0);
        check("what is it", "what is it", "", 0);
        check("an 'open quotation", "open quotat", "", 0);
        check("", "", "", 0);
    }

    #[test]
    fn a_long_request_is_cut() {
        let query = Query::parse(&"ä1é deploy ".repeat(100_000));
        assert_eq!(query.words.len(), MAX_WORDS);
        let query = Query::parse(&"é".repeat(1_000_001));
        assert_eq!(query.words[0].stem.len(), MAX_BYTES);
    }
}
