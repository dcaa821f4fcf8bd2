//! Evaluates a body of JavaScript with the engine, within limits of time, memory and stack.
//!
//! Every run has its own runtime. What cannot be interrupted, such as a multiplication of two
//! long bigints, ends with the process.

mod body;
mod calls;
mod host;

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::time::{Duration, Instant};

use cogtools_core::javascript::{Event, Request, Script, ScriptError, ScriptErrorKind};
use cogtools_core::json::well_formed;
use cogtools_js_syntax::{Mistake, strip_types};
use rquickjs::context::intrinsic;
use rquickjs::function::Args;
use rquickjs::promise::PromiseState;
use rquickjs::{Context, Ctx, Function, Object, Persistent, Runtime, Value};

use body::Lines;
use host::{Host, Prelude};

/// Built-in objects of a context. `WeakRef` would show when memory is collected.
type Intrinsics = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
);

/// Maximum stack of the engine, in bytes. A main thread has several times as much.
const STACK: usize = 512 << 10;

/// The deadline of a run, and whether it has passed.
#[derive(Default)]
struct Clock {
    deadline: Cell<Option<Instant>>,
    is_over: Cell<bool>,
}

impl Clock {
    /// Adds time that the code did not spend itself.
    fn extend(&self, pause: Duration) {
        let deadline = self.deadline.get().and_then(|end| end.checked_add(pause));
        self.deadline.set(deadline);
    }

    /// Returns true if the run has to end. The engine asks again and again.
    fn check(&self) -> bool {
        let is_over = self.deadline.get().is_some_and(|end| Instant::now() >= end);
        self.is_over.set(self.is_over.get() || is_over);
        is_over
    }
}

/// The parts of the prelude that a run needs whose code calls tools.
pub(crate) const PARTS_OF_CALLS: [&str; 2] = ["clock", "tools"];

/// Runs the code of a request with its arguments, which are JSON, for at most `timeout`. What it
/// logs goes to `print`; what is returned is the last event. The request is read when the engine
/// and these `parts` of the prelude are ready: until then its sender has other work.
pub(crate) fn run(
    timeout: Duration,
    parts: &[&'static str],
    read: impl FnOnce() -> Result<(Request, Vec<u8>), ScriptErrorKind>,
    print: fn(&Event),
) -> Event {
    let clock = Rc::new(Clock::default());
    let rejections = Rejections::default();
    // Releasing every object of a large heap would take longer than the end of the process.
    let engine = engine(&clock, &rejections).map(ManuallyDrop::new);
    let ran = engine.map(|context| {
        context.with(|ctx| {
            let prelude = Prelude::new(&ctx, parts)?;
            let (request, args) = match read() {
                Ok(read) => read,
                Err(reason) => return Ok(Event::Error(reason.into())),
            };
            let host = Host::new(&ctx, prelude, (&request, &args), print, &clock)?;
            let run = Run {
                ctx,
                host,
                clock: &clock,
                rejections: &rejections,
                memory: Memory::new(),
                timeout,
                code: &request.code,
                calls_tools: request.tools.is_some(),
            };
            let last = run.run(&args);
            // An error of the code itself counts more.
            Ok(match (run.keep_store(print), last) {
                (Err(error), Event::Result { .. } | Event::Nothing { .. }) => Event::Error(error),
                (_, last) => last,
            })
        })
    });
    ran.and_then(|event| event)
        .unwrap_or_else(|error: rquickjs::Error| {
            Event::Error(ScriptErrorKind::Crashed(error.to_string()).into())
        })
}

/// Promises that were rejected and that nothing handles yet, with the reasons.
type Rejections = Rc<RefCell<Vec<[Persistent<Value<'static>>; 2]>>>;

fn engine(clock: &Rc<Clock>, rejections: &Rejections) -> rquickjs::Result<Context> {
    let runtime = ManuallyDrop::new(Runtime::new()?);
    runtime.set_memory_limit(Script::MEMORY);
    runtime.set_max_stack_size(STACK);
    let clock = Rc::clone(clock);
    runtime.set_interrupt_handler(Some(Box::new(move || clock.check())));
    let rejections = Rc::clone(rejections);
    runtime.set_host_promise_rejection_tracker(Some(Box::new(
        move |ctx, promise, reason, is_handled| {
            let mut rejections = rejections.borrow_mut();
            if is_handled {
                let is_other = |[other, _]: &[Persistent<_>; 2]| {
                    other.clone().restore(&ctx).ok().as_ref() != Some(&promise)
                };
                rejections.retain(is_other);
            } else {
                rejections.push([promise, reason].map(|value| Persistent::save(&ctx, value)));
            }
        },
    )));
    Context::custom::<Intrinsics>(&runtime)
}

/// One run.
struct Run<'r, 'js> {
    ctx: Ctx<'js>,
    host: Host<'js>,
    clock: &'r Clock,
    rejections: &'r Rejections,
    memory: Memory,
    timeout: Duration,
    code: &'r str,
    /// True if it is the body of an async function, which may return nothing.
    calls_tools: bool,
}

impl<'js> Run<'_, 'js> {
    fn run(&self, args: &[u8]) -> Event {
        let start = Instant::now();
        self.clock.deadline.set(start.checked_add(self.timeout));
        let ms = || start.elapsed().as_millis().try_into().unwrap_or(u64::MAX);
        match self.evaluate(args) {
            Ok(None) => Event::Nothing { ms: ms() },
            Ok(Some((json, _))) if json.len() > Script::MAX_RESULT_BYTES => {
                let most = Script::MAX_RESULT_BYTES >> 20;
                let message = format!("the result is larger than {most} MiB");
                Event::Error(ScriptErrorKind::Result(message).into())
            }
            Ok(Some((json, stringified))) => Event::Result {
                json,
                stringified,
                ms: ms(),
            },
            Err(error) => Event::Error(error),
        }
    }

    /// The result as JSON, and whether it is the text of what JSON does not have; `None` if code
    /// that calls tools returned nothing.
    fn evaluate(&self, args: &[u8]) -> Result<Option<(String, bool)>, ScriptError> {
        let function = self.compile()?;
        let args = self.ctx.json_parse(args).map_err(|_| self.thrown())?;
        let mut value = self.call(&function, args).map_err(|_| self.thrown())?;
        if self.calls_tools {
            value = self.settled(value)?;
            if value.is_undefined() {
                return Ok(None);
            }
        }
        let serialized = self.call(&self.host.serialize, value);
        let parts = serialized.and_then(|value| {
            let parts: Object<'_> = value.get()?;
            Ok((parts.get("json")?, parts.get("stringified")?))
        });
        let (json, stringified) = parts.map_err(|_| self.thrown())?;
        Ok(Some((well_formed(json), stringified)))
    }

    /// The value of the promise `value`, when no jobs are left. An error of what nothing awaits is an
    /// error of the code, as in Node.js.
    fn settled(&self, value: Value<'js>) -> Result<Value<'js>, ScriptError> {
        let Some(promise) = value.as_promise() else {
            return Ok(value);
        };
        let is_rejected = || promise.state() == PromiseState::Rejected;
        while !is_rejected() && !self.clock.check() && self.ctx.execute_pending_job() {}
        if self.clock.is_over.get() {
            return Err(self.thrown());
        }
        let unhandled = || self.rejections.borrow_mut().drain(..).next();
        match promise.result() {
            Some(Ok(_)) if let Some([_, reason]) = unhandled() => {
                if let Ok(reason) = reason.restore(&self.ctx) {
                    let _ = self.ctx.throw(reason);
                }
                Err(self.thrown())
            }
            Some(result) => result.map_err(|_| self.thrown()),
            None => {
                let message = "the code never ended: it awaits something that nothing settles";
                Err(ScriptErrorKind::Runtime(message.to_owned()).into())
            }
        }
    }

    /// Reports the members of `store` if the code changed them and its time is not over.
    fn keep_store(&self, print: fn(&Event)) -> Result<(), ScriptError> {
        let Some(keep) = self
            .host
            .keep
            .as_ref()
            .filter(|_| !self.clock.is_over.get())
        else {
            return Ok(());
        };
        let kept: Option<String> = keep.call(()).map_err(|_| self.thrown())?;
        if let Some(json) = kept {
            print(&Event::Store(well_formed(json)));
        }
        Ok(())
    }

    /// The code as a function. Only what is no JavaScript can be TypeScript.
    fn compile(&self) -> Result<Function<'js>, ScriptError> {
        if let Some(at) = self.code.find('\0') {
            let message = "the code has a NUL character: write it as \\0 in a string";
            return Err(syntax_error(self.code, message, Some(self.position(at))));
        }
        let prefix = if self.calls_tools { "async " } else { "" };
        let error = match body::compile(&self.ctx, prefix, self.code) {
            Ok(function) => return Ok(function),
            Err(_) => self.thrown(),
        };
        let ScriptErrorKind::Runtime(text) = &error.kind else {
            return Err(error);
        };
        match self.stripped() {
            Ok(Some(code)) => body::compile(&self.ctx, prefix, &code).map_err(|_| {
                let error = self.thrown();
                match &error.kind {
                    ScriptErrorKind::Runtime(text) => syntax_error(&code, text, error.position),
                    _ => error,
                }
            }),
            Ok(None) => Err(syntax_error(self.code, text, error.position)),
            Err(mistake) => {
                let position = self.position(mistake.range.start);
                Err(syntax_error(self.code, &mistake.message, Some(position)))
            }
        }
    }

    /// The code without types; nothing if it has none. `await` is a keyword in an async function
    /// alone.
    fn stripped(&self) -> Result<Option<String>, Mistake> {
        const BEFORE: &str = "async()=>{";
        const AFTER: &str = "\n}";
        if !self.calls_tools {
            return strip_types(self.code);
        }
        let bare = |text: String| Some(text.strip_prefix(BEFORE)?.strip_suffix(AFTER)?.to_owned());
        match strip_types(&format!("{BEFORE}{}{AFTER}", self.code)) {
            Ok(stripped) => Ok(stripped.and_then(bare)),
            Err(Mistake { message, range }) => {
                let at = |offset: usize| offset.saturating_sub(BEFORE.len());
                let range = at(range.start)..at(range.end);
                Err(Mistake { message, range })
            }
        }
    }

    /// The line and the column, both from 1, of the offset `at` of the code.
    fn position(&self, at: usize) -> (usize, usize) {
        let before = self.code.get(..at).unwrap_or(self.code);
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }

    /// Calls `function` without a `this`.
    fn call(&self, function: &Function<'js>, arg: Value<'js>) -> rquickjs::Result<Value<'js>> {
        let mut args = Args::new(self.ctx.clone(), 1);
        args.push_arg(arg)?;
        function.call_arg(args)
    }

    /// The error for what was thrown last. That an error is one of memory or of time depends on
    /// nothing that the code can make.
    fn thrown(&self) -> ScriptError {
        let thrown = self.ctx.catch();
        if self.clock.is_over.get() {
            return ScriptErrorKind::Timeout(self.timeout).into();
        }
        if self.is_memory(&thrown) {
            return ScriptErrorKind::Memory.into();
        }
        let described = self.call(&self.host.describe, thrown);
        let described = described.and_then(|value| value.get::<Object<'_>>());
        match described.and_then(|it| self.described(&it)) {
            Ok(error) => error,
            Err(_) if self.clock.is_over.get() => ScriptErrorKind::Timeout(self.timeout).into(),
            Err(_) if self.is_memory(&self.ctx.catch()) => ScriptErrorKind::Memory.into(),
            Err(_) => ScriptErrorKind::Runtime("an error without a text".to_owned()).into(),
        }
    }

    fn described(&self, it: &Object<'js>) -> rquickjs::Result<ScriptError> {
        let text: String = it.get("text")?;
        let kind: String = it.get("kind")?;
        let stack: Option<String> = it.get("stack")?;
        let lines = Lines::of(self.code);
        Ok(ScriptError {
            kind: match kind.as_str() {
                "forbidden" => ScriptErrorKind::Forbidden(text),
                "result" => ScriptErrorKind::Result(text),
                _ => ScriptErrorKind::Runtime(text),
            },
            position: stack.and_then(|stack| lines.position(&stack)),
            logs: Vec::new(),
        })
    }

    /// Returns true if the engine itself made it: only memory makes it do that. If not even an
    /// error fits into memory, it throws null.
    fn is_memory(&self, thrown: &Value<'js>) -> bool {
        if thrown.is_null() {
            return self.memory.is_exhausted();
        }
        // Its prototype would be what the code says it is.
        if thrown.is_proxy() {
            return false;
        }
        let prototype = thrown.as_object().and_then(Object::get_prototype);
        prototype.is_some_and(|prototype| prototype == self.host.internal)
    }
}

/// The error for `code` that does not parse, with the parser's message `text`.
fn syntax_error(code: &str, text: &str, position: Option<(usize, usize)>) -> ScriptError {
    // Behind the code is only the brace that ends the function.
    let is_end = position == Some(Lines::of(code).end());
    let text = if is_end && text.ends_with("'}'") {
        "unexpected end of the code".to_owned()
    } else {
        body::syntax_message(text)
    };
    let text = match body::advice(code, position) {
        Some(advice) => format!("{text}: {advice}"),
        None => text,
    };
    ScriptError {
        position,
        ..ScriptErrorKind::Syntax(text).into()
    }
}

/// The most memory that this process had when the run began, in bytes.
struct Memory(usize);

impl Memory {
    /// The memory of a run that begins now.
    fn new() -> Self {
        Self(peak().unwrap_or(usize::MAX))
    }

    /// Returns true if the run may have come to its limit at any time: an array grows by half, and
    /// has its old and its new memory until then.
    fn is_exhausted(&self) -> bool {
        let needed = peak().and_then(|peak| peak.checked_sub(self.0));
        needed.is_some_and(|needed| needed >= Script::MEMORY / 8 * 3)
    }
}

/// The most memory that this process has had, in bytes.
#[cfg(unix)]
fn peak() -> Option<usize> {
    use nix::sys::resource::{UsageWho, getrusage};

    let unit = if cfg!(target_os = "macos") {
        1
    } else {
        1 << 10
    };
    let size = getrusage(UsageWho::RUSAGE_SELF).ok()?.max_rss();
    usize::try_from(size).ok()?.checked_mul(unit)
}

/// Unknown here.
#[cfg(not(unix))]
const fn peak() -> Option<usize> {
    None
}
