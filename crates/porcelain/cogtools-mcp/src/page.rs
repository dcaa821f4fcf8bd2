//! Pages of our own lists.
//!
//! A cursor has the name of the entry before its page, so a list that has changed in between goes on
//! after that entry; if that is gone, at the same place.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as ENCODING;
use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// The number of entries of one page.
const LENGTH: usize = 200;

/// Returns the page of `items` that a request asks for, and the cursor of the next one.
///
/// # Errors
/// If its cursor is none of ours.
pub(crate) fn page<T>(
    items: Vec<T>,
    request: Option<PaginatedRequestParams>,
    name: impl Fn(&T) -> String,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let start = match request.and_then(|request| request.cursor) {
        Some(cursor) => start(&items, &cursor, &name)
            .ok_or_else(|| ErrorData::invalid_params("invalid cursor", None))?,
        None => 0,
    };
    let end = start.saturating_add(LENGTH);
    let is_last = items.len() <= end;
    let page: Vec<T> = items.into_iter().skip(start).take(LENGTH).collect();
    let last = page.last().filter(|_| !is_last);
    let cursor = last.map(|last| ENCODING.encode(format!("{end}:{}", name(last))));
    Ok((page, cursor))
}

/// Returns the place of the first entry after `cursor`.
fn start<T>(items: &[T], cursor: &str, name: impl Fn(&T) -> String) -> Option<usize> {
    let text = String::from_utf8(ENCODING.decode(cursor).ok()?).ok()?;
    let (place, last) = text.split_once(':')?;
    let place = place.parse().ok()?;
    let found = items.iter().position(|item| name(item) == last);
    Some(found.map_or(place, |found| found + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(range: std::ops::Range<usize>) -> Vec<String> {
        range.map(|number| number.to_string()).collect()
    }

    fn get(items: Vec<String>, cursor: Option<String>) -> (Vec<String>, Option<String>) {
        let request = PaginatedRequestParams::default().with_cursor(cursor);
        page(items, Some(request), String::clone).expect("a page")
    }

    #[test]
    fn pages_follow_each_other() {
        assert_eq!(get(numbers(0..200), None), (numbers(0..200), None));
        let (first, cursor) = get(numbers(0..401), None);
        assert_eq!(first, numbers(0..200));
        // Entries before the page have gone since.
        let (second, cursor) = get(numbers(10..401), cursor);
        assert_eq!(second, numbers(200..400));
        // The entry itself has gone.
        let (third, cursor) = get(numbers(0..399), cursor);
        assert_eq!((third, cursor), (numbers(390..399), None));
    }

    #[test]
    fn other_cursors_are_invalid() {
        for cursor in ["", "2", "bogus", "Mg", "eDp5"] {
            let request = PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned()));
            assert!(
                page(numbers(0..3), Some(request), String::clone).is_err(),
                "{cursor}"
            );
        }
    }
}
