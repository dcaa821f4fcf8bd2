//! The binary of `cogtools-list`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_list::PROGRAM)
}
