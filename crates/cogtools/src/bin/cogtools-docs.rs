//! The binary of `cogtools-docs`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_docs::PROGRAM)
}
