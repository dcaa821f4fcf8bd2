//! A model's text: any text has values or none; a valid one is what `serde_json` reads, and
//! what is printed is valid and is found again as it is.

#![no_main]

use cogtools_lenient_json::{NoJson, Options, Which, find};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let valid = serde_json::from_str::<Value>(text).ok();
    for which in [Which::First, Which::Last, Which::All] {
        for (repair, partial) in [(true, false), (true, true), (false, false), (false, true)] {
            let options = Options { which, repair, partial };
            match find(text, options) {
                Err(error) => assert!(valid.is_none() || error != NoJson::Absent, "{options:?}"),
                Ok(found) => {
                    for found in &found {
                        let printed = found.value.to_string();
                        serde_json::from_str::<Value>(&printed).expect(&printed);
                        let again = cogtools_lenient_json::last(&printed).expect(&printed);
                        assert_eq!(again.value, found.value);
                        assert_eq!(again.repairs.count, 0, "{printed}");
                        assert!(text.get(found.span.clone()).is_some(), "{:?}", found.span);
                    }
                    if let Some(valid) = &valid {
                        let printed = found[0].value.to_string();
                        let read: Value = serde_json::from_str(&printed).expect(&printed);
                        assert_eq!(&read, valid);
                    }
                }
            }
        }
    }
});
