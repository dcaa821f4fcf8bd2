//! Nunjucks templates in Rust, rendered by minijinja.
//!
//! ```
//! let engine = njk::Engine::new();
//! let template = engine.compile("note", "{{ title }}{% if body %}: {{ body }}{% endif %}").unwrap();
//! let context = serde_json::json!({"title": "Hello", "body": "world"});
//! assert_eq!(template.render(&context).unwrap(), "Hello: world");
//! ```

mod analysis;
mod ast;
mod budget;
mod emitter;
mod engine;
mod error;
mod filters;
mod globals;
mod guard;
mod helpers;
mod lexer;
mod limits;
mod loader;
mod methods;
mod parser;
mod precedence;
mod program;
mod regex;
mod runtime;
mod suggest;
mod tests;
mod token;
mod value;
mod walk;

pub use analysis::{Analysis, Read, analyse};
pub use engine::{Builder, Engine, Template};
pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use loader::{LoadError, Loader};
