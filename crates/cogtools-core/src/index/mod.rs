//! The two tools that lead to all others, for hosts that are told of a few only.
//!
//! `find_tool` searches, `call_tool` calls what was found. They are built in, so
//! that every program that asks the [`Registry`] for a tool has them; no list of
//! a project's tools does.

mod answer;
mod rank;
mod word;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::arguments::Arguments;
use crate::implementation::{Answer, Implementation, RunError};
use crate::text::Text;
use crate::tool::{Accepted, ToolError};
use crate::{Code, Fault, Name, Registry, Tool};

/// What a built-in tool does with the tools of a project.
#[derive(Clone, Debug)]
pub struct Index {
    kind: Kind,
    registry: Registry,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Find,
    Call,
}

/// The built-in tool of that name, over the tools of `registry`.
pub(crate) fn tool(name: &str, registry: &Registry) -> Option<Result<Tool, ToolError>> {
    let (kind, name, text) = match name {
        Name::FIND => (Kind::Find, Name::FIND, include_str!("find_tool.yaml")),
        Name::CALL => (Kind::Call, Name::CALL, include_str!("call_tool.yaml")),
        _ => return None,
    };
    let shown = PathBuf::from(name);
    let defect = || ToolError::Defect(shown.clone());
    let text = Text::new(shown.clone(), text.into()).map_err(|_| defect());
    let index = Index {
        kind,
        registry: registry.clone(),
    };
    let way = Implementation::Index(Arc::new(index));
    let named = |tool: Tool| tool.built_in(Name::reserved(name), way);
    Some(text.and_then(Tool::parse).map(named))
}

impl Index {
    /// The tool that `arguments` name, with its own arguments held against it; for
    /// the one that calls.
    pub(crate) fn target(
        &self,
        arguments: &mut Map<String, Value>,
    ) -> Result<Option<(Tool, Accepted)>, Vec<Fault>> {
        if self.kind == Kind::Find {
            return Ok(None);
        }
        let name = arguments.get("name").and_then(Value::as_str);
        let name = name.unwrap_or_default();
        let tool = self.registry.find(name).map_err(|error| {
            let mut faults = error.faults();
            if let Some(first) = faults.first_mut() {
                let hint = format!("{} searches all tools there are", Name::FIND);
                first.hints.push(hint.into());
            }
            faults
        })?;
        let own = match arguments.shift_remove("arguments") {
            Some(Value::Object(own)) => own,
            _ => Map::new(),
        };
        let accepted = tool.accept(Arguments::from(own));
        match accepted {
            Ok(accepted) => Ok(Some((tool, accepted))),
            Err(error) => Err(error.faults(&tool)),
        }
    }

    /// Searches; for the one that finds.
    pub(crate) fn find(&self, arguments: &Map<String, Value>) -> Result<Answer, RunError> {
        let query = arguments.get("query").and_then(Value::as_str);
        let limit = arguments.get("limit").and_then(Value::as_u64);
        let (Some(query), Some(limit)) = (query, limit) else {
            let fault = Fault::new(Code::Internal, "a search without a query or a limit");
            return Err(Box::new(fault.about(Name::FIND)));
        };
        let found = self.registry.map(Result::ok);
        let tools: Vec<Tool> = found.items.into_iter().flatten().collect();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let ranked = rank::rank(query, &tools);
        Ok(Answer::new(answer::text(query, &tools, &ranked, limit)))
    }
}
