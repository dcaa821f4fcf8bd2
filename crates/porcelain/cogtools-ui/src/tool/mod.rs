//! The tools: the list of them, what each declares, and calls.

mod catalogue;
mod child;
mod list;
mod page;
mod request;
mod tests;

pub(crate) use catalogue::{fingerprint, with_tool};
pub(crate) use request::{call, check, form, list_page, page, test};
pub(crate) use tests::TestRuns;
