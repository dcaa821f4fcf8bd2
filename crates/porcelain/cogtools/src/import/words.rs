//! A command line of curl: its words, as Bash reads them without any expansion, and its options.

use serde_json::{Map, Value};

/// Options without a value that say nothing about the request.
const FLAGS: &str = "sSLivkfgNO#a01246";
/// Long options without a value. The value of an unknown option could be taken for the URL.
const LONG_FLAGS: [&str; 22] = [
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
    "--insecure",
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
/// Options with a value that say nothing about the request.
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
}

impl Command {
    /// Reads a command line.
    ///
    /// # Errors
    /// Why it is no request that a tool can make.
    pub(super) fn read(line: &str) -> Result<Self, String> {
        // The next word is the last one.
        let mut words = split(line)?;
        words.reverse();
        let program = words.pop().unwrap_or_default();
        if !matches!(
            program.rsplit(['/', '\\']).next(),
            Some("curl" | "curl.exe")
        ) {
            return Err("this is no command of curl".to_owned());
        }
        let mut command = Self::default();
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
                if matches!(c, 'G' | 'I') {
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
            "-A" | "--user-agent" | "-e" | "--referer" => drop(value()?),
            "-b" | "--cookie" => self.add_header("Cookie", &value()?),
            "-u" | "--user" => self.user = Some(value()?),
            "-d" | "--data" | "--data-raw" | "--data-ascii" | "--data-binary" => {
                let data = value()?;
                if data.starts_with('@') && name != "--data-raw" {
                    return Err(reads_file(name, &data));
                }
                self.add_data(&data, "&");
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
            "--json" => {
                self.add_data(&value()?, "");
                self.is_json = true;
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
            name if IGNORED.contains(&name) => drop(value()?),
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

/// Splits a command line into words. Browsers write `$'…'` for text with quotes and line breaks, and
/// continue lines with a backslash.
///
/// # Errors
/// A quote that is not closed.
fn split(line: &str) -> Result<Vec<String>, String> {
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
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_bash() {
        for (line, expected) in [
            ("curl a\\\n  b", vec!["curl", "a", "b"]),
            ("-H 'a: \"b\"' \"c\\\"d\"", vec!["-H", "a: \"b\"", "c\"d"]),
            (r"$'it\'s\n\u0021\x41'", vec!["it's\n!A"]),
            ("a'b'\"c\"d ''", vec!["abcd", ""]),
            (r"'\n' a\ b $x", vec!["\\n", "a b", "$x"]),
        ] {
            assert_eq!(split(line).expect(line), expected, "{line}");
        }
        assert_eq!(split("'a"), Err("the quote ' is not closed".to_owned()));
    }
}
