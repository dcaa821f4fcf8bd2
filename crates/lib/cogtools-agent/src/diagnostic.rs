//! Errors of models, and ends of runs, as diagnostics.

use std::time::Duration;

use cogtools_core::{Code, Diagnostic, pluralize};
use cogtools_log::EndStatus;
use cogtools_model::{ApiErrorKind, Finish, HttpReason, ModelError, TlsReason, anthropic, openai};

use crate::RunEnd;

/// The code of an error.
pub fn code(error: &ModelError) -> Code {
    match error {
        ModelError::MissingKey { .. } | ModelError::InvalidVariable { .. } => Code::InvalidConfig,
        ModelError::Http(_) | ModelError::InvalidResponse(_) | ModelError::Program(_) => {
            Code::Unavailable
        }
        ModelError::Api(error) => match error.kind {
            ApiErrorKind::InvalidKey | ApiErrorKind::Forbidden => Code::Denied,
            ApiErrorKind::RateLimited
            | ApiErrorKind::QuotaExhausted
            | ApiErrorKind::Overloaded
            | ApiErrorKind::TimedOut
            | ApiErrorKind::Failed => Code::Unavailable,
            ApiErrorKind::NotFound | ApiErrorKind::InvalidRequest => Code::ModelFailed,
        },
        ModelError::NotRecorded { .. } => Code::StaleRecording,
        ModelError::Tape { .. } => Code::InvalidRecording,
        ModelError::Unsupported(_) => Code::ModelFailed,
    }
}

/// Returns true if the API has refused the request itself.
pub fn is_refused_request(error: &ModelError) -> bool {
    matches!(error, ModelError::Api(error) if error.kind == ApiErrorKind::InvalidRequest)
}

/// The error, with what to do about it. `model` is the name of the model.
pub fn diagnostic(error: &ModelError, model: &str) -> Diagnostic {
    let diagnostic = match error {
        // A difference has lines, which a message has not.
        ModelError::NotRecorded {
            nearest: Some(difference),
        } => {
            let message = "no recorded response matches the request; the nearest one differs";
            Diagnostic::new(code(error), message).with_details(difference.as_str())
        }
        _ => Diagnostic::new(code(error), error.to_string()),
    };
    let diagnostic = diagnostic.with_subject(model);
    let service_of = |variables: &[&str]| {
        let mut services = [&openai::SERVICE, &anthropic::SERVICE].into_iter();
        services.find(|service| variables.contains(&service.key))
    };
    let hint = match error {
        ModelError::MissingKey { variables } => match service_of(variables) {
            Some(service) => format!(
                "set {} to a key of the server; one on this machine, at {}, needs no key",
                service.key, service.base_url
            ),
            None => format!(
                "set {} to a key from https://aistudio.google.com/apikey, or use a model on this \
                 machine with --provider openai",
                variables[variables.len() - 1]
            ),
        },
        ModelError::Http(error) => network_hint(&error.reason).to_owned(),
        ModelError::Api(error) => match error.kind {
            ApiErrorKind::InvalidKey => "check the API key".to_owned(),
            ApiErrorKind::Forbidden => "check what the API key may be used for".to_owned(),
            ApiErrorKind::NotFound => {
                "cogtools ask --models, with the same --provider, lists the models".to_owned()
            }
            ApiErrorKind::QuotaExhausted => {
                let wait = error
                    .retry_after
                    .map_or("the next day".to_owned(), in_words);
                format!("the quota is used up; wait for {wait}, or use another model")
            }
            ApiErrorKind::RateLimited | ApiErrorKind::Overloaded => {
                let wait = error.retry_after.filter(|wait| *wait > MINUTE);
                let wait = wait.map_or("a minute".to_owned(), in_words);
                format!("try again in {wait}; the session can be continued")
            }
            ApiErrorKind::TimedOut | ApiErrorKind::Failed => {
                "try again; the session can be continued".to_owned()
            }
            // Its message says what is wrong.
            ApiErrorKind::InvalidRequest => return diagnostic,
        },
        ModelError::InvalidResponse(_) => "try again; the session can be continued".to_owned(),
        ModelError::NotRecorded { .. } => "record the tape again with --record".to_owned(),
        ModelError::Tape { .. } => {
            "name a file that --record has written, or record again under another name".to_owned()
        }
        _ => return diagnostic,
    };
    diagnostic.hint(hint)
}

impl RunEnd {
    /// Why the model is not done, without what helps, which depends on who runs it. `None` if it is
    /// done, or if the user has ended the run.
    pub fn failure(&self, model: &str) -> Option<Diagnostic> {
        let of_model = |code, message| Diagnostic::new(code, message).with_subject(model);
        let failure = match (&self.status, &self.error) {
            (EndStatus::Completed, _) if self.is_cut_off() => {
                let message = match &self.finish {
                    Some(Finish::Cut(reason)) => format!("the answer was cut off: {reason}"),
                    _ => "the answer was cut off at the limit of tokens".to_owned(),
                };
                of_model(Code::AnswerCut, message)
            }
            (EndStatus::Completed | EndStatus::Cancelled, _) => return None,
            (EndStatus::Refused, _) => {
                let reason = self.finish.as_ref().map(Finish::as_str);
                let reasons = reason.into_iter().chain(self.explanation.as_deref());
                let reasons = reasons.map(|reason| format!(": {}", reason.trim()));
                let message = format!("the model refused to answer{}", reasons.collect::<String>());
                Diagnostic::new(Code::ModelRefused, message)
            }
            (EndStatus::Budget { limit }, _) => {
                Diagnostic::new(Code::BudgetSpent, format!("the budget of {limit} is spent"))
            }
            (EndStatus::Loop, _) => {
                Diagnostic::new(Code::Repetition, "the model repeats the same calls")
            }
            (_, Some(error)) => diagnostic(error, model),
            (_, None) if self.is_cut_off() => {
                let message = match &self.finish {
                    Some(Finish::Cut(reason)) => format!("the model gave no answer: {reason}"),
                    _ => "the model used all its tokens before it answered".to_owned(),
                };
                of_model(Code::AnswerCut, message)
            }
            (_, None) => of_model(Code::ModelFailed, "the model gave no answer".to_owned()),
        };
        Some(failure)
    }

    /// The advice against an answer that was cut off.
    pub fn cut_hint(&self) -> &'static str {
        match &self.finish {
            Some(finish) if finish.is_full() => {
                "begin another session, or use a model that reads more tokens"
            }
            Some(Finish::Cut(_)) => "ask for less",
            _ => "raise --max-tokens",
        }
    }
}

const MINUTE: Duration = Duration::from_mins(1);

/// Writes a wait in its largest unit, rounded up.
fn in_words(wait: Duration) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    let unit = units.into_iter().find(|(size, _)| seconds > *size);
    let (size, name) = unit.unwrap_or((1, "second"));
    let count = seconds.div_ceil(size);
    pluralize(count, name)
}

fn network_hint(reason: &HttpReason) -> &'static str {
    match reason {
        HttpReason::Tls(TlsReason::UnknownIssuer) => {
            "if the authority is your own, set SSL_CERT_FILE to the file with its certificate"
        }
        HttpReason::Proxy { .. } => {
            "check HTTPS_PROXY, http_proxy and ALL_PROXY, or list the host in NO_PROXY"
        }
        HttpReason::PlainHttp => "use https://; no option sends a Google key without encryption",
        _ => "check the network; the session can be continued",
    }
}

#[cfg(test)]
mod tests {
    use cogtools_core::Hint;
    use cogtools_model::ApiError;

    use super::*;

    /// Programs without the option show the hint, too.
    #[test]
    fn the_hint_to_an_unknown_model_names_the_program_that_lists_them() {
        let error = ApiError {
            kind: ApiErrorKind::NotFound,
            status: 404,
            name: None,
            message: "no such model".to_owned(),
            retry_after: None,
        };
        let diagnostic = diagnostic(&ModelError::Api(error), "m");
        let hints: Vec<_> = diagnostic.hints.iter().filter_map(Hint::text).collect();
        let expected = "cogtools ask --models, with the same --provider, lists the models";
        assert_eq!(hints, [expected]);
    }

    #[test]
    fn waits_are_rounded_up() {
        for (seconds, words) in [
            (1.0, "1 second"),
            (59.5, "60 seconds"),
            (90.0, "2 minutes"),
            (3_600.0, "60 minutes"),
            (8_695.0, "3 hours"),
            (31_536_000.0, "365 days"),
        ] {
            assert_eq!(in_words(Duration::from_secs_f64(seconds)), words);
        }
    }
}
