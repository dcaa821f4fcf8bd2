//! `.env`: any bytes are variables or an error with a place in the file, and a value between
//! quotes is read as it is.

#![no_main]

use std::path::PathBuf;

use cogtools_core::environment::DotEnv;
use cogtools_core::text::Text;
use libfuzzer_sys::fuzz_target;

fn parse(bytes: &[u8]) -> Option<DotEnv> {
    let text = Text::new(PathBuf::from(".env"), bytes.to_vec()).ok()?;
    match DotEnv::parse(text) {
        Ok(file) => Some(file),
        Err(error) => {
            assert!(!error.diagnostic().message.is_empty());
            None
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some(file) = parse(bytes) else {
        return;
    };
    for variable in file.variables() {
        assert!(!variable.name.is_empty() && !variable.name.contains(['=', '\0', '\n']));
        assert!(variable.line >= 1);
        assert!(file.get(&variable.name).is_some());
        let quote = ['\'', '`']
            .into_iter()
            .find(|quote| !variable.value.contains(*quote));
        if let Some(quote) = quote.filter(|_| !variable.value.contains('\r')) {
            let line = format!("{}={quote}{}{quote}\n", variable.name, variable.value);
            let again = parse(line.as_bytes()).expect(&line);
            let [found] = again.variables() else {
                panic!("{line:?}: {again:?}");
            };
            assert_eq!(
                (&found.name, &found.value),
                (&variable.name, &variable.value),
                "{line:?}"
            );
        }
    }
});
