//! `cogtools-docs`, where a link to `cogtools` is not possible.

fn main() -> std::process::ExitCode {
    cogtools_stub::main(env!("CARGO_BIN_NAME"))
}
