//! The binary of `cogtools-discover`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_discover::PROGRAM)
}
