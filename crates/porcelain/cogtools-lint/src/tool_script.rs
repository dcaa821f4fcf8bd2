//! The scripts of a tool: the one in its file, or those next to it that its command runs.

use cogtools_core::Location;
use cogtools_core::text::{Span, Text};
use cogtools_core::yaml::Node;

use crate::lint_file::LintFile;
use crate::program::{Language, Role, interpreter_name, words};

/// Longer scripts are not examined.
const MAX_BYTES: usize = 256 * 1024;

/// A script that a tool runs.
#[derive(Clone)]
pub(crate) struct ToolScript {
    pub(crate) language: Language,
    text: String,
    /// The file that it is in, if it is not the tool's.
    file: Option<Text>,
    /// It is the tool's `script`.
    is_whole: bool,
    /// Where the tool names it.
    span: Span,
}

/// The scripts of a tool.
pub(crate) fn of(file: &LintFile) -> Vec<ToolScript> {
    let inline = file.implementation("script");
    if let Some((node, text)) = inline.and_then(|node| Some((node, node.text()?))) {
        return vec![ToolScript {
            is_whole: true,
            ..ToolScript::new(text.to_owned(), node.span)
        }];
    }
    let mut found = Vec::new();
    let mut interpreter = "sh";
    for word in words(file) {
        if let Some(name) = interpreter_name(word.text) {
            interpreter = name;
        }
        if word.role == Role::Code && !word.is_template {
            // The first line says whose code it is.
            let text = format!("#!{interpreter}\n{}", word.text);
            found.push(ToolScript::new(text, word.span));
        }
        let is_own = word.text.starts_with("./") || word.text.starts_with("../");
        if word.role != Role::Program || word.is_template || !is_own {
            continue;
        }
        let path = file.path.with_file_name(word.text);
        let name = word.text.trim_start_matches("./");
        let name = file.text.display_path().with_file_name(name);
        let read = Text::read(&path, &name, file.text.scope()).ok();
        if let Some(text) =
            read.filter(|it| it.as_str().len() <= MAX_BYTES && it.as_str().starts_with("#!"))
        {
            let script = ToolScript::new(text.as_str().to_owned(), word.span);
            found.push(ToolScript {
                file: Some(text),
                ..script
            });
        }
    }
    found
}

impl ToolScript {
    /// A script in the file of the tool.
    fn new(text: String, span: Span) -> Self {
        Self {
            language: Language::of(&text),
            text,
            file: None,
            is_whole: false,
            span,
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// True for the tool's `script`.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns true if it is a file, or the whole of the tool's implementation.
    pub(crate) fn is_of_file(&self) -> bool {
        self.file.is_some() || self.is_whole
    }

    /// The location of `length` bytes at an offset of the script.
    pub(crate) fn location(&self, file: &LintFile, at: usize, length: usize) -> Location {
        if let Some(text) = &self.file {
            return text.location(Span::new(at, at + length));
        }
        let line = self.text[..at].matches('\n').count();
        let line = self.text.lines().nth(line).unwrap_or_default().trim();
        let raw = file.raw(self.span);
        let start = raw.find(line).filter(|_| !line.is_empty());
        let column = self.text[..at]
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .trim_start()
            .len();
        let found = start.map(|start| self.span.start + start + column);
        let span = found.map_or(self.span, |start| Span::new(start, start + length));
        file.text.location(span)
    }
}

/// The span of `text` in the value `node`, or of the value.
pub(crate) fn find(file: &LintFile, node: &Node, text: &str) -> Span {
    let raw = file.raw(node.span);
    raw.find(text).map_or(node.span, |at| {
        let start = node.span.start + at;
        Span::new(start, start + text.len())
    })
}
