//! Scalars that fill a line.

use crate::parser::other_keyword;
use crate::repair::{RepairKind, Repairs};
use crate::search::{Found, Modes, NoJson, Values};
use crate::whole::{part, trim};

/// Adds the scalars that are alone on their lines.
pub(crate) fn values(text: &str, modes: Modes, values: &mut Values) -> Result<(), NoJson> {
    let mut line = 0;
    while line < text.len() {
        let end = text[line..].find('\n').map_or(text.len(), |end| line + end);
        let (start, stop) = trim(text, line, end);
        line = end + 1;
        let Some(mode) = modes.all(true).next().filter(|_| start < stop) else {
            continue;
        };
        if let Some(found) = part(text, start, stop, mode)? {
            values.add(found)?;
        } else if modes.0.repair
            && let Some(value) = other_keyword(&text[start..stop])
        {
            let mut repairs = Repairs::default();
            repairs.add(RepairKind::Keyword, start);
            values.add(Ok(Found {
                value,
                repairs,
                span: start..stop,
            }))?;
        }
    }
    Ok(())
}
