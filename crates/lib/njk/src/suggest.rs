//! The known name most similar to an unknown one.

/// The name most similar to `wrong`, if one is similar enough.
pub(crate) fn nearest<'a>(
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = match wrong.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    known
        .into_iter()
        .map(|name| (distance(wrong, name), name))
        .filter(|(distance, name)| *distance <= limit && *distance < name.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().take(64).flat_map(char::to_lowercase).collect();
    let right: Vec<char> = right
        .chars()
        .take(64)
        .flat_map(char::to_lowercase)
        .collect();
    let mut older: Vec<usize> = Vec::new();
    let mut old: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut new = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut best = (old[j] + usize::from(a != b))
                .min(old[j + 1] + 1)
                .min(new[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(older[j - 1] + 1);
            }
            new.push(best);
        }
        older = std::mem::replace(&mut old, new);
    }
    old.last().copied().unwrap_or_default()
}
