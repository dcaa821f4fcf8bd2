//! The binary of `cogtools-mcp-client`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_mcp_client::PROGRAM)
}
