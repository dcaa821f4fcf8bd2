//! The client side of OAuth 2.1 for servers at a URL, as MCP's revision 2026-07-28 describes it.
//!
//! Only `login` starts it, never a call. A token is kept for one URL, and sent to no other. What a
//! server or an authorization server says is hostile: where it points is checked, before anything
//! is fetched or shown.

mod authority;
mod bearer;
mod challenge;
mod command;
mod error;
mod fetch;
mod grant;
mod keyring;
mod login;
mod options;
mod reach;
mod receiver;
mod registration;
mod resource;
mod source;
mod store;

pub(crate) use bearer::Bearer;
pub(crate) use challenge::Challenge;
pub(crate) use command::{login, logout};
pub(crate) use options::{LoginArgs, login_command, logout_command};
pub(crate) use reach::may_be_opened;
pub(crate) use store::Store;
