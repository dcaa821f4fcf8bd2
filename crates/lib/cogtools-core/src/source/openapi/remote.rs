//! A specification at a URL: requested by `cogtools http`, cached, and approved by its content.
//!
//! Before the user has approved it, a project makes nobody request anything. A call takes what is
//! cached, however old it is; a list requests what is too old, and takes the cached one if that
//! fails.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Fault, MAX_BYTES, Operation, Options, Place, Specification, parse};
use crate::cached;
use crate::http::HostRule;
use crate::tool::{Tool, fetch};
use crate::trust::{Grant, Identity, Verdict};
use crate::{Code, Context, Diagnostic, ListWait, digest};

/// The limit of a request, and in a list that waits for a moment only.
const LIMIT: Duration = Duration::from_secs(30);
const MOMENT: Duration = Duration::from_millis(1500);
/// The time for which it is cached, unless the configuration says otherwise.
const CACHE_TTL: Duration = Duration::from_hours(24);

/// The URL of a specification, and what is known of its content.
#[derive(Debug)]
pub(super) struct Remote {
    url: String,
    cache: Option<Duration>,
    /// The grant of the content that is used.
    approved: OnceLock<Grant>,
    /// The content that is reviewed.
    reviewed: OnceLock<Result<Vec<u8>, Fault>>,
}

impl Remote {
    pub(super) fn approved(&self) -> Option<&Grant> {
        self.approved.get()
    }

    /// The cached content; `None` if nothing is cached.
    fn file(&self, cx: &Context) -> Option<PathBuf> {
        self.cache?;
        let name = format!("{}.json", digest::bytes(self.url.as_bytes()));
        Some(cx.cache.as_ref()?.join("specifications").join(name))
    }

    /// Requests the content, and caches it. If that fails, returns the cached one.
    fn request(&self, options: &Options, limit: Duration, cx: &Context) -> Result<Vec<u8>, Fault> {
        const HINT: &str = "check the URL in `openapi`, and `hosts` for one that is not public";
        let hosts = options.hosts.iter().filter_map(|it| HostRule::parse(it));
        let fetched = fetch(&self.url, hosts.collect(), MAX_BYTES, limit, cx);
        let file = self.file(cx);
        if let Ok(bytes) = &fetched {
            cached::write(file.as_deref(), bytes);
        }
        fetched.or_else(|error| {
            let stored = file.and_then(|file| cached::read(&file, MAX_BYTES));
            stored.ok_or(Fault::Unusable((error.message, HINT)))
        })
    }
}

impl Specification {
    /// Makes the specification at `url`, which is cached for `cache`; for a day if it is `None`.
    pub fn at_url(
        url: String,
        cache: Option<Duration>,
        is_users: bool,
        mut options: Options,
    ) -> Self {
        let display_path = PathBuf::from(&url);
        options.base = Some(url.clone());
        let cache = cache.unwrap_or(CACHE_TTL);
        let remote = Remote {
            url,
            cache: (!cache.is_zero()).then_some(cache),
            approved: OnceLock::new(),
            reviewed: OnceLock::new(),
        };
        Self::at(
            Place::Url(Arc::new(remote)),
            display_path,
            is_users,
            options,
        )
    }

    /// Returns the URL, if it is at one.
    pub fn url(&self) -> Option<&str> {
        match &self.place {
            Place::File(..) => None,
            Place::Url(remote) => Some(&remote.url),
        }
    }

    /// Returns true if the user has to approve its content.
    pub fn requires_approval(&self) -> bool {
        self.url().is_some() && !self.is_users
    }

    /// Returns the source and the tool under which it is recorded.
    pub(crate) fn key(&self, cx: &Context) -> (String, String) {
        let source = format!("openapi:{}:{}", self.options.name, cx.root.display());
        (source, self.url().unwrap_or_default().to_owned())
    }

    /// Returns the grant of its content and its options, which decide where requests go.
    fn grant_of(&self, bytes: &[u8], cx: &Context) -> Grant {
        let (source, tool) = self.key(cx);
        let content = json!([digest::bytes(bytes).to_string(), &*self.options]);
        let hash = Identity::of(&cx.root).bind(digest::value(&content));
        Grant { source, tool, hash }
    }

    /// Requests its content for a review, once, and returns its grant.
    pub(crate) fn grant(&self, cx: &Context) -> Result<Grant, Box<Diagnostic>> {
        let bytes = self.reviewed(cx).map_err(|fault| self.diagnostic(&fault))?;
        Ok(self.grant_of(bytes, cx))
    }

    /// Returns its tools as they are reviewed, and the number of operations that are none.
    ///
    /// # Errors
    /// It cannot be requested, or is no specification that can be used.
    pub fn review(&self, cx: &Context) -> Result<&(Vec<Tool>, usize), &Diagnostic> {
        let read = || -> Result<Vec<Operation>, Fault> {
            let root = parse(&self.display_path, self.reviewed(cx)?.to_vec())?;
            Ok(self.operations_of(&root, cx, None)?)
        };
        let tools = || {
            let operations = read().map_err(|fault| self.diagnostic(&fault))?;
            let tools = operations.iter().filter(|it| it.document.is_ok());
            let tools: Vec<Tool> = tools.filter_map(|it| self.load(it).ok()).collect();
            let followers: usize = operations.iter().map(|it| it.followers).sum();
            let left_out = operations.len() + followers - tools.len();
            Ok((tools, left_out))
        };
        let review = self.review.get_or_init(tools).as_ref();
        review.map_err(|error| &**error)
    }

    fn diagnostic(&self, fault: &Fault) -> Box<Diagnostic> {
        let error = self.error(fault).map(|error| error.diagnostic());
        let absent = || Diagnostic::new(Code::InvalidConfig, "nothing may be requested now");
        Box::new(error.unwrap_or_else(absent))
    }

    fn reviewed(&self, cx: &Context) -> Result<&[u8], Fault> {
        let Place::Url(remote) = &self.place else {
            return Err(Fault::Absent);
        };
        let request = || remote.request(&self.options, LIMIT, cx);
        let reviewed = remote.reviewed.get_or_init(request).as_ref();
        reviewed.map(Vec::as_slice).map_err(Clone::clone)
    }

    /// Reads it if the user has approved it; `is_call` if it is needed for a call.
    pub(super) fn read_remote(
        &self,
        remote: &Remote,
        is_call: bool,
        cx: &Context,
    ) -> Result<Value, Fault> {
        let record = || cx.trust.read().unwrap_or_default();
        let (source, tool) = self.key(cx);
        if self.requires_approval() && !record().knows(&source, &tool) {
            return Err(Fault::NotApproved(false));
        }
        let bytes = self.content(remote, is_call, cx)?;
        let grant = self.grant_of(&bytes, cx);
        if self.requires_approval() && record().verdict(&grant) != Verdict::Approved {
            return Err(Fault::NotApproved(true));
        }
        let _ = remote.approved.set(grant);
        Ok(parse(Path::new(&remote.url), bytes)?)
    }

    fn content(&self, remote: &Remote, is_call: bool, cx: &Context) -> Result<Vec<u8>, Fault> {
        let file = remote.file(cx);
        let is_fresh = file.as_deref().zip(remote.cache);
        let is_fresh = is_fresh.is_some_and(|(file, age)| cached::is_fresh(file, age));
        let takes_stored = is_fresh || is_call || cx.list.cached_only;
        if takes_stored
            && !cx.list.refresh
            && let Some(bytes) = file.and_then(|file| cached::read(&file, MAX_BYTES))
        {
            return Ok(bytes);
        }
        if cx.list.cached_only {
            return Err(Fault::Absent);
        }
        let limit = match cx.list.wait {
            ListWait::Timeout => LIMIT,
            _ if is_call || cx.list.refresh => LIMIT,
            _ => MOMENT,
        };
        remote.request(&self.options, limit, cx)
    }
}
