//! The smallest program that Rust makes.

fn main() {}
