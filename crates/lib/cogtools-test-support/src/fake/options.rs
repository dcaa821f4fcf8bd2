//! Options of a fake, apart from its script.

use super::clock::Clock;
use super::model::Model;

/// The options of a fake; the default accepts any key and plays its script to every
/// request for content.
#[derive(Clone, Debug)]
pub struct Options {
    pub(super) key: Option<String>,
    pub(super) models: Vec<Model>,
    pub(super) clock: Clock,
    pub(super) answers_side_requests: bool,
    pub(super) checks_all_turns: bool,
    pub(super) caches_prefixes: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            key: None,
            models: Model::known(),
            clock: Clock::default(),
            answers_side_requests: false,
            checks_all_turns: false,
            caches_prefixes: false,
        }
    }
}

impl Options {
    /// The only key (of the Gemini API) or token (of Vertex AI) that is valid.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Adds a model, or replaces the one of that name.
    #[must_use]
    pub fn model(mut self, model: Model) -> Self {
        self.models.retain(|known| known.name() != model.name());
        self.models.push(model);
        self
    }

    /// The clock of the caches.
    #[must_use]
    pub fn clock(mut self, clock: &Clock) -> Self {
        self.clock = clock.clone();
        self
    }

    /// Requests that declare no functions get a neutral answer and do not advance the
    /// script: a host sends such requests on its own account.
    #[must_use]
    pub fn answer_side_requests(mut self) -> Self {
        self.answers_side_requests = true;
        self
    }

    /// Signatures are checked in all turns, not only in the current one: for clients
    /// that send their whole history.
    #[must_use]
    pub fn check_all_turns(mut self) -> Self {
        self.checks_all_turns = true;
        self
    }

    /// A prompt's beginning that an earlier prompt had as well counts as cached, as the
    /// API does without being asked.
    #[must_use]
    pub fn cache_prefixes(mut self) -> Self {
        self.caches_prefixes = true;
        self
    }
}
