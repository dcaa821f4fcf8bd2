//! The fake Gemini API, with handwritten requests.

mod authority;
mod caches;
mod client;
mod conformance;
mod delivery;
mod errors;
mod modes;
mod rules;
mod script;
mod signatures;
