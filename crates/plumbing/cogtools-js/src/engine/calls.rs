//! Functions with which code calls tools: each asks the parent process, and waits for its reply.

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::time::Instant;

use cogtools_core::javascript::{Answer, Event, Reply, ToolCall, Toolbox};
use cogtools_core::json::well_formed;
use rquickjs::{Array, Ctx, Error, Exception, Function, Object, Result};

use super::Clock;

/// Maximum bytes that a program prints.
const MAX_PRINTED: usize = 16 << 20;
/// Bytes that each line counts in addition to its text.
const LINE_BYTES: usize = 64;
/// The last line, if there were more.
const MORE: &str = "[further output is left out]";

/// Gives `host` the functions of code with `tools`. Replies set the time `now`, and the time that
/// the code waits for them does not count.
pub(super) fn give<'js>(
    host: &Object<'js>,
    tools: &Toolbox,
    print: fn(&Event),
    clock: &Rc<Clock>,
    now: &Rc<Cell<f64>>,
) -> Result<()> {
    let ctx = host.ctx().clone();
    let answers = {
        let (clock, now) = (Rc::clone(clock), Rc::clone(now));
        move |ctx: &Ctx<'js>, event: &Event| {
            let start = Instant::now();
            print(event);
            let reply = read_reply();
            clock.extend(start.elapsed());
            let reply = reply.map_err(|error| Exception::throw_message(ctx, &error.to_string()))?;
            now.set(reply.now);
            Ok::<_, Error>(reply.answers)
        }
    };
    let answers = Rc::new(answers);
    let ask = Rc::clone(&answers);
    let calls = move |ctx: Ctx<'js>, calls: Vec<Array<'js>>, limit: u32| {
        let calls = calls.iter().map(|call| {
            let arguments: String = call.get(2)?;
            Ok(ToolCall {
                step: call.get(0)?,
                tool: call.get(1)?,
                arguments: well_formed(arguments),
            })
        });
        let calls = calls.collect::<Result<Vec<_>>>()?;
        let ends = Array::new(ctx.clone())?;
        for (index, answer) in ask(&ctx, &Event::Calls { calls, limit })?
            .iter()
            .enumerate()
        {
            ends.set(index, end(&ctx, answer)?)?;
        }
        Ok::<_, Error>(ends)
    };
    host.set("calls", Function::new(ctx.clone(), calls)?)?;
    let ask = Rc::clone(&answers);
    let search = move |ctx: Ctx<'js>, query: String, limit: u32| {
        first(&ctx, &ask(&ctx, &Event::Search { query, limit })?)
    };
    host.set("search", Function::new(ctx.clone(), search)?)?;
    let describe = move |ctx: Ctx<'js>, names: Vec<String>| {
        first(&ctx, &answers(&ctx, &Event::Describe(names))?)
    };
    host.set("describe", Function::new(ctx.clone(), describe)?)?;
    let room = Cell::new(Some(MAX_PRINTED));
    let show = move |text: String| {
        let Some(left) = room.get() else { return };
        room.set(left.checked_sub(text.len() + LINE_BYTES));
        let text = room.get().map_or_else(|| MORE.to_owned(), |_| text);
        print(&Event::Print(text));
    };
    host.set("print", Function::new(ctx.clone(), show)?)?;
    let run_jobs = {
        let clock = Rc::clone(clock);
        move |ctx: Ctx<'js>| while !clock.check() && ctx.execute_pending_job() {}
    };
    host.set("runJobs", Function::new(ctx.clone(), run_jobs)?)?;
    host.set("names", tools.names.clone())?;
    let aliases = Object::new(ctx)?;
    for (alias, name) in &tools.aliases {
        aliases.set(alias, name)?;
    }
    host.set("aliases", aliases)?;
    host.set("store", tools.store.as_str())
}

/// The next line of standard input.
fn read_reply() -> io::Result<Reply> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

/// An answer as the prelude reads it: an object with `value` or `error`.
fn end<'js>(ctx: &Ctx<'js>, answer: &Answer) -> Result<Object<'js>> {
    let end = Object::new(ctx.clone())?;
    match answer {
        Answer::Value(json) => end.set("value", ctx.json_parse(json.as_bytes())?)?,
        Answer::Error(failure) => {
            let json = serde_json::to_vec(failure).map_err(|_| Error::Unknown)?;
            end.set("error", ctx.json_parse(json)?)?;
        }
    }
    Ok(end)
}

fn first<'js>(ctx: &Ctx<'js>, answers: &[Answer]) -> Result<Object<'js>> {
    answers
        .first()
        .map_or(Err(Error::Unknown), |answer| end(ctx, answer))
}
