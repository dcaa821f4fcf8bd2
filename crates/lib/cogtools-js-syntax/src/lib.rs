//! JavaScript before it runs: how deep it nests, its branches, and TypeScript without its types.
//!
//! The linter and the program that evaluates must agree on what is TypeScript, so both ask here.

mod blank;
mod branches;
mod nesting;
mod typescript;

pub use branches::{CountedCode, JsBranch, count_branches};
pub use nesting::{MAX_NESTING, nesting, on_large_stack};
pub use typescript::{Mistake, strip_types};
