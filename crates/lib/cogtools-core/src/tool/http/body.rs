//! The body of a request.

use std::path::Path;

use serde_json::Value;

use super::url::parameters;
use super::{Body, FormPart, Present, header};
use crate::file::{self, ReadError, ReadScope, has_secrets};
use crate::tool::call::RunError;
use crate::tool::template::{Template, ValueTemplate, printed};
use crate::{Code, Context, Diagnostic, digest, lexical};

/// The largest file of a body, in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;

impl Body {
    /// Returns the media type and the bytes; `None` if the whole body is a value that is not there.
    pub(super) fn render(
        &self,
        present: &Present<'_>,
        cx: &Context,
    ) -> Result<Option<(String, Vec<u8>)>, RunError> {
        Ok(Some(match self {
            Self::Json(value) => {
                let Some(value) = present(value)? else {
                    return Ok(None);
                };
                (
                    "application/json".to_owned(),
                    value.to_string().into_bytes(),
                )
            }
            Self::Form(pairs) => (
                "application/x-www-form-urlencoded".to_owned(),
                present_all(pairs, present)?.into_bytes(),
            ),
            Self::Text(value) => {
                let Some(value) = present(value)? else {
                    return Ok(None);
                };
                let text = printed(&value);
                ("text/plain; charset=utf-8".to_owned(), text.into_bytes())
            }
            Self::Multipart(parts) => multipart(parts, present, cx)?,
        }))
    }
}

impl FormPart {
    pub(super) fn templates(&self) -> Vec<&Template> {
        match self {
            Self::Value(value) => value.templates(),
            Self::File {
                path,
                filename,
                media_type,
            } => {
                let others = filename.iter().chain(media_type);
                let all = std::iter::once(path).chain(others);
                all.flat_map(ValueTemplate::templates).collect()
            }
        }
    }
}

pub(super) fn present_all(
    pairs: &[(String, ValueTemplate)],
    present: &Present<'_>,
) -> Result<String, RunError> {
    let values = pairs
        .iter()
        .map(|(name, value)| Ok((name.as_str(), present(value)?)));
    let values: Vec<_> = values.collect::<Result<_, RunError>>()?;
    Ok(parameters(values.into_iter()))
}

/// Makes a multipart body. The boundary is a hash of the content, so that the same parts make the
/// same body.
fn multipart(
    parts: &[(String, FormPart)],
    present: &Present<'_>,
    cx: &Context,
) -> Result<(String, Vec<u8>), RunError> {
    let mut rendered = Vec::new();
    let mut all = Vec::new();
    for (name, part) in parts {
        let (value, file) = match part {
            FormPart::Value(value) => (value, None),
            FormPart::File {
                path,
                filename,
                media_type,
            } => (path, Some((filename, media_type))),
        };
        // Each item of a list is a part.
        let items = match present(value)? {
            Some(Value::Array(items)) => items,
            value => value.into_iter().collect(),
        };
        for item in items.iter().filter(|item| !item.is_null()) {
            let mut head = format!("Content-Disposition: form-data; name=\"{}\"", quoted(name));
            let mut bytes = printed(item).into_bytes();
            if let Some((filename, media_type)) = file {
                let text = |value: &Option<ValueTemplate>| {
                    let value = value.as_ref().map(present).transpose()?.flatten();
                    Ok::<_, RunError>(value.map(|it| printed(&it)))
                };
                let path = printed(item);
                bytes = read_file(&path, cx)?;
                let own = Path::new(&path).file_name().unwrap_or_default();
                let name = text(filename)?.unwrap_or_else(|| own.to_string_lossy().into_owned());
                let kind = text(media_type)?.unwrap_or("application/octet-stream".to_owned());
                let kind = header("type", kind)?;
                let own = format!("; filename=\"{}\"\r\nContent-Type: {kind}", quoted(&name));
                head.push_str(&own);
            }
            all.extend_from_slice(head.as_bytes());
            all.extend_from_slice(&bytes);
            rendered.push((head, bytes));
        }
    }
    let boundary = format!("cogtools-{}", digest::bytes(&all));
    let mut body = Vec::new();
    for (head, bytes) in rendered {
        body.extend_from_slice(format!("--{boundary}\r\n{head}\r\n\r\n").as_bytes());
        body.extend_from_slice(&bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok((format!("multipart/form-data; boundary={boundary}"), body))
}

/// Returns the text of a name in quotes, as browsers send it.
fn quoted(name: &str) -> String {
    let name = name
        .replace('"', "%22")
        .replace('\r', "%0D")
        .replace('\n', "%0A");
    name.replace('\0', "%00")
}

/// Reads a file of the project that has no secrets.
pub(super) fn read_file(path: &str, cx: &Context) -> Result<Vec<u8>, RunError> {
    let denied = |what: &str| {
        let diagnostic = Diagnostic::new(Code::Denied, format!("`{path}` {what}"));
        Box::new(diagnostic.hint("name another file of the project"))
    };
    let outside = "is outside the project";
    let below = file::below(&cx.root, &cx.root.join(path)).ok_or_else(|| denied(outside))?;
    let below = lexical(&below);
    let file = cx.root.join(&below);
    if has_secrets(&cx.root, &below) {
        return Err(denied("may contain secrets and is not sent"));
    }
    let read = file::read(&file, &ReadScope::project(&cx.root), MAX_FILE_BYTES);
    read.map(|(bytes, _)| bytes).map_err(|error| match error {
        ReadError::Outside { .. } => denied(outside),
        error => {
            let message = format!("`{path}` cannot be read: {error}");
            Box::new(Diagnostic::new(Code::ToolFailed, message))
        }
    })
}
