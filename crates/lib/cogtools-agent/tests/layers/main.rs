//! What of a conversation is sent, in which layer, and what is cached.

mod history;
mod model;
mod recorded;
mod requests;
