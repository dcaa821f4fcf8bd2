//! What a tool runs: the words of its command line, and the text of its script.

mod dash;
mod deed;
mod env_read;
mod known;
mod made_code;
mod script;
mod shell;
mod started;
mod statement;
mod subcommand;
mod table;
mod taint;
mod walk;
mod words;

pub(crate) use dash::can_begin_with_dash;
pub(crate) use deed::{Deed, deeds_of};
pub(crate) use known::{PROGRAMS, is_known};
pub(crate) use script::Script;
pub(crate) use statement::of_sql;
pub(crate) use table::interpreter_name;
pub(crate) use words::{Role, Word, words};
