//! The binary of `cogtools-schema`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_schema::PROGRAM)
}
