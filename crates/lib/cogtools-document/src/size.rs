//! Sizes in bytes, as tool files and configurations write them: `512 MiB`, or a number.

/// The units, each with the power of two that it stands for.
const UNITS: [(&str, u32); 7] = [
    ("", 0),
    ("B", 0),
    ("KiB", 10),
    ("MiB", 20),
    ("GiB", 30),
    ("TiB", 40),
    ("PiB", 50),
];

/// The number of bytes in `text`; `None` if it is no size, or does not fit into 64 bits.
pub fn parse(text: &str) -> Option<u64> {
    let end = text
        .find(|char: char| !char.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.strip_prefix(' ').unwrap_or(unit);
    let (_, shift) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// `bytes` in the largest unit in which it is a whole number.
pub fn show(bytes: u64) -> String {
    let fits = |(name, shift): &&(&str, u32)| !name.is_empty() && bytes.is_multiple_of(1 << shift);
    match UNITS.iter().rev().find(fits) {
        Some((name, shift)) => format!("{} {name}", bytes >> shift),
        None => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, show};

    #[test]
    fn sizes_are_shown_as_they_are_written() {
        for (bytes, text) in [
            (1, "1 B"),
            (1536, "1536 B"),
            (1 << 20, "1 MiB"),
            (3 << 30, "3 GiB"),
        ] {
            assert_eq!(show(bytes), text);
            assert_eq!(parse(text), Some(bytes));
        }
    }
}
