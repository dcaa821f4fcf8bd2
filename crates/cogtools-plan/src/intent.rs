//! What a plan is about, in a word: a label for people who look through sessions. Nothing depends
//! on it, so it may be derived from words; tools never are.

use crate::contract::Contract;

/// What a plan is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    /// The time, or a date.
    Clock,
    /// Numbers.
    Arithmetic,
    /// Anything else.
    General,
}

/// Words that mean the time.
const CLOCK: [&str; 7] = ["time", "date", "today", "now", "clock", "hour", "weekday"];
/// Words that mean numbers.
const ARITHMETIC: [&str; 9] = [
    "add",
    "sum",
    "subtract",
    "multiply",
    "divide",
    "calculate",
    "compute",
    "average",
    "total",
];
/// The same in a script without blanks between words.
const CLOCK_ZH: [&str; 6] = ["時間", "时间", "現在", "现在", "日期", "幾點"];
const ARITHMETIC_ZH: [&str; 5] = ["計算", "计算", "加總", "總和", "平均"];

impl Intent {
    /// What `contract` is about: by its tools or, if these say nothing, by the words of its
    /// restatement.
    pub(crate) fn of(contract: &Contract) -> Self {
        let tools = contract.steps().iter().filter_map(|step| step.tool());
        let by_tool = tools.filter_map(|tool| match tool {
            "get_current_date" => Some(Self::Clock),
            "run_js" => Some(Self::Arithmetic),
            _ => None,
        });
        by_tool
            .into_iter()
            .next()
            .unwrap_or_else(|| Self::of_text(contract.restatement()))
    }

    fn of_text(text: &str) -> Self {
        let words = || {
            text.split(|letter: char| !letter.is_alphanumeric())
                .filter(|word| !word.is_empty())
        };
        let has = |list: &[&str], parts: &[&str]| {
            let is_listed = |word: &str| list.iter().any(|other| other.eq_ignore_ascii_case(word));
            words().any(is_listed) || parts.iter().any(|part| text.contains(part))
        };
        if has(&CLOCK, &CLOCK_ZH) {
            Self::Clock
        } else if has(&ARITHMETIC, &ARITHMETIC_ZH) {
            Self::Arithmetic
        } else {
            Self::General
        }
    }

    /// Its name in a session.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Clock => "clock",
            Self::Arithmetic => "arithmetic",
            Self::General => "general",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_count() {
        for (text, expected) in [
            ("Add two", Intent::Arithmetic),
            ("hello", Intent::General),
            ("請問現在幾點", Intent::Clock),
            ("What TIME is it?", Intent::Clock),
            // The words "date" and "sum" are not in it.
            ("update the summary", Intent::General),
            ("", Intent::General),
        ] {
            assert_eq!(Intent::of_text(text), expected, "{text}");
        }
    }
}
