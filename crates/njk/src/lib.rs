//! Nunjucks templates in Rust, rendered by minijinja.
