//! The commands that a script starts, as far as it writes their words out.

/// What begins a call that starts a program.
const CALLS: [&str; 16] = [
    ".run(",
    ".call(",
    ".check_call(",
    ".check_output(",
    ".Popen(",
    ".getoutput(",
    "os.system(",
    "os.popen(",
    "spawn(",
    "spawnSync(",
    "execFile(",
    "execFileSync(",
    "execSync(",
    "exec(",
    "system(",
    "Deno.Command(",
];
/// Longer calls are not read.
const MAX_CALL: usize = 400;

/// The words of each command that `text` starts.
pub(super) fn all(text: &str) -> Vec<Vec<&str>> {
    let mut found = Vec::new();
    for call in CALLS {
        for (at, _) in text.match_indices(call) {
            let rest = &text[at + call.len()..];
            let end = rest.floor_char_boundary(MAX_CALL);
            let literals = literals(&rest[..end]);
            if literals.is_empty() {
                continue;
            }
            let words = match literals.as_slice() {
                [only] => only.split_whitespace().collect(),
                _ => literals,
            };
            found.push(words);
        }
    }
    found
}

/// The texts in quotes up to the end of the call; nothing if it does not begin with one.
fn literals(call: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut depth = 1;
    let mut rest = call;
    if !rest.trim_start().starts_with(['"', '\'', '[', '(']) {
        return found;
    }
    while let Some(at) = rest.find(['"', '\'', '(', ')']) {
        let mark = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        match mark {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            quote => {
                let Some(end) = rest.find(char::from(quote)) else {
                    break;
                };
                found.push(&rest[..end]);
                rest = &rest[end + 1..];
            }
        }
    }
    found
}
