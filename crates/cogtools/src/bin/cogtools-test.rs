//! The binary of `cogtools-test`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_test::PROGRAM)
}
