//! The record of approvals: any text is a record or an error, and a record that is written is
//! the record that is read.

#![no_main]

use std::path::Path;

use cogtools_core::trust::Record;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let file = Path::new("trust.json");
    match Record::parse(text, file) {
        Err(error) => assert!(!error.diagnostic().message.is_empty()),
        Ok(record) => {
            let written = record.text().expect("a record is text");
            assert_eq!(Record::parse(&written, file).expect(&written), record);
        }
    }
});
