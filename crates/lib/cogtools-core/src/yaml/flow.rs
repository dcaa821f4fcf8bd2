//! The indentation of flow collections, which the parser does not check.

use granit_parser::{Event, Marker};

use super::error::YamlErrorKind;
use super::frame::{Frame, Partial};

/// An open `[…]` or `{…}` in a block. YAML wants each of its lines indented deeper than the
/// block. A line with nothing but its closing bracket may begin in the column of the block,
/// because many authors write it there and no reader misunderstands it.
pub(super) struct Flow {
    /// The number of collections around it.
    pub(super) depth: usize,
    /// The indentation of the block that it is in, in bytes.
    pub(super) indent: usize,
    /// The line of the last node, from 1.
    pub(super) line: usize,
}

impl Flow {
    /// The innermost of `open`, which has begun at `start`, if it is in a block.
    pub(super) fn begun(text: &str, open: &[Frame], start: &Marker) -> Option<Self> {
        let depth = open.len().checked_sub(1)?;
        let block = open.get(depth.checked_sub(1)?)?;
        let block = match block.partial {
            Partial::List(_) => first_dash(text, block.start),
            Partial::Map { .. } => block.start,
        };
        Some(Self {
            depth,
            indent: block - line_start(text, block),
            line: start.line(),
        })
    }

    /// Checks the line of a node that begins at `start`, if it is the first one in its line.
    pub(super) fn check(&mut self, text: &str, start: &Marker) -> Result<(), YamlErrorKind> {
        if start.line() <= self.line {
            return Ok(());
        }
        self.line = start.line();
        let offset = start.byte_offset().unwrap_or_default();
        let line = text.get(line_start(text, offset)..).unwrap_or_default();
        let indent = line.len() - line.trim_start_matches(' ').len();
        if indent > self.indent {
            return Ok(());
        }
        Err(YamlErrorKind::FlowIndent {
            least: self.indent + 1,
        })
    }
}

/// Where a list begins. For the parser, one that is not indented begins after its first dash.
fn first_dash(text: &str, start: usize) -> usize {
    let (before, list) = text.split_at_checked(start).unwrap_or_default();
    if list.starts_with("- ") || list.starts_with("-\n") {
        return start;
    }
    before.rfind('-').unwrap_or(start)
}

/// Whether a node begins with the event.
pub(super) fn is_node(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Scalar(..) | Event::Alias(_) | Event::SequenceStart(..) | Event::MappingStart(..)
    )
}

/// The byte at which the line of `offset` begins.
fn line_start(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or_default();
    before.rfind('\n').map_or(0, |newline| newline + 1)
}
