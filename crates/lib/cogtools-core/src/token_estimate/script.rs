//! Scripts, and what their letters and symbols cost.

/// A script, or several that cost the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// Letters without accents.
    Ascii,
    /// Latin letters with accents.
    Latin,
    Greek,
    Cyrillic,
    /// Armenian and Georgian.
    Caucasian,
    Hebrew,
    Arabic,
    /// Devanagari and Bengali.
    Indic,
    /// The other scripts of India, and Sinhala.
    Southern,
    Thai,
    Lao,
    /// Burmese and Khmer.
    Burmese,
    Ethiopic,
    Kana,
    Han,
    Hangul,
    /// Characters beyond the basic plane.
    Rare,
    Other,
}

/// The accents of a text's Latin letters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Accents {
    /// Hardly any: English, or code.
    Few,
    /// Those of French and its neighbours.
    Common,
    /// Letters that few languages have: Czech, Hungarian, Icelandic.
    Own,
}

impl Accents {
    /// The price of a word with accents.
    const fn price(self) -> Price {
        match self {
            Self::Own => price(125, 32, 3),
            Self::Common | Self::Few => price_of(Script::Latin),
        }
    }
}

/// The accents of a text with these characters.
pub(super) fn accents(chars: &[char]) -> Accents {
    const PLAIN_PER_ACCENT: usize = 50;
    const PLAIN_PER_OWN: usize = 150;
    let count = |is: fn(char) -> bool| chars.iter().filter(|c| is(**c)).count();
    let plain = count(|c| c.is_ascii_alphabetic());
    if count(|c| of(c) == Script::Latin) * PLAIN_PER_ACCENT <= plain {
        Accents::Few
    } else if count(is_own) * PLAIN_PER_OWN > plain {
        Accents::Own
    } else {
        Accents::Common
    }
}

/// Whether few languages have the letter.
const fn is_own(c: char) -> bool {
    matches!(c, '\u{100}'..='\u{151}' | '\u{154}'..='\u{19f}' | 'ð' | 'þ' | 'Ð' | 'Þ')
}

/// What a word costs, in hundredths of a token.
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

/// A word in capitals.
const CAPITALS: Price = price(100, 28, 3);
/// A word without accents in a language that has many.
const ACCENTED: Price = price(100, 26, 3);
/// The same in a language with letters of its own, of which tokenizers know fewer words.
const RARE_LANGUAGE: Price = price(100, 42, 3);
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

pub(super) const fn of(c: char) -> Script {
    match c {
        '\0'..='\x7f' => Script::Ascii,
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{300}'..='\u{36f}' => Script::Latin,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Greek,
        '\u{400}'..='\u{52f}' => Script::Cyrillic,
        '\u{530}'..='\u{58f}' | '\u{10a0}'..='\u{10ff}' => Script::Caucasian,
        '\u{590}'..='\u{5ff}' => Script::Hebrew,
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => Script::Arabic,
        '\u{900}'..='\u{9ff}' => Script::Indic,
        '\u{a00}'..='\u{dff}' => Script::Southern,
        '\u{e00}'..='\u{e7f}' => Script::Thai,
        '\u{e80}'..='\u{eff}' => Script::Lao,
        '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => Script::Burmese,
        '\u{1200}'..='\u{139f}' => Script::Ethiopic,
        '\u{3040}'..='\u{30ff}' => Script::Kana,
        '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => Script::Han,
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => {
            Script::Hangul
        }
        '\u{10000}'.. => Script::Rare,
        _ => Script::Other,
    }
}

/// Whether the script of `c` writes vowels as marks, which are parts of words.
pub(super) const fn has_marks(c: char) -> bool {
    matches!(
        of(c),
        Script::Hebrew
            | Script::Arabic
            | Script::Indic
            | Script::Southern
            | Script::Thai
            | Script::Lao
            | Script::Burmese
    ) || matches!(c, '\u{300}'..='\u{36f}')
}

const fn price_of(script: Script) -> Price {
    match script {
        Script::Ascii => price(100, 16, 5),
        Script::Latin => price(125, 22, 3),
        Script::Greek => price(130, 32, 2),
        Script::Cyrillic => price(115, 31, 3),
        Script::Caucasian | Script::Hebrew => price(120, 40, 2),
        Script::Arabic => price(115, 35, 3),
        Script::Indic => price(125, 50, 3),
        Script::Southern => price(120, 47, 3),
        Script::Thai => price(100, 45, 2),
        Script::Lao => price(0, 175, 0),
        Script::Burmese => price(0, 62, 0),
        Script::Ethiopic => price(0, 215, 0),
        Script::Kana => price(0, 78, 0),
        Script::Han => price(0, 98, 0),
        Script::Hangul => price(0, 92, 0),
        Script::Rare => price(0, 300, 0),
        Script::Other => price(0, 150, 0),
    }
}

/// The price of a `word`, in a text with these `accents`.
pub(super) fn word_price(word: &[char], accents: Accents) -> usize {
    let unusual: usize = word.iter().map(|c| unusual(*c)).sum();
    let is = |script: Script| move |c: &char| of(*c) == script;
    if word
        .iter()
        .all(|c| matches!(of(*c), Script::Ascii | Script::Latin))
    {
        let price = if word.iter().any(is(Script::Latin)) {
            accents.price()
        } else if word.len() > 1 && word.iter().all(|c| c.is_uppercase()) {
            CAPITALS
        } else {
            match accents {
                Accents::Own => RARE_LANGUAGE,
                Accents::Common => ACCENTED,
                Accents::Few => price_of(Script::Ascii),
            }
        };
        let no_word = word.len().saturating_sub(MAX_WORD) * NO_WORD;
        return price.of(word.len()) + no_word + unusual;
    }
    let parts = word.chunk_by(|one, other| of(*one) == of(*other));
    let parts = parts.map(|part| price_of(of(part[0])).of(part.len()));
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
        // Rare characters of Chinese, letters of Korean alone.
        '\u{3400}'..='\u{4dbf}' | '\u{3130}'..='\u{318f}' => 200,
        // Narrow letters of Japanese, wide ones of Latin.
        '\u{ff00}'..='\u{ffef}' => 60,
        'а'..='я' | 'А'..='Я' | 'ё' | 'Ё' => 0,
        '\u{400}'..='\u{52f}' => UNUSUAL_CYRILLIC,
        _ => 0,
    }
}

/// The price of a symbol that is not ASCII.
pub(super) const fn symbol_price(c: char) -> usize {
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
