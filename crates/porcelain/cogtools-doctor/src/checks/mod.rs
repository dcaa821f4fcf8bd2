//! The checks, one per module: each is a function from the context to findings.

pub(crate) mod budget;
pub(crate) mod commands;
pub(crate) mod configuration;
pub(crate) mod discovery;
pub(crate) mod editor;
pub(crate) mod gemini;
pub(crate) mod headless;
pub(crate) mod manual;
pub(crate) mod mcp;
pub(crate) mod sandbox;
pub(crate) mod selection;
pub(crate) mod settings;
pub(crate) mod sources;
pub(crate) mod tools;
pub(crate) mod trust;
