//! The tools: the list of them, what each declares, and calls.

mod child;
mod page;
mod request;

pub(crate) use child::TestRuns;
pub(crate) use page::{fingerprint, with_tool};
pub(crate) use request::{call, check, create, form, list_page, open, page, test};
