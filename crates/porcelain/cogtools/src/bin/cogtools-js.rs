//! The binary of `cogtools-js`.

fn main() -> std::process::ExitCode {
    cogtools_js::main()
}
