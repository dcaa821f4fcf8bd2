//! The binary of `cogtools-config`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_config::PROGRAM)
}
