//! JavaScript before it runs: how deep it nests, its branches, and TypeScript without its types.
//!
//! The linter and the program that evaluates must agree on what is TypeScript, so both ask here.

mod blank;
mod branches;
mod nesting;
mod typescript;

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

pub use branches::{CountedCode, JsBranch, count_branches};
pub use nesting::{MAX_NESTING, nesting, on_large_stack};
pub use typescript::{Mistake, strip_types};

/// Makes a parser of `code`, the body of a function.
pub fn body_parser<'a>(allocator: &'a Allocator, code: &'a str, kind: SourceType) -> Parser<'a> {
    Parser::new(allocator, code, kind).with_options(ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    })
}
