//! Whole runs of the small programs of this package, each in the process of the tests.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod config;
mod config_variables;
mod docs;
mod expand;
mod list;
mod new;
mod schema;
