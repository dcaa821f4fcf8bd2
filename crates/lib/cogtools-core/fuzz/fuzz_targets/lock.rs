//! `cogtools.lock`: any bytes are a lock or an error, and a lock that is written is the lock
//! that is read, whatever is in the names.

#![no_main]

use std::path::Path;

use cogtools_core::Lock;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let file = Path::new(Lock::FILE);
    match Lock::parse(bytes, file) {
        Err(diagnostic) => assert!(!diagnostic.message.is_empty()),
        Ok(lock) => {
            let text = lock.text();
            let again = Lock::parse(text.as_bytes(), file).expect(&text);
            assert_eq!(again.text(), text);
            assert_eq!(again.counts(), lock.counts());
        }
    }
});
