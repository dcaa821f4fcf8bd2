//! What calls of a tool compile, kept for the next ones while the tool stays in memory.

use std::sync::{Mutex, OnceLock, PoisonError};

use super::{Output, Tool};
use crate::schema::{InvalidSchema, Schema, Validator};

/// The validator of a tool's own schema. A validator counts the time of one validation, so
/// calls that run at the same time have one each; the last one is kept.
#[derive(Debug, Default)]
pub(super) struct Validators(Mutex<Option<Box<Validator>>>);

impl Validators {
    /// The result of `work` with a validator of `schema`, which has to be the same each time.
    pub(super) fn with<T>(
        &self,
        schema: &Schema,
        work: impl FnOnce(&Validator) -> T,
    ) -> Result<T, InvalidSchema> {
        let kept = self.kept().take();
        let validator = match kept {
            Some(validator) => validator,
            None => Box::new(schema.validator()?),
        };
        let result = work(&validator);
        *self.kept() = Some(validator);
        Ok(result)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Option<Box<Validator>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A template that is compiled at its first call, and serves any number of them.
#[derive(Debug, Default)]
pub(super) struct CompiledTemplate(OnceLock<njk::Template>);

impl CompiledTemplate {
    /// The template, if it has been compiled.
    pub(super) fn kept(&self) -> Option<&njk::Template> {
        self.0.get()
    }

    /// The template, compiled by `compile` unless it has been.
    pub(super) fn get<E>(
        &self,
        compile: impl FnOnce() -> Result<njk::Template, E>,
    ) -> Result<&njk::Template, E> {
        match self.0.get() {
            Some(template) => Ok(template),
            None => compile().map(|template| self.0.get_or_init(|| template)),
        }
    }
}

/// The limited copy of a template, if its tool's calls can be brief.
#[derive(Debug, Default)]
pub(super) struct BriefTemplate(OnceLock<Option<njk::Template>>);

impl BriefTemplate {
    /// What a brief rendering may use: a step takes less than a microsecond.
    const LIMITS: njk::Limits = njk::Limits {
        fuel: 1_000,
        recursion: 16,
        output: 16 << 10,
    };

    /// The limited copy of `compiled`, the template of `tool`.
    pub(super) fn get(&self, tool: &Tool, compiled: &njk::Template) -> Option<&njk::Template> {
        let limited = || {
            let is_brief = tool.schema().is_validated_fast() && *tool.output() == Output::Text;
            is_brief.then(|| compiled.alone_within(Self::LIMITS))
        };
        self.0.get_or_init(limited).as_ref()
    }
}
