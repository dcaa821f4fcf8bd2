//! The binary of `cogtools-call`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_call::PROGRAM)
}
