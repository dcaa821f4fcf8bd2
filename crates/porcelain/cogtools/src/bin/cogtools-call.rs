//! The binary of the programs that hosts start for every call. Each has a link to it.

use cogtools_call::PROGRAM as CALL;
use cogtools_discover::PROGRAM as DISCOVER;
use cogtools_yaml::PROGRAM as YAML;

fn main() -> std::process::ExitCode {
    cogtools_program::main_of(&[&CALL, &DISCOVER, &YAML], None)
}
