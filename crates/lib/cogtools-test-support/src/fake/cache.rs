//! Caches: prompts' beginnings that the API keeps for a while.

use std::time::Duration;

use serde_json::{Value, json};

use super::clock::{Clock, read, written};
use super::error::ApiError;
use super::field::{field, items};
use super::message;
use super::model::Model;
use super::{rules, tokens};

/// The time to live of a cache that asks for none.
const DEFAULT_TTL: Duration = Duration::from_hours(1);

const ABSENT: &str = "CachedContent not found (or permission denied)";

/// A cache.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    name: String,
    /// The name of its model, without a path.
    pub(super) model: String,
    /// The request that made it.
    pub(super) body: Value,
    pub(super) tokens: u64,
    created: Duration,
    updated: Duration,
    expires: Duration,
}

/// The caches of a fake.
#[derive(Debug, Default)]
pub(super) struct Caches {
    caches: Vec<Cache>,
    made: usize,
}

impl Caches {
    /// Makes a cache; `project` is the beginning of its name on Vertex AI.
    pub(super) fn create(
        &mut self,
        body: &Value,
        project: Option<&str>,
        models: &[Model],
        clock: &Clock,
    ) -> Result<Value, ApiError> {
        let mut complaints = Vec::new();
        message::CACHE.check(body, "", &mut complaints);
        let contents = items(&body["contents"]);
        for (index, content) in contents.iter().enumerate() {
            rules::shape(content, &format!("contents[{index}]"), &mut complaints);
        }
        if !complaints.is_empty() {
            return Err(ApiError::new(400).message(complaints.join("\n")));
        }
        let model = body["model"].as_str().unwrap_or_default();
        let model = model.rsplit('/').next().unwrap_or_default();
        let known = models.iter().find(|known| known.name() == model);
        let known = known.ok_or_else(|| super::answer::unknown_model(model, "v1beta"))?;
        let (tokens, min) = (tokens::of_prompt(body), known.smallest_cache());
        if tokens < min {
            return Err(ApiError::new(400).message(format!(
                "Cached content is too small. total_token_count={tokens}, \
                 min_total_token_count={min}"
            )));
        }
        let now = clock.now();
        let prefix = project.map_or_else(String::new, |project| format!("{project}/"));
        self.made += 1;
        let cache = Cache {
            name: format!("{prefix}cachedContents/cache-{}", self.made),
            model: model.to_owned(),
            body: body.clone(),
            tokens,
            created: now,
            updated: now,
            expires: expiry(body, now)?.unwrap_or(now + DEFAULT_TTL),
        };
        let shown = cache.shown();
        self.caches.push(cache);
        Ok(shown)
    }

    /// A cache that has not expired.
    pub(super) fn get(&self, name: &str, clock: &Clock) -> Result<&Cache, ApiError> {
        let found = self.caches.iter().find(|cache| cache.name == name);
        let found = found.filter(|cache| cache.expires > clock.now());
        found.ok_or_else(|| ApiError::new(403).message(ABSENT))
    }

    /// All caches that have not expired.
    pub(super) fn list(&self, clock: &Clock) -> Value {
        let now = clock.now();
        let live = self.caches.iter().filter(|cache| cache.expires > now);
        let shown: Vec<Value> = live.map(Cache::shown).collect();
        if shown.is_empty() {
            json!({})
        } else {
            json!({ "cachedContents": shown })
        }
    }

    /// Gives a cache a new time to live, which is all that can be changed.
    pub(super) fn update(
        &mut self,
        name: &str,
        body: &Value,
        clock: &Clock,
    ) -> Result<Value, ApiError> {
        self.get(name, clock)?;
        let now = clock.now();
        let expires = expiry(body, now)?
            .ok_or_else(|| ApiError::new(400).message("only ttl and expire_time can be updated"))?;
        let mut found = self.caches.iter_mut().filter(|cache| cache.name == name);
        let cache = found
            .next()
            .ok_or_else(|| ApiError::new(403).message(ABSENT))?;
        (cache.updated, cache.expires) = (now, expires);
        Ok(cache.shown())
    }

    /// Ends a cache.
    pub(super) fn delete(&mut self, name: &str, clock: &Clock) -> Result<Value, ApiError> {
        self.get(name, clock)?;
        self.caches.retain(|cache| cache.name != name);
        Ok(json!({}))
    }
}

impl Cache {
    /// The description of a cache in the API: everything but its content.
    pub(super) fn shown(&self) -> Value {
        let mut shown = json!({
            "name": self.name,
            "model": self.body["model"],
            "createTime": written(self.created),
            "updateTime": written(self.updated),
            "expireTime": written(self.expires),
            "usageMetadata": { "totalTokenCount": self.tokens },
        });
        let title = field(&self.body, "displayName");
        if !title.is_null() {
            shown["displayName"] = title.clone();
        }
        shown
    }
}

/// When a cache expires, if `body` says so: a time, or seconds from `now`.
fn expiry(body: &Value, now: Duration) -> Result<Option<Duration>, ApiError> {
    let wrong = |what: &str| ApiError::new(400).message(format!("Invalid value at '{what}'"));
    if let Some(ttl) = body["ttl"].as_str() {
        let seconds = ttl
            .strip_suffix('s')
            .and_then(|seconds| seconds.parse().ok());
        let ttl = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let ttl = ttl
            .filter(|ttl| !ttl.is_zero())
            .ok_or_else(|| wrong("ttl"))?;
        return Ok(Some(now + ttl));
    }
    let Some(time) = field(body, "expireTime").as_str() else {
        return Ok(None);
    };
    let time = read(time).filter(|time| *time > now);
    time.map(Some).ok_or_else(|| wrong("expire_time"))
}
