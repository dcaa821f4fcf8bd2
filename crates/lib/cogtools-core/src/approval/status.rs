//! The approval of a source: its status, and changes to it.

use super::{Kind, TrustableSource, package};
use crate::store::{PackageStore, ProviderStore};
use crate::trust::{Grant, Record, RecordError, Verdict};
use crate::{Code, Context, Diagnostic};

/// Whether a source may run.
#[derive(Debug)]
pub struct ApprovalStatus {
    /// Whether all of it may run.
    pub verdict: Verdict,
    /// The error that prevented a complete answer.
    pub diagnostic: Option<Diagnostic>,
}

/// The content of a source at the time of its review.
#[derive(Debug)]
pub struct Reviewed(Vec<Grant>);

/// Records that the user trusts the project of `cx`.
pub fn trust_project(cx: &Context) -> Result<(), Box<Diagnostic>> {
    let failed = |error: RecordError| Box::new(error.diagnostic());
    let update = cx.trust.update(|record| record.trust_project(&cx.root));
    if update.map_err(failed)? {
        Ok(())
    } else {
        Err(failed(RecordError::Path(cx.root.clone())))
    }
}

impl TrustableSource {
    /// Its current content, to be taken before it is shown.
    pub fn content(&self, cx: &Context) -> Result<Reviewed, Box<Diagnostic>> {
        self.grants(cx).map(Reviewed)
    }

    /// Records that the user approves the `reviewed` content, and returns the tools that a
    /// provider then declares, each of which is approved too.
    ///
    /// # Errors
    ///
    /// If the content is no longer the same, nothing is approved. If a provider's discovery
    /// fails, the provider itself is approved.
    pub fn approve(
        &self,
        reviewed: &Reviewed,
        cx: &Context,
    ) -> Result<Vec<Grant>, Box<Diagnostic>> {
        let failed = |error: RecordError| Box::new(error.diagnostic());
        let update = |grants: &[Grant]| {
            let approve = |record: &mut Record| grants.iter().for_each(|it| record.approve(it));
            cx.trust.update(approve).map_err(failed)
        };
        let grants = self.grants(cx)?;
        if grants != reviewed.0 {
            let message = "not approved: it has changed since it was shown";
            let diagnostic = Diagnostic::new(Code::Denied, message)
                .with_subject(self.qualified_name())
                .hint("review it again");
            return Err(Box::new(diagnostic));
        }
        if grants.is_empty() {
            trust_project(cx)?;
            return Ok(Vec::new());
        }
        self.revoke(cx)?;
        update(&grants)?;
        let tools = self.tools(cx).map_err(|mut diagnostic| {
            let hint = "its command is now approved, but none of its tools is";
            diagnostic.hints.push(hint.into());
            diagnostic
        })?;
        update(&tools)?;
        Ok(tools)
    }

    /// Ends its approval. Returns false if there was none.
    pub fn revoke(&self, cx: &Context) -> Result<bool, Box<Diagnostic>> {
        let loaded = match &self.kind {
            Kind::Package { root, .. } => Some(package::loaded_key(root, cx)),
            Kind::Project { .. } | Kind::Provider(_) => None,
        };
        let was_approved = cx.trust.update(|record| {
            if let Some((source, tool)) = &loaded {
                record.revoke(source, tool);
            }
            match self.key(cx) {
                Some((source, tool)) => record.revoke(&source, &tool),
                None => record.distrust_project(&cx.root),
            }
        });
        match (&self.kind, &cx.state) {
            (Kind::Package { root, .. }, Some(state)) => PackageStore::new(state).remove(root),
            (Kind::Provider(provider), Some(state)) => {
                ProviderStore::new(state).remove(&provider.key(cx));
            }
            _ => {}
        }
        was_approved.map_err(|error| Box::new(error.diagnostic()))
    }

    /// Whether it may run. The discovery of an approved provider is run, because each
    /// new or changed tool requires approval too.
    pub fn status(&self, cx: &Context) -> ApprovalStatus {
        match self.verdict(cx) {
            Ok(verdict) => ApprovalStatus {
                verdict,
                diagnostic: None,
            },
            Err((verdict, diagnostic)) => ApprovalStatus {
                verdict,
                diagnostic: Some(*diagnostic),
            },
        }
    }

    /// Whether it is approved itself: unlike its status, this does not run an approved
    /// provider to see whether its tools are approved, too.
    pub fn own_verdict(&self, cx: &Context) -> Result<Verdict, Box<Diagnostic>> {
        let failed = |error: RecordError| Box::new(error.diagnostic());
        let record = cx.trust.read().map_err(failed)?;
        if let Kind::Provider(provider) = &self.kind
            && !record.knows(&provider.key(cx), "")
        {
            // As at a call, nothing is hashed for it.
            return Ok(Verdict::NotApproved);
        }
        let grants = self.grants(cx)?;
        let Some((own, more)) = grants.split_first() else {
            return cx.trust.project_verdict(&cx.root).map_err(failed);
        };
        let is_approved = |grant: &Grant| record.verdict(grant) == Verdict::Approved;
        Ok(match record.verdict(own) {
            Verdict::Approved if !more.iter().all(is_approved) => Verdict::Changed,
            verdict => verdict,
        })
    }

    fn verdict(&self, cx: &Context) -> Result<Verdict, (Verdict, Box<Diagnostic>)> {
        let not_approved = |diagnostic| (Verdict::NotApproved, diagnostic);
        let verdict = self.own_verdict(cx).map_err(not_approved)?;
        if verdict != Verdict::Approved || !matches!(self.kind, Kind::Provider(_)) {
            return Ok(verdict);
        }
        let record = cx
            .trust
            .read()
            .map_err(|error| not_approved(Box::new(error.diagnostic())))?;
        let tools = self
            .tools(cx)
            .map_err(|diagnostic| (Verdict::Approved, diagnostic))?;
        let all = tools
            .iter()
            .all(|tool| record.verdict(tool) == Verdict::Approved);
        Ok(if all {
            Verdict::Approved
        } else {
            Verdict::Changed
        })
    }
}
