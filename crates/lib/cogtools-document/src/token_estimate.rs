//! Estimates of the tokens that a text costs, without a tokenizer, whose tables are larger than our
//! programs.
//!
//! The text is split into words, numbers, symbols and space nearly as the tokenizer o200k splits
//! it; a piece has a price, in hundredths of a token, that depends on its script and length. The
//! prices were fitted to texts whose true counts are recorded in the tests, and are rather too
//! high than too low: a budget must hold.

/// The letters in ASCII for each accent from which on a text is English, or code.
const PLAIN_PER_ACCENT: usize = 50;
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

/// The letters from which a run of short words in `camelCase` is none, and what each costs.
const MIN_RANDOM: usize = 12;
const RANDOM: usize = 66;

/// The letters of a word in ASCII beyond which it is hardly a word.
const MAX_WORD: usize = 18;
/// Each letter beyond them.
const NO_WORD: usize = 38;

/// The price of a word, in hundredths of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Price {
    word: usize,
    /// Each letter beyond the included ones.
    letter: usize,
    included: usize,
}

const fn price(word: usize, letter: usize, included: usize) -> Price {
    Price {
        word,
        letter,
        included,
    }
}

const ASCII: Price = price(100, 16, 5);
/// A word in a language with accents, or one that has accents itself.
const ACCENTED: Price = price(100, 33, 3);
const GREEK: Price = price(130, 32, 2);
const HAN: Price = price(0, 95, 0);

/// The scripts beyond Latin, each with its range and the price of its words.
const SCRIPTS: [(char, char, Price); 19] = [
    ('\u{370}', '\u{3ff}', GREEK),
    ('\u{400}', '\u{52f}', price(115, 31, 3)),
    // Armenian and Hebrew, then Arabic.
    ('\u{530}', '\u{5ff}', price(120, 40, 2)),
    ('\u{600}', '\u{8ff}', price(115, 35, 3)),
    // The scripts of India, and Sinhala.
    ('\u{900}', '\u{dff}', price(125, 50, 3)),
    // Thai, Lao.
    ('\u{e00}', '\u{e7f}', price(100, 45, 2)),
    ('\u{e80}', '\u{eff}', price(0, 175, 0)),
    // Burmese, Georgian, Ethiopic and Khmer.
    ('\u{1000}', '\u{109f}', price(0, 62, 0)),
    ('\u{10a0}', '\u{10ff}', price(120, 40, 2)),
    ('\u{1200}', '\u{139f}', price(0, 215, 0)),
    ('\u{1780}', '\u{17ff}', price(0, 62, 0)),
    ('\u{1f00}', '\u{1fff}', GREEK),
    // Kana, then Hangul and Han.
    ('\u{3040}', '\u{30ff}', price(0, 78, 0)),
    ('\u{1100}', '\u{11ff}', HAN),
    ('\u{3005}', '\u{3007}', HAN),
    ('\u{3130}', '\u{9fff}', HAN),
    ('\u{ac00}', '\u{d7af}', HAN),
    ('\u{f900}', '\u{faff}', HAN),
    // Characters beyond the basic plane.
    ('\u{10000}', '\u{10ffff}', price(0, 300, 0)),
];
/// A character of any other script.
const OTHER: Price = price(0, 150, 0);

/// The class of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Space,
    Symbol,
}

/// Estimates the number of tokens that `text` costs.
pub fn estimate_tokens(text: &str) -> usize {
    let chars: Vec<char> = text.chars().collect();
    let plain = chars.iter().filter(|c| c.is_ascii_alphabetic()).count();
    let accents = chars.iter().filter(|c| is_accented(**c)).count();
    let latin = if accents * PLAIN_PER_ACCENT > plain {
        ACCENTED
    } else {
        ASCII
    };
    let mut total = 0;
    let mut rest = chars.as_slice();
    while let Some(first) = rest.first() {
        let class = class(*first);
        let run = rest.iter().position(|c| self::class(*c) != class);
        let (run, after) = rest.split_at(run.unwrap_or(rest.len()));
        let next = after.first().map(|c| self::class(*c));
        total += match class {
            Class::Digit => run.len().div_ceil(DIGITS) * TOKEN,
            Class::Space => space(run, next),
            Class::Letter => words(run, latin),
            Class::Symbol => symbols(run, is_word(after)),
        };
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
        _ if c.is_alphabetic() => Class::Letter,
        // Vowels that are marks: accents, Hebrew to Lao, Burmese and Khmer.
        '\u{300}'..='\u{36f}'
        | '\u{590}'..='\u{eff}'
        | '\u{1000}'..='\u{10ff}'
        | '\u{1780}'..='\u{17ff}' => Class::Letter,
        _ => Class::Symbol,
    }
}

/// One space belongs to the word after it.
fn space(run: &[char], next: Option<Class>) -> usize {
    let line_break = run.iter().rposition(|c| matches!(c, '\n' | '\r'));
    match line_break {
        Some(at) => {
            let indentation = run.len() - at - 1;
            if indentation > 1 { 2 * TOKEN } else { TOKEN }
        }
        None if run.len() > 1 || next == Some(Class::Digit) => TOKEN,
        None => 0,
    }
}

/// Returns true if `rest` begins with more than a single letter.
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
    ascii + others.map(|c| symbol_price(*c)).sum::<usize>()
}

/// Returns the price of letters, split where `camelCase` has its capitals.
fn words(run: &[char], latin: Price) -> usize {
    let mut rest = run;
    let (mut total, mut count) = (0, 0);
    while !rest.is_empty() {
        let (word, after) = rest.split_at(word_len(rest));
        total += word_price(word, latin);
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

/// Returns the length of the first word of `letters`: `get|User`, `XML|Http`.
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

/// Returns true if `c` is a Latin letter with an accent, or an accent.
const fn is_accented(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{300}'..='\u{36f}')
}

/// Returns the price of a `word`, in a text whose plain Latin words have the price `latin`.
fn word_price(word: &[char], latin: Price) -> usize {
    let surcharges: usize = word.iter().map(|c| surcharge(*c)).sum();
    if word.iter().all(|c| c.is_ascii() || is_accented(*c)) {
        let has_accents = word.iter().any(|c| is_accented(*c));
        let price = if has_accents { ACCENTED } else { latin };
        let no_word = word.len().saturating_sub(MAX_WORD) * NO_WORD;
        return price.of(word.len()) + no_word + surcharges;
    }
    let price = |c: char| {
        let is_in = |script: &&(char, char, Price)| (script.0..=script.1).contains(&c);
        match SCRIPTS.iter().find(is_in) {
            Some((.., price)) => *price,
            None if c.is_ascii() || is_accented(c) => latin,
            None => OTHER,
        }
    };
    let parts = word.chunk_by(|one, other| price(*one) == price(*other));
    let parts = parts.map(|part| price(part[0]).of(part.len()));
    parts.sum::<usize>() + surcharges
}

impl Price {
    const fn of(&self, letters: usize) -> usize {
        self.word + self.letter * letters.saturating_sub(self.included)
    }
}

/// Returns the additional price of a letter that is rare in its script, or a mark that texts mostly
/// leave out.
const fn surcharge(c: char) -> usize {
    match c {
        'а'..='я' | 'А'..='Я' | 'ё' | 'Ё' => 0,
        '\u{100}'..='\u{24f}' | '\u{300}'..='\u{36f}' | '\u{400}'..='\u{52f}' => 70,
        // Vowels of Hebrew and Arabic.
        '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}' => 90,
        // Common accents; Gurmukhi and Sinhala.
        '\u{c0}'..='\u{ff}' | '\u{a00}'..='\u{a7f}' | '\u{d80}'..='\u{ddf}' => 20,
        // Ancient Greek, with its breathings.
        '\u{1f00}'..='\u{1fff}' => 130,
        _ => 0,
    }
}

/// Returns the price of a symbol that is not ASCII.
const fn symbol_price(c: char) -> usize {
    match c {
        // Punctuation of Latin and general use, zero-width joiners among it.
        '\u{a0}'..='\u{ff}' | '\u{2010}'..='\u{206f}' => 100,
        // Punctuation of Chinese and Japanese.
        '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}' => 80,
        // Lines of boxes, which come in runs.
        '\u{2500}'..='\u{257f}' => 60,
        // Emoji, the newer ones first.
        '\u{1fa70}'..='\u{1faff}' => 310,
        '\u{1f000}'.. => 220,
        _ => 190,
    }
}
