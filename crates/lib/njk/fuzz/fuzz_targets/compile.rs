//! Lexer, parser, the resolution of names and the scan for editors: any text either compiles or
//! gives an error that is not a fault of the crate.

#![no_main]

use libfuzzer_sys::fuzz_target;
use njk::{Engine, ErrorKind};

fuzz_target!(|source: &str| {
    if let Err(error) = Engine::new().compile("fuzz", source) {
        assert_ne!(error.kind(), ErrorKind::Internal, "{error}");
    }
    let _ = njk::analyse(source);
    let _ = njk::scan::scan(source);
});
