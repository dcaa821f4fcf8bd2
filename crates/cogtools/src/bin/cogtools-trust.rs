//! The binary of `cogtools-trust`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_trust::PROGRAM)
}
