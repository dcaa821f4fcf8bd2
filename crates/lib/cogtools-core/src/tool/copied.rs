//! A tool in the private copy of its package.

use std::sync::Arc;

use super::{Tool, ToolError};
use crate::containment::Boundary;
use crate::text::Text;

impl Tool {
    /// What it may run, if it is a package's.
    pub(crate) fn boundary(&self) -> Option<&Boundary> {
        self.boundary.as_deref()
    }

    /// The same tool in a private copy of its package, whose file is `text`.
    pub(crate) fn copied(&self, text: Text, boundary: Boundary) -> Result<Self, ToolError> {
        let mut copy = Self::parse(text)?;
        copy.provenance = Arc::clone(&self.provenance);
        copy.boundary = Some(Box::new(boundary));
        Ok(copy)
    }
}
