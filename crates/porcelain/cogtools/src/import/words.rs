//! A command line of curl: its words, as Bash reads them without any expansion, its options, and
//! the names and values that are likely to be secrets.

use serde_json::{Map, Value};

/// Options without a value that say nothing about the request.
const FLAGS: &str = "sSLivfgNO#a01246";
/// Long options without a value. The value of an unknown option could be taken for the URL.
const LONG_FLAGS: [&str; 21] = [
    "--compressed",
    "--fail",
    "--fail-with-body",
    "--globoff",
    "--http1.0",
    "--http1.1",
    "--http2",
    "--http2-prior-knowledge",
    "--http3",
    "--include",
    "--ipv4",
    "--ipv6",
    "--location",
    "--no-buffer",
    "--no-progress-meter",
    "--path-as-is",
    "--progress-bar",
    "--show-error",
    "--silent",
    "--tlsv1.2",
    "--verbose",
];
/// Options with a value that a tool does not have.
const IGNORED: [&str; 12] = [
    "-o",
    "--output",
    "-w",
    "--write-out",
    "--retry",
    "--connect-timeout",
    "-x",
    "--proxy",
    "--cacert",
    "-c",
    "--cookie-jar",
    "--resolve",
];

/// The parts of a command.
#[derive(Default)]
pub(super) struct Command {
    /// The URLs: curl makes a request for each.
    pub(super) urls: Vec<String>,
    pub(super) method: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    /// The body or, with `-G`, a part of the query.
    pub(super) data: Option<String>,
    /// The parts of a form: their `text` or `file`, and parameters such as `type`.
    pub(super) parts: Vec<(String, Map<String, Value>)>,
    /// The user, with the password after a colon; curl asks for one without a colon.
    pub(super) user: Option<String>,
    pub(super) is_query: bool,
    /// True if headers of JSON are added, unless there are others.
    is_json: bool,
    pub(super) timeout: Option<f64>,
    /// Notes about what a tool does not have.
    pub(super) notes: Vec<String>,
}

impl Command {
    /// Reads a command line.
    ///
    /// # Errors
    /// Why it is no request that a tool can make.
    pub(super) fn read(line: &str) -> Result<Self, String> {
        // The next word is the last one.
        let (mut words, end) = split(line)?;
        words.reverse();
        let program = words.pop().unwrap_or_default();
        if !matches!(
            program.rsplit(['/', '\\']).next(),
            Some("curl" | "curl.exe")
        ) {
            return Err("this is no command of curl".to_owned());
        }
        let mut command = Self::default();
        let end = end.map(|end| format!("left out: the command after {end}"));
        command.notes.extend(end);
        while let Some(word) = words.pop() {
            if !word.starts_with('-') || word == "-" {
                command.urls.push(word);
                continue;
            }
            let (name, joined) = if word.starts_with("--") {
                (word.clone(), None)
            } else {
                let at = word
                    .char_indices()
                    .skip(1)
                    .find(|(_, c)| !FLAGS.contains(*c));
                let Some((at, c)) = at else { continue };
                let rest = &word[at + c.len_utf8()..];
                let rest = Some(rest.to_owned()).filter(|rest| !rest.is_empty());
                if matches!(c, 'G' | 'I' | 'k') {
                    // They have no value: more options may follow in the word.
                    words.extend(rest.map(|rest| format!("-{rest}")));
                    (format!("-{c}"), None)
                } else {
                    (format!("-{c}"), rest)
                }
            };
            command.option(&name, || {
                let next = joined.clone().or_else(|| words.pop());
                next.ok_or_else(|| format!("`{name}` has no value"))
            })?;
        }
        for name in ["Content-Type", "Accept"] {
            let mut headers = command.headers.iter();
            if command.is_json && !headers.any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                command.add_header(name, "application/json");
            }
        }
        Ok(command)
    }

    fn option(
        &mut self,
        name: &str,
        mut value: impl FnMut() -> Result<String, String>,
    ) -> Result<(), String> {
        match name {
            "-X" | "--request" => self.method = Some(value()?.to_ascii_uppercase()),
            "--url" => self.urls.push(value()?),
            "-H" | "--header" => {
                let header = value()?;
                if header.starts_with('@') {
                    return Err(reads_file(name, &header));
                }
                match header.split_once(':') {
                    // Without a value, curl leaves out the header.
                    Some((_, value)) if value.trim().is_empty() => {}
                    Some((name, value)) => self.add_header(name.trim(), value.trim()),
                    None => {
                        if let Some(name) = header.trim().strip_suffix(';') {
                            self.add_header(name, "");
                        }
                    }
                }
            }
            "-A" | "--user-agent" => self.add_header("User-Agent", &value()?),
            "-e" | "--referer" => self.add_header("Referer", &value()?),
            "-b" | "--cookie" => self.add_header("Cookie", &value()?),
            "-u" | "--user" => self.user = Some(value()?),
            "-d" | "--data" | "--data-raw" | "--data-ascii" | "--data-binary" | "--json" => {
                let data = value()?;
                if data.starts_with('@') && name != "--data-raw" {
                    return Err(reads_file(name, &data));
                }
                let is_json = name == "--json";
                self.is_json |= is_json;
                self.add_data(&data, if is_json { "" } else { "&" });
            }
            "--data-urlencode" => {
                let data = value()?;
                if data.contains('@') && !data.contains('=') {
                    return Err(reads_file(name, &data));
                }
                let (key, text) = data.split_once('=').unwrap_or(("", &data));
                let text = cogtools_core::http::percent_encode(text);
                let equals = if key.is_empty() { "" } else { "=" };
                self.add_data(&format!("{key}{equals}{text}"), "&");
            }
            "-F" | "--form" | "--form-string" => {
                let part = value()?;
                let (key, text) = part.split_once('=').unwrap_or((&part, ""));
                if name != "--form-string" && text.starts_with('<') {
                    return Err(reads_file(name, &part));
                }
                let content = if name == "--form-string" {
                    Map::from_iter([("text".to_owned(), text.into())])
                } else {
                    form_part(text)
                };
                self.parts.push((key.to_owned(), content));
            }
            "-G" | "--get" => self.is_query = true,
            "-I" | "--head" => self.method = Some("HEAD".to_owned()),
            "-m" | "--max-time" => self.timeout = value()?.parse().ok(),
            "-k" | "--insecure" => self.notes.push(format!("left out: {name}")),
            name if IGNORED.contains(&name) => {
                value()?;
                self.notes.push(format!("left out: {name}"));
            }
            name if LONG_FLAGS.contains(&name) => {}
            name => {
                // What follows may be a password.
                let name = name.split('=').next().unwrap_or_default();
                return Err(format!("the option `{name}` of curl is not known here"));
            }
        }
        Ok(())
    }

    fn add_header(&mut self, name: &str, value: &str) {
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    fn add_data(&mut self, data: &str, separator: &str) {
        match &mut self.data {
            Some(all) => all.extend([separator, data]),
            None => self.data = Some(data.to_owned()),
        }
    }
}

fn reads_file(option: &str, data: &str) -> String {
    format!("`{option} {data}` reads a file, which a tool cannot")
}

/// Reads the content of a part of a form: a text, or `@` and the path of a file, and parameters
/// after semicolons that are not in quotes.
fn form_part(content: &str) -> Map<String, Value> {
    let (key, content) = match content.strip_prefix('@') {
        Some(path) => ("file", path),
        None => ("text", content),
    };
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    let mut chars = content.chars();
    while let Some(c) = chars.next() {
        let is_first = words.len() == 1;
        let Some(word) = words.last_mut() else { break };
        let may_open = word.is_empty() || !is_first && word.ends_with('=');
        match c {
            '"' if is_quoted || may_open => is_quoted = !is_quoted,
            '\\' if is_quoted => word.extend(chars.next()),
            ';' if !is_quoted => words.push(String::new()),
            c => word.push(c),
        }
    }
    let mut words = words.into_iter();
    let mut part = Map::from_iter([(key.to_owned(), words.next().into())]);
    part.extend(words.map(|word| {
        let (name, value) = word.split_once('=').unwrap_or((&word, ""));
        (name.trim().to_ascii_lowercase(), value.trim().into())
    }));
    part
}

/// Splits a command line into words, up to an operator of a shell, which it returns. Browsers write
/// `$'…'` for text with quotes and line breaks, and continue lines with a backslash.
///
/// # Errors
/// A quote that is not closed.
fn split(line: &str) -> Result<(Vec<String>, Option<char>), String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    let open = |quote: &str| format!("the quote {quote} is not closed");
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some('\r') if chars.peek() == Some(&'\n') => drop(chars.next()),
                Some(c) => word.get_or_insert_default().push(c),
            },
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(|| open("'"))? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(|| open("\""))? {
                        '"' => break,
                        '\\' => match chars.next().ok_or_else(|| open("\""))? {
                            '\n' => {}
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '$' if chars.peek() == Some(&'\'') => {
                chars.next();
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(|| open("$'"))? {
                        '\'' => break,
                        '\\' => {
                            let c = chars.next().ok_or_else(|| open("$'"))?;
                            let length = match c {
                                'x' => 2,
                                'u' => 4,
                                'U' => 8,
                                _ => 0,
                            };
                            let mut digits = String::new();
                            while digits.len() < length
                                && let Some(digit) = chars.next_if(char::is_ascii_hexdigit)
                            {
                                digits.push(digit);
                            }
                            let code = u32::from_str_radix(&digits, 16).ok();
                            word.push(code.and_then(char::from_u32).unwrap_or(match c {
                                'n' => '\n',
                                'r' => '\r',
                                't' => '\t',
                                c => c,
                            }));
                        }
                        c => word.push(c),
                    }
                }
            }
            c if c.is_whitespace() => words.extend(word.take()),
            // Within a word they belong to a URL without quotes, or to `-F name=<file`.
            '&' | ';' | '<' | '>'
                if word.as_ref().is_some_and(|word| match c {
                    '<' | '>' => word.parse::<u8>().is_err(),
                    _ => chars
                        .peek()
                        .is_some_and(|next| *next != c && !next.is_whitespace()),
                }) =>
            {
                word.get_or_insert_default().push(c);
            }
            '|' | '>' | '<' | '&' | ';' => {
                // The number of a stream, as in `2>`.
                word.take_if(|_| matches!(c, '<' | '>'));
                words.extend(word);
                return Ok((words, Some(c)));
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok((words, None))
}

/// Splits a placeholder off the beginning of `text`: a variable of a shell, or a name in braces, as
/// documentation has them.
pub(super) fn placeholder(text: &str) -> Option<(&str, &str)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let braced = text.strip_prefix("${").or_else(|| text.strip_prefix('{'));
    let (name, rest) = if let Some(inner) = braced {
        inner.split_once('}')?
    } else {
        let name = text.strip_prefix('$')?;
        name.split_at(name.find(|c| !is_word(c)).unwrap_or(name.len()))
    };
    // `$filter` is a name of OData.
    let is_valid = braced.is_some() || !name.contains(|c: char| c.is_ascii_lowercase());
    let is_name = !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(is_word);
    (is_valid && is_name && !name.is_empty()).then_some((name, rest))
}

/// Returns true if curl makes several requests of `url`, as of `{a,b}` or `[1-3]`.
pub(super) fn has_glob(url: &str) -> bool {
    [('{', '}', ','), ('[', ']', '-')]
        .into_iter()
        .any(|(open, close, mark)| {
            let mut patterns = url
                .split(open)
                .skip(1)
                .filter_map(|it| it.split_once(close));
            patterns.any(|(inner, _)| inner.contains(mark))
        })
}

/// Returns the words of a name such as `access_token`, `apiKey` or `PRIVATE-TOKEN`, in lower case.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut last = '_';
    for c in name.chars() {
        let is_separator = matches!(c, '-' | '_' | '.');
        if is_separator || c.is_ascii_uppercase() && last.is_ascii_lowercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| !is_separator) {
            word.push(c.to_ascii_lowercase());
        }
        last = c;
    }
    words
}

/// Returns true if a value of this name is likely to be a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let words = words_of(name);
    let has = |word: &str| words.iter().any(|it| it == word);
    let is = |word: &str| words.len() == 1 && has(word);
    ["key", "appid", "auth", "sig", "pwd", "jwt"]
        .into_iter()
        .any(is)
        || [
            "token",
            "secret",
            "password",
            "passwd",
            "passphrase",
            "credential",
            "credentials",
            "apikey",
            "signature",
        ]
        .into_iter()
        .any(has)
        || has("key") && (has("api") || has("access") || has("auth") || has("subscription"))
}

/// Returns true if a header of this name is likely to have a secret, also one for a while.
pub(super) fn is_secret_header(name: &str) -> bool {
    const WORDS: &str =
        "key auth authorization session sessionid sid cookie csrf csrftoken xsrf jwt";
    let words = words_of(name);
    let mut known = WORDS.split(' ');
    is_secret(name) || known.any(|known| words.iter().any(|word| word == known))
}

/// Returns true if `value` looks like a key or a password, as a value of this name.
pub(super) fn is_secret_value(name: &str, value: &str) -> bool {
    !cogtools_lint::secrets(&format!("{name}: {value}")).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_bash() {
        for (line, expected) in [
            ("a?b|c&d;e", vec!["a?b"]),
            (
                "a?b&c;d 'e|f' \\> 2>/dev/null g",
                vec!["a?b&c;d", "e|f", ">"],
            ),
            ("a; b", vec!["a"]),
            ("a && b", vec!["a"]),
            ("a=<b > c", vec!["a=<b"]),
            ("a& ", vec!["a"]),
            ("curl a\\\n  b", vec!["curl", "a", "b"]),
            ("-H 'a: \"b\"' \"c\\\"d\"", vec!["-H", "a: \"b\"", "c\"d"]),
            (r"$'it\'s\n\u0021\x41'", vec!["it's\n!A"]),
            ("a'b'\"c\"d ''", vec!["abcd", ""]),
            (r"'\n' a\ b $x", vec!["\\n", "a b", "$x"]),
        ] {
            assert_eq!(split(line).expect(line).0, expected, "{line}");
        }
        assert_eq!(split("'a"), Err("the quote ' is not closed".to_owned()));
    }
}
