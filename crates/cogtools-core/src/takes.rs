//! What to write where a value of another kind stands.

/// The hint for a key that takes `takes` (in the words of its fault) but holds
/// `found`.
pub(crate) fn hint(takes: &str, found: &str) -> Option<&'static str> {
    let scalar = found == "a boolean" || found.parse::<f64>().is_ok();
    Some(match takes {
        "a string" | "a template or a map" if scalar => "put it in quotes to make it a string",
        "a string" => "write text, in quotes or under `|`",
        "a template or a map" => "write the template under `implementation: | # njk`",
        "true or false" => "write `true` or `false`, without quotes",
        "a number" | "a number greater than 0" | "a whole number from 0 up" => {
            "write a number such as `1`, without quotes"
        }
        "a number of seconds greater than 0" => "write seconds as a number, such as `timeout: 60`",
        "one type's name" => "write one type, and `nullable: true` where null is meant too",
        "a map of hints" => "write a map such as `{read_only: true}`",
        "a map of `type` and `schema`" => "write a map such as `{type: json}`",
        "`text` or `json`" => "write `type: json` when the result is JSON",
        "a map" => "write a map such as `{key: value}`",
        "a map from names to schemas" => "write a map such as `{city: {type: string}}`",
        "a list of names" => "write a list of strings, as in `[one, two]`",
        "a list of values" => "write a list, as in `[one, two]`",
        "a list of schemas" => "write a list of maps, as in `[{type: string}, {type: number}]`",
        "a list of argument maps" => "write a list of maps, each as a call would send it",
        "a list of strings" => "put it in quotes to make it a string",
        "a list of a program and its arguments" => "write a list such as `[echo, \"{{ text }}\"]`",
        "a text that begins with `#!`" => "begin the script with a line such as `#!/bin/sh`",
        "a path" => "name a file beside the tool, such as `facts.njk`",
        _ => return None,
    })
}
