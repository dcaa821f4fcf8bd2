//! The binary of `cogtools-doctor`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_doctor::PROGRAM)
}
