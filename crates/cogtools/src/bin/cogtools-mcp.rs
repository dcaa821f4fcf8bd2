//! The binary of `cogtools-mcp`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_mcp::PROGRAM)
}
