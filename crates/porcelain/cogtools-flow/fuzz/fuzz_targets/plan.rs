//! A model's text: any text is a contract or breaks it; a contract that is printed is checked again
//! as it is, and its steps have names of their own.

#![no_main]

use std::collections::BTreeSet;

use cogtools_flow::plan::check;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match check(text) {
        Err(violations) => assert!(!violations.is_empty()),
        Ok(contract) => {
            let again = check(&contract.to_string()).expect("it is a contract");
            assert_eq!(again, contract);
            let steps = contract["tool_plan"].as_array().expect("steps");
            let names: BTreeSet<&str> =
                steps.iter().map(|step| step["save_as"].as_str().expect("a name")).collect();
            assert_eq!(names.len(), steps.len(), "{contract}");
        }
    }
});
