//! `cogtools-config` where no link to `cogtools` can be made.

fn main() -> std::process::ExitCode {
    cogtools_stub::main(env!("CARGO_BIN_NAME"))
}
