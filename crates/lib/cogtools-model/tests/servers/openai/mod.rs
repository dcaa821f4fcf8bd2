//! The Chat Completions API of OpenAI and its dialects.

mod failures;
mod requests;
mod responses;
mod variables;
