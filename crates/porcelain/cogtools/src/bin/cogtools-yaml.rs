//! The binary of `cogtools-yaml`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_yaml::PROGRAM)
}
