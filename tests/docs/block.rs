//! A fenced block of a document.

/// A fenced block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The first word after the fence: `console`, `yaml`.
    pub(super) language: String,
    /// The rest of the line: `file="tools/a.yaml"`, `skip="needs cargo"`.
    info: String,
    /// The line of the document on which its content begins, from 1.
    pub(super) line: usize,
    /// The indentation of its fence.
    pub(super) indent: usize,
    /// Its lines, without the indentation of its fence.
    pub(super) content: String,
}

impl Block {
    /// The value of `key="…"` after the fence.
    pub(super) fn option(&self, key: &str) -> Option<&str> {
        let (_, rest) = self.info.split_once(&format!("{key}=\""))?;
        rest.split_once('"').map(|(value, _)| value)
    }

    /// Returns true if the content is YAML with this key at its top.
    pub(super) fn has_key(&self, key: &str) -> bool {
        let key = format!("{key}:");
        self.language == "yaml" && self.content.lines().any(|line| line.starts_with(&key))
    }

    /// Every fenced block in `text`, and the lines outside all blocks with
    /// their numbers.
    pub(super) fn split(text: &str) -> (Vec<Self>, Vec<(usize, String)>) {
        let (mut blocks, mut prose) = (Vec::new(), Vec::new());
        let mut open: Option<Self> = None;
        for (number, line) in (1..).zip(text.lines()) {
            let plain = line.trim_start();
            let fence = plain.strip_prefix("```");
            match (&mut open, fence) {
                (None, Some(words)) => {
                    let (language, info) = words.split_once(' ').unwrap_or((words, ""));
                    let block = Self {
                        language: language.to_owned(),
                        info: info.to_owned(),
                        line: number + 1,
                        indent: line.len() - plain.len(),
                        content: String::new(),
                    };
                    open = Some(block);
                }
                (Some(_), Some("")) => blocks.extend(open.take()),
                (Some(block), _) => {
                    let content = line.get(block.indent..);
                    block.content.push_str(content.unwrap_or(""));
                    block.content.push('\n');
                }
                (None, None) => prose.push((number, line.to_owned())),
            }
        }
        assert!(open.is_none(), "a fence is not closed: {open:?}");
        (blocks, prose)
    }
}
