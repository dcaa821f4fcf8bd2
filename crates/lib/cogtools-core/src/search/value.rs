//! Values in a request, which are arguments of the tool that it needs: they are recognized by
//! their form, and say what kind of parameter it has.

use super::stem::stem;
use super::tokens::tokens;

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Cells of a sheet, such as `B2:B10`.
    Cells,
    Channel,
    Email,
    Emoji,
    File,
    Folder,
    Identifier,
    Issue,
    MergeRequest,
    Number,
    /// `owner/name`.
    Repository,
    /// `database.table`.
    Table,
    Url,
    User,
    Version,
}

/// A value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// The stems of parameters that take it.
    pub(super) stems: Vec<String>,
    /// What it adds to the words of the request, such as the extension of a file.
    pub(super) words: Vec<String>,
    /// Whether these are names rather than what is asked for.
    pub(super) is_quotation: bool,
}

impl Value {
    /// The value that `text` is, a piece of a request without white space.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let kind = Kind::of(text)?;
        let words = match kind {
            Kind::File => extension(text).map(str::to_lowercase).into_iter().collect(),
            // A tool can have these in its name.
            Kind::Repository | Kind::Table | Kind::Number | Kind::Identifier | Kind::Version => {
                tokens(text)
            }
            _ => Vec::new(),
        };
        Some(Self {
            stems: kind.parameters().split(' ').map(stem).collect(),
            words,
            is_quotation: kind != Kind::File,
        })
    }
}

impl Kind {
    /// Words of parameters for values of this kind.
    const fn parameters(self) -> &'static str {
        match self {
            Self::Cells => "address range cell",
            Self::Channel => "channel",
            Self::Email => "email mail user recipient",
            Self::Emoji => "emoji reaction",
            Self::File => "path file",
            Self::Folder => "path directory folder",
            Self::Identifier => "id",
            Self::Issue => "issue number",
            Self::MergeRequest => "merge",
            Self::Number => "number limit count",
            Self::Repository => "repository repo project",
            Self::Table => "collection table database",
            Self::Url => "url link page",
            Self::User => "user username",
            Self::Version => "version tag release",
        }
    }

    fn of(text: &str) -> Option<Self> {
        if let Some(kind) = Self::marked(text) {
            Some(kind)
        } else if is_range(text) {
            Some(Self::Cells)
        } else if is_path(text) {
            let is_file = extension(text).is_some();
            Some(if is_file { Self::File } else { Self::Folder })
        } else if is_host(text) {
            Some(Self::Url)
        } else if extension(text).is_some() {
            Some(Self::File)
        } else {
            Self::numbered(text).or_else(|| Self::paired(text))
        }
    }

    /// The kind of a value that a mark shows.
    fn marked(text: &str) -> Option<Self> {
        if text.contains("://") {
            return Some(Self::Url);
        }
        let mut letters = text.chars();
        let (mark, rest) = (letters.next()?, letters.as_str());
        match mark {
            '#' if is_number(rest) => Some(Self::Issue),
            '#' if is_name(rest) => Some(Self::Channel),
            '@' if is_name(rest) => Some(Self::User),
            '!' if is_number(rest) => Some(Self::MergeRequest),
            ':' if rest.strip_suffix(':').is_some_and(is_name) => Some(Self::Emoji),
            _ => {
                let (user, host) = text.split_once('@')?;
                (is_name(user) && host.contains('.')).then_some(Self::Email)
            }
        }
    }

    /// The kind of a value with digits.
    fn numbered(text: &str) -> Option<Self> {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let is_version = |text: &str| text.split('.').all(is_number);
        if is_number(text) {
            Some(Self::Number)
        } else if is_version(text) || text.strip_prefix('v').is_some_and(is_version) {
            Some(Self::Version)
        } else {
            let is_mixed = text.bytes().any(|byte| byte.is_ascii_alphabetic());
            let is_identifier = digits >= 2 && text.len() >= 5 && is_mixed || digits >= 8;
            is_identifier.then_some(Self::Identifier)
        }
    }

    /// The kind of two names with a mark between.
    fn paired(text: &str) -> Option<Self> {
        let has_two = |mark: char| text.split(mark).count() == 2 && text.split(mark).all(is_name);
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        if has_two('/') {
            Some(Self::Repository)
        } else {
            (has_two('.') && !has_digit).then_some(Self::Table)
        }
    }
}

/// Whether `text` is a range of cells of a sheet. A cell alone, such as `S3`, may be anything.
fn is_range(text: &str) -> bool {
    const MAX_COLUMN: usize = 3;
    let is_cell = |text: &str| {
        let row = text.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
        (1..=MAX_COLUMN).contains(&(text.len() - row.len())) && is_number(row)
    };
    let ends = text.split_once(':');
    ends.is_some_and(|(first, last)| is_cell(first) && is_cell(last))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_name(text: &str) -> bool {
    text.starts_with(char::is_alphanumeric)
}

fn is_path(text: &str) -> bool {
    const BEGINNINGS: [&str; 4] = ["/", "~/", "./", "../"];
    let is_windows = text.get(1..3) == Some(":\\");
    let begins = BEGINNINGS.iter().any(|start| text.starts_with(start));
    let has_folders = text.ends_with('/') || text.matches('/').count() > 1;
    text.len() > 1 && (begins || is_windows || has_folders)
}

/// Whether `text` ends like the names of most hosts.
fn is_host(text: &str) -> bool {
    const DOMAINS: [&str; 8] = ["com", "org", "net", "io", "dev", "edu", "gov", "eu"];
    let host = text.split('/').next().unwrap_or_default();
    let domain = host.rsplit_once('.').map(|(_, domain)| domain);
    text.starts_with("www.") || domain.is_some_and(|domain| DOMAINS.contains(&domain))
}

/// The extension of the file name at the end of `text`, if it is one that files have.
fn extension(text: &str) -> Option<&str> {
    const EXTENSIONS: &str = "\
        avi bash bmp bz2 c cc cfg conf cpp cs css csv db doc docx env gif go gz h heapsnapshot \
        hpp html ics ini ipynb java jpeg jpg js json jsx key kt lock log md mkv mov mp3 mp4 odt \
        pdf pem php png ppt pptx ps1 py rb rs rst rtf sh sql sqlite svg swift tar tex toml ts \
        tsx txt wav webm webp xls xlsx xml yaml yml zip";
    let (name, extension) = text.rsplit_once('.')?;
    let is_it = |known: &str| known.eq_ignore_ascii_case(extension);
    (!name.is_empty() && EXTENSIONS.split(' ').any(is_it)).then_some(extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_recognized_by_their_form() {
        for (text, expected) in [
            ("https://example.com/a?b", Some(Kind::Url)),
            ("docs.example.com", Some(Kind::Url)),
            ("www.example.at/page", Some(Kind::Url)),
            ("ada@example.com", Some(Kind::Email)),
            ("@ada", Some(Kind::User)),
            ("#general", Some(Kind::Channel)),
            ("#12", Some(Kind::Issue)),
            ("!12", Some(Kind::MergeRequest)),
            (":tada:", Some(Kind::Emoji)),
            ("/etc", Some(Kind::Folder)),
            ("~/Downloads", Some(Kind::Folder)),
            ("src/", Some(Kind::Folder)),
            ("/var/log/app.log", Some(Kind::File)),
            ("..\\notes.TXT", Some(Kind::File)),
            ("C:\\notes.txt", Some(Kind::File)),
            ("report.docx", Some(Kind::File)),
            ("5", Some(Kind::Number)),
            ("v2", Some(Kind::Version)),
            ("1.4.0", Some(Kind::Version)),
            ("9fceb02", Some(Kind::Identifier)),
            ("2024-01-01", Some(Kind::Identifier)),
            ("acme/web", Some(Kind::Repository)),
            ("shop.orders", Some(Kind::Table)),
            ("B2:B10", Some(Kind::Cells)),
            ("AB1:AC20", Some(Kind::Cells)),
            ("S3", None),
            ("B2:C", None),
            ("b2:c", None),
            ("deploy", None),
            ("k8s", None),
            ("half-finished", None),
            ("/", None),
            ("#", None),
            ("@", None),
            ("größe", None),
            ("京都", None),
            ("", None),
        ] {
            assert_eq!(Kind::of(text), expected, "{text}");
        }
    }

    #[test]
    fn a_value_says_which_parameters_take_it() {
        let file = Value {
            stems: vec!["path".to_owned(), "fil".to_owned()],
            words: vec!["png".to_owned()],
            is_quotation: false,
        };
        assert_eq!(Value::parse("/tmp/cat.PNG"), Some(file));
        let table = Value {
            stems: vec![
                "collect".to_owned(),
                "tabl".to_owned(),
                "databas".to_owned(),
            ],
            words: vec!["shop".to_owned(), "orders".to_owned()],
            is_quotation: true,
        };
        assert_eq!(Value::parse("shop.orders"), Some(table));
    }
}
