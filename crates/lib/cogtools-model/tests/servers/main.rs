//! Servers with the APIs of OpenAI and Anthropic, as they are and as they fail.

mod anthropic;
mod openai;
mod server;
