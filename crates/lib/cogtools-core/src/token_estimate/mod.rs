//! How many tokens a text costs, estimated without a tokenizer, whose tables are larger than
//! our programs.
//!
//! The text is split into words, numbers, symbols and space nearly as the tokenizer o200k splits
//! it; a piece has a price, in hundredths of a token, that depends on its script and length. The
//! prices were fitted to texts whose true counts are recorded in the tests, and are rather too
//! high than too low: a budget must hold.

mod script;

use script::Accents;

/// The price of one token.
const TOKEN: usize = 100;
/// Digits in one token.
const DIGITS: usize = 3;
/// A symbol before a letter, which often shares its token.
const PREFIX: usize = 50;
/// A symbol alone, which often shares the token of a space or a line break.
const SYMBOL: usize = 95;
/// Each further symbol of a run of more than two.
const MORE_SYMBOLS: usize = 35;
/// A line break after a symbol, which often ends the symbol's token.
const BREAK: usize = 60;

/// The letters from which a run of short words in `camelCase` is none, and what each costs.
const MIN_RANDOM: usize = 12;
const RANDOM: usize = 66;

/// What a character belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Space,
    Symbol,
}

/// The number of tokens that `text` costs, approximately.
pub fn estimate_tokens(text: &str) -> usize {
    let chars: Vec<char> = text.chars().collect();
    let accents = script::accents(&chars);
    let mut total = 0;
    let mut before = Class::Symbol;
    let mut rest = chars.as_slice();
    while let Some(first) = rest.first() {
        let class = class(*first);
        let run = rest.iter().position(|c| self::class(*c) != class);
        let (run, after) = rest.split_at(run.unwrap_or(rest.len()));
        let next = after.first().map(|c| self::class(*c));
        total += match class {
            Class::Digit => run.len().div_ceil(DIGITS) * TOKEN,
            Class::Space => space(run, before, next),
            Class::Letter => words(run, accents),
            Class::Symbol => symbols(run, is_word(after)),
        };
        before = class;
        rest = after;
    }
    total.div_ceil(TOKEN)
}

fn class(c: char) -> Class {
    match c {
        '0'..='9' => Class::Digit,
        'a'..='z' | 'A'..='Z' => Class::Letter,
        _ if c.is_whitespace() => Class::Space,
        _ if c.is_ascii() => Class::Symbol,
        _ if c.is_numeric() => Class::Digit,
        _ if c.is_alphabetic() || script::has_marks(c) => Class::Letter,
        _ => Class::Symbol,
    }
}

/// One space belongs to the word after it.
fn space(run: &[char], before: Class, next: Option<Class>) -> usize {
    let line_break = run.iter().rposition(|c| matches!(c, '\n' | '\r'));
    match line_break {
        Some(at) => {
            let is_shared = before == Class::Symbol;
            let line = if is_shared { BREAK } else { TOKEN };
            let indentation = run.len() - at - 1;
            line + if indentation > 1 { TOKEN } else { 0 }
        }
        None if run.len() > 1 || next == Some(Class::Digit) => TOKEN,
        None => 0,
    }
}

/// Whether `rest` begins with more than a single letter.
fn is_word(rest: &[char]) -> bool {
    let letters = rest.iter().take(2);
    letters.filter(|c| class(**c) == Class::Letter).count() == 2
}

fn symbols(run: &[char], before_word: bool) -> usize {
    let ascii = run.iter().filter(|c| c.is_ascii()).count();
    let ascii = match ascii {
        0 => 0,
        1 if before_word && !run.contains(&'\\') => PREFIX,
        1 => SYMBOL,
        more => TOKEN + (more - 2) * MORE_SYMBOLS,
    };
    let others = run.iter().filter(|c| !c.is_ascii());
    ascii + others.map(|c| script::symbol_price(*c)).sum::<usize>()
}

/// The price of letters, split where `camelCase` has its capitals.
fn words(run: &[char], accents: Accents) -> usize {
    let mut rest = run;
    let (mut total, mut count) = (0, 0);
    while !rest.is_empty() {
        let (word, after) = rest.split_at(word_len(rest));
        total += script::word_price(word, accents);
        count += 1;
        rest = after;
    }
    // Base64 and the like have no words.
    let is_random = run.len() >= MIN_RANDOM && count * 4 > run.len();
    if is_random {
        total.max(run.len() * RANDOM)
    } else {
        total
    }
}

/// The length of the first word of `letters`: `get|User`, `XML|Http`.
fn word_len(letters: &[char]) -> usize {
    let boundary = letters.windows(2).enumerate().find_map(|(at, pair)| {
        if pair[0].is_lowercase() && pair[1].is_uppercase() {
            return Some(at + 1);
        }
        let is_acronym = at > 0 && letters[at - 1].is_uppercase() && pair[0].is_uppercase();
        (is_acronym && pair[1].is_lowercase()).then_some(at)
    });
    boundary.unwrap_or(letters.len())
}
