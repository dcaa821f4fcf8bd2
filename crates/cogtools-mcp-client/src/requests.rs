//! The requests that are served in one session, and their answers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use cogtools_core::{Code, Diagnostic, ToolOutput};
use cogtools_program::{Line, render_hint};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use crate::command::{CALL_TIMEOUT, LIST_TIMEOUT};
use crate::declaration;
use crate::error::ClientError;
use crate::exchange::redacted;
use crate::listener::{Notifications, RequestWatch};
use crate::logging::Level;
use crate::service::Service;
use crate::session::{Session, SessionError};

/// How long a list of tools is used to check declarations: not every server announces changes.
const LIST_TTL: Duration = Duration::from_mins(1);

/// The requests of one session.
pub(crate) struct Requests<'r> {
    service: &'r Service,
    session: &'r Session<'r>,
    notifications: &'r Notifications,
    /// The tools of the server, and when they were listed.
    tools: RefCell<Option<(Instant, Rc<Vec<Value>>)>>,
    /// What cancels the requests that have no answer yet.
    cancels: RefCell<HashMap<u64, Rc<Notify>>>,
}

/// One request.
pub(crate) struct Request {
    id: u64,
    work: Work,
    cancelled: Rc<Notify>,
}

/// What is asked for.
enum Work {
    /// The declarations of all tools.
    List,
    /// The tool to call, with its arguments and the digest of its declaration.
    Call(String, Map<String, Value>, Option<String>),
    /// Log messages of this level and above. There is no answer.
    Level(Level),
}

impl<'r> Requests<'r> {
    /// The requests of `service` in `session`.
    pub(crate) fn new(
        service: &'r Service,
        session: &'r Session<'r>,
        notifications: &'r Notifications,
    ) -> Self {
        Self {
            service,
            session,
            notifications,
            tools: RefCell::default(),
            cancels: RefCell::default(),
        }
    }

    /// The request on a line; nothing if it cancels another one, or is none.
    pub(crate) fn accept(&self, line: &Line) -> Option<Request> {
        let Line::Text(line) = line else {
            return None;
        };
        let mut message: Map<String, Value> = serde_json::from_slice(line).ok()?;
        if let Some(id) = message.get("cancel").and_then(Value::as_u64) {
            if let Some(cancelled) = self.cancels.borrow().get(&id) {
                cancelled.notify_one();
            }
            return None;
        }
        if let Some(question) = message.get("answer").and_then(Value::as_u64) {
            let answer = message.remove("result").unwrap_or_default();
            self.notifications.host.answer(question, answer);
            return None;
        }
        if let Some(level) = message.remove("level") {
            return Some(Request {
                id: 0,
                work: Work::Level(serde_json::from_value(level).ok()?),
                cancelled: Rc::default(),
            });
        }
        let id = message.get("id")?.as_u64()?;
        let work = match (message.remove("call"), message.remove("arguments")) {
            (Some(Value::String(tool)), Some(Value::Object(arguments))) => {
                let expected = message.get("expect").and_then(Value::as_str);
                Work::Call(tool, arguments, expected.map(str::to_owned))
            }
            _ => Work::List,
        };
        let cancelled = Rc::<Notify>::default();
        self.cancels.borrow_mut().insert(id, Rc::clone(&cancelled));
        Some(Request {
            id,
            work,
            cancelled,
        })
    }

    /// Answers the request. An error means that the connection is lost.
    pub(crate) async fn answer(&self, request: Request) -> Result<(), SessionError> {
        let id = request.id;
        let result = match request.work {
            Work::List => self.list().await,
            Work::Level(level) => {
                let _ = tokio::time::timeout(LIST_TIMEOUT, self.session.set_level(level)).await;
                return Ok(());
            }
            Work::Call(tool, arguments, expected) => {
                let watch = RequestWatch {
                    id,
                    notifications: self.notifications,
                    cancelled: &request.cancelled,
                    timeout: self.service.server.timeout_or(CALL_TIMEOUT),
                };
                self.call(&tool, arguments, expected.as_deref(), &watch)
                    .await
            }
        };
        self.cancels.borrow_mut().remove(&id);
        let answer = match result {
            Ok(Ok(result)) => json!({"id": id, "result": result}),
            Ok(Err(diagnostic)) => json!({"id": id, "error": to_json(&diagnostic)}),
            Err(SessionError::Server(error)) => {
                let diagnostic = redacted(&self.service.server, &error, &self.service.vars);
                json!({"id": id, "error": to_json(&diagnostic)})
            }
            Err(error) => return Err(error),
        };
        let _ = self.service.output.send(answer);
        Ok(())
    }

    /// The declarations of all tools.
    async fn list(&self) -> Result<Result<Value, Box<Diagnostic>>, SessionError> {
        self.tools.take();
        let tools = self.tools().await?;
        let declarations: Vec<Value> = tools.iter().map(declaration::from_mcp).collect();
        Ok(Ok(declarations.into()))
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        expected: Option<&str>,
        watch: &RequestWatch<'_>,
    ) -> Result<Result<Value, Box<Diagnostic>>, SessionError> {
        // Over stateless HTTP a server may require arguments as headers, too.
        let needs_headers = self.session.is_stateless() && self.service.server.url.is_some();
        if expected.is_some() || needs_headers {
            let tools = self.tools().await?;
            declaration::check(&tools, tool, expected, &self.service.server.name)
                .map_err(SessionError::Server)?;
        }
        let result = self.session.call_tool(tool, arguments, Some(watch)).await?;
        if result.get("isError") != Some(&Value::Bool(true)) {
            return Ok(Ok(result.into()));
        }
        // The tool's own text, for the program that asked.
        let mut diagnostic = Diagnostic::new(Code::ToolFailed, "the tool reported an error");
        diagnostic.details = ToolOutput::from_mcp(result).text;
        Ok(Err(Box::new(diagnostic)))
    }

    /// The tools of the server, as they were listed since they last changed.
    async fn tools(&self) -> Result<Rc<Vec<Value>>, SessionError> {
        let is_changed = self.notifications.take_changed();
        if let Some((listed, tools)) = &*self.tools.borrow()
            && !is_changed
            && listed.elapsed() < LIST_TTL
        {
            return Ok(Rc::clone(tools));
        }
        let limit = self.service.server.timeout_or(LIST_TIMEOUT);
        let listed = tokio::time::timeout(limit, self.session.list_tools()).await;
        let timed_out = |_| {
            let name = self.service.server.name.clone();
            SessionError::Server(ClientError::TimedOut(name, "tools/list", limit))
        };
        let tools = Rc::new(listed.map_err(timed_out)??);
        *self.tools.borrow_mut() = Some((Instant::now(), Rc::clone(&tools)));
        Ok(tools)
    }
}

/// A diagnostic as `--error-format json` prints it.
pub(crate) fn to_json(diagnostic: &Diagnostic) -> Value {
    let hints: Vec<_> = diagnostic.hints.iter().map(render_hint).collect();
    json!({
        "code": diagnostic.code.name(),
        "message": diagnostic.message,
        "details": diagnostic.details,
        "hints": hints,
    })
}
