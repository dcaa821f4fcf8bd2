//! Nunjucks templates in Rust: the same language and the same results as
//! Nunjucks 3.2.4.
//!
//! ```
//! let engine = njk::Engine::new();
//! let template = engine.compile("note", "{{ title }}{% if body %}: {{ body }}{% endif %}")?;
//! let context = serde_json::json!({"title": "Hello", "body": "world"});
//! assert_eq!(template.render(&context)?, "Hello: world");
//! # Ok::<(), njk::Error>(())
//! ```
//!
//! # The parts
//!
//! - An [`Engine`] compiles templates; it holds the [`Limits`], a [`Loader`]
//!   for other templates, and whether HTML is escaped.
//! - A [`Template`] renders with a context of JSON, any number of times and from any
//!   thread.
//! - An [`Error`] describes what failed, with its location in the template and often
//!   a hint.
//! - [`analyse`] finds what a template reads and sets without rendering it, and
//!   [`types::check`] what contradicts the types of its variables.
//!
//! # Values
//!
//! Values behave as in JavaScript: there is one kind of number, `1.0` prints
//! as `1`, lists are mutable and equal only to themselves, an empty list is
//! true and an empty string is not, and undefined and null print nothing.
//!
//! # Bounds
//!
//! Templates are not trusted. Each rendering has fuel, a depth and a number of
//! bytes, and ends with an [`ErrorKind::OutOfFuel`], [`ErrorKind::TooDeep`] or
//! [`ErrorKind::TooLarge`] when it has used them up. A template reaches nothing
//! but its context and the loader's templates: no files, no environment, no
//! clock, no randomness.
//!
//! # Differences
//!
//! All known differences from Nunjucks are listed in [`differences`].

mod analysis;
mod ast;
mod coverage;
mod engine;
mod error;
mod evaluator;
mod filters;
mod globals;
mod lexer;
mod methods;
mod native;
mod parser;
pub mod reference;
mod regex;
mod resolve;
mod runtime;
pub mod scan;
mod tests;
mod value;
mod walk;

pub use analysis::{Analysis, Read, analyse, types};
pub use coverage::{Branch, Coverage};
pub use engine::{Builder, Engine, Limits, LoadError, Loader, Template, resolve};
pub use error::{Error, ErrorKind};

#[doc = include_str!("../docs/differences.md")]
pub mod differences {}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
