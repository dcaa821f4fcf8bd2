//! The binary of `cogtools-new`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_new::PROGRAM)
}
