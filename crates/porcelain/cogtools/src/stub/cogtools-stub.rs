//! The file of each program that is a link to `cogtools`, where links are not possible.

fn main() -> std::process::ExitCode {
    cogtools_program::stub()
}
