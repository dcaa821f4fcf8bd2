//! The binary of `cogtools-confine`.

fn main() -> std::process::ExitCode {
    cogtools_confine::main()
}
