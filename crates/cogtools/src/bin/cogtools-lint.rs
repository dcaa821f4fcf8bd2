//! The binary of `cogtools-lint`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_lint::PROGRAM)
}
