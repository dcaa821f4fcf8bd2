//! The binary of `cogtools-lock`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_lock::PROGRAM)
}
