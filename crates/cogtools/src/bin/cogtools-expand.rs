//! The binary of `cogtools-expand`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_expand::PROGRAM)
}
