//! Estimates of the tokens that a text costs, without a tokenizer, whose tables are larger than our
//! programs.
//!
//! The text is split into words, numbers, symbols and space nearly as the tokenizer o200k splits
//! it; a piece has a price, in hundredths of a token, that depends on its script and length. The
//! prices were fitted to texts whose true counts are recorded in the tests, and are rather too
//! high than too low: a budget must hold.

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

/// A letter outside the alphabets of most texts of its script: Polish, Vietnamese, Ukrainian.
const UNUSUAL_LATIN: usize = 90;
const VIETNAMESE: usize = 30;
const UNUSUAL_CYRILLIC: usize = 70;
/// A letter with the breathings and accents of ancient Greek.
const ANCIENT_GREEK: usize = 130;
/// A mark for a vowel, which Hebrew and Arabic mostly leave out.
const HEBREW_VOWEL: usize = 90;
const ARABIC_VOWEL: usize = 65;
/// The letters of a word in ASCII beyond which it is hardly a word.
const MAX_WORD: usize = 18;
/// Each letter beyond them.
const NO_WORD: usize = 38;

/// The accents of a text's Latin letters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Accents {
    /// Hardly any: English, or code.
    Few,
    /// The accents of French and its neighbours.
    Common,
    /// Letters that few languages have: Czech, Hungarian, Icelandic.
    Own,
}

/// The price of a word, in hundredths of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Price {
    word: usize,
    /// Each letter beyond the included ones.
    letter: usize,
    included: usize,
}

/// A script: its range, the price of its words, and true if it writes vowels as marks, which are
/// parts of words.
struct Script(char, char, Price, bool);

const fn price(word: usize, letter: usize, included: usize) -> Price {
    Price {
        word,
        letter,
        included,
    }
}

const ASCII: Price = price(100, 16, 5);
const LATIN: Price = price(125, 22, 3);
/// A word with accents in a language with letters of its own.
const OWN_LATIN: Price = price(125, 32, 3);
/// A word without accents in a language that has many.
const ACCENTED: Price = price(100, 26, 3);
/// A word without accents in a language with letters of its own, of which tokenizers know fewer
/// words.
const RARE_LANGUAGE: Price = price(100, 42, 3);
const GREEK: Price = price(130, 32, 2);
const ARABIC: Price = price(115, 35, 3);
const BURMESE: Price = price(0, 62, 0);
const HAN: Price = price(0, 98, 0);
const HANGUL: Price = price(0, 92, 0);
/// A character of any other script.
const OTHER: Price = price(0, 150, 0);

/// The scripts beyond ASCII and Latin.
const SCRIPTS: [Script; 25] = [
    Script('\u{370}', '\u{3ff}', GREEK, false),
    Script('\u{400}', '\u{52f}', price(115, 31, 3), false),
    // Armenian and Hebrew, then Georgian.
    Script('\u{530}', '\u{58f}', price(120, 40, 2), false),
    Script('\u{590}', '\u{5ff}', price(120, 40, 2), true),
    Script('\u{10a0}', '\u{10ff}', price(120, 40, 2), false),
    Script('\u{600}', '\u{6ff}', ARABIC, true),
    Script('\u{750}', '\u{77f}', ARABIC, true),
    // Devanagari and Bengali, then the other scripts of India, and Sinhala.
    Script('\u{900}', '\u{9ff}', price(125, 50, 3), true),
    Script('\u{a00}', '\u{dff}', price(120, 47, 3), true),
    // Thai, Lao.
    Script('\u{e00}', '\u{e7f}', price(100, 45, 2), true),
    Script('\u{e80}', '\u{eff}', price(0, 175, 0), true),
    // Burmese and Khmer.
    Script('\u{1000}', '\u{109f}', BURMESE, true),
    Script('\u{1780}', '\u{17ff}', BURMESE, true),
    Script('\u{1100}', '\u{11ff}', HANGUL, false),
    // Ethiopic.
    Script('\u{1200}', '\u{139f}', price(0, 215, 0), false),
    Script('\u{1f00}', '\u{1fff}', GREEK, false),
    Script('\u{3005}', '\u{3007}', HAN, false),
    // Kana.
    Script('\u{3040}', '\u{30ff}', price(0, 78, 0), false),
    Script('\u{3130}', '\u{318f}', HANGUL, false),
    Script('\u{3400}', '\u{9fff}', HAN, false),
    Script('\u{ac00}', '\u{d7af}', HANGUL, false),
    Script('\u{f900}', '\u{faff}', HAN, false),
    // Characters beyond the basic plane.
    Script('\u{10000}', '\u{10ffff}', price(0, 300, 0), false),
    Script('\u{300}', '\u{36f}', LATIN, true),
    Script('\0', '\x7f', ASCII, false),
];

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
    let accents = accents(&chars);
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
            Class::Letter => words(run, accents),
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
        _ if c.is_alphabetic() || script(c).is_some_and(|script| script.3) => Class::Letter,
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
fn words(run: &[char], accents: Accents) -> usize {
    let mut rest = run;
    let (mut total, mut count) = (0, 0);
    while !rest.is_empty() {
        let (word, after) = rest.split_at(word_len(rest));
        total += word_price(word, accents);
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

/// Returns the accents of a text with these characters.
fn accents(chars: &[char]) -> Accents {
    const PLAIN_PER_ACCENT: usize = 50;
    const PLAIN_PER_OWN: usize = 150;
    let count = |is: fn(char) -> bool| chars.iter().filter(|c| is(**c)).count();
    let plain = count(|c| c.is_ascii_alphabetic());
    if count(is_latin) * PLAIN_PER_ACCENT <= plain {
        Accents::Few
    } else if count(is_own) * PLAIN_PER_OWN > plain {
        Accents::Own
    } else {
        Accents::Common
    }
}

/// Returns true if few languages have the letter.
const fn is_own(c: char) -> bool {
    matches!(c, '\u{100}'..='\u{151}' | '\u{154}'..='\u{19f}' | 'ð' | 'þ' | 'Ð' | 'Þ')
}

/// Returns true if `c` is a Latin letter with an accent, or an accent.
const fn is_latin(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{300}'..='\u{36f}')
}

/// Finds the script of `c`.
fn script(c: char) -> Option<&'static Script> {
    let mut scripts = SCRIPTS.iter();
    scripts.find(|Script(first, last, ..)| (*first..=*last).contains(&c))
}

/// Returns the price of a `word`, in a text with these `accents`.
fn word_price(word: &[char], accents: Accents) -> usize {
    let unusual: usize = word.iter().map(|c| unusual(*c)).sum();
    if word.iter().all(|c| c.is_ascii() || is_latin(*c)) {
        let price = match (accents, word.iter().any(|c| is_latin(*c))) {
            (Accents::Own, true) => OWN_LATIN,
            (_, true) => LATIN,
            (Accents::Own, false) => RARE_LANGUAGE,
            (Accents::Common, false) => ACCENTED,
            (Accents::Few, false) => ASCII,
        };
        let no_word = word.len().saturating_sub(MAX_WORD) * NO_WORD;
        return price.of(word.len()) + no_word + unusual;
    }
    let price = |c: char| match script(c) {
        Some(script) => script.2,
        None if is_latin(c) => LATIN,
        None => OTHER,
    };
    let parts = word.chunk_by(|one, other| price(*one) == price(*other));
    let parts = parts.map(|part| price(part[0]).of(part.len()));
    parts.sum::<usize>() + unusual
}

impl Price {
    const fn of(&self, letters: usize) -> usize {
        self.word + self.letter * letters.saturating_sub(self.included)
    }
}

const fn unusual(c: char) -> usize {
    match c {
        '\u{100}'..='\u{24f}' | '\u{300}'..='\u{36f}' => UNUSUAL_LATIN,
        '\u{1e00}'..='\u{1eff}' => VIETNAMESE,
        '\u{1f00}'..='\u{1fff}' => ANCIENT_GREEK,
        '\u{591}'..='\u{5c7}' => HEBREW_VOWEL,
        '\u{64b}'..='\u{65f}' | '\u{670}' => ARABIC_VOWEL,
        // Gurmukhi and Sinhala.
        '\u{a00}'..='\u{a7f}' | '\u{d80}'..='\u{dff}' => 30,
        'а'..='я' | 'А'..='Я' | 'ё' | 'Ё' => 0,
        '\u{400}'..='\u{52f}' => UNUSUAL_CYRILLIC,
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
