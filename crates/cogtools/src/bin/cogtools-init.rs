//! The binary of `cogtools-init`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_init::PROGRAM)
}
