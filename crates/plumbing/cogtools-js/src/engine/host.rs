//! The beginning of every run: functions of the engine that the prelude uses, and functions of
//! the prelude that the engine uses.

use std::cell::Cell;

use cogtools_core::javascript::{Event, Request, Script};
use rquickjs::context::EvalOptions;
use rquickjs::{Ctx, Error, Function, Object, Result, Value};

/// The prelude, as it is evaluated.
const PRELUDE: &str = include_str!("prelude.js");
/// Parts that the prelude evaluates when a run needs them, by name.
const PARTS: [(&str, &str); 4] = [
    ("clock", include_str!("clock.js")),
    ("error", include_str!("error.js")),
    ("format", include_str!("format.js")),
    ("result", include_str!("result.js")),
];
/// The last log, if there were more.
const MORE: &str = "[further logs are left out]";
/// Bytes that each log counts in addition to its text.
const LOG_BYTES: usize = 16;

/// The functions of the prelude.
pub(super) struct Host<'js> {
    /// The result as JSON.
    pub(super) serialize: Function<'js>,
    /// Describes a thrown value as text.
    pub(super) describe: Function<'js>,
    /// The prototype of the errors that only the engine makes.
    pub(super) internal: Object<'js>,
}

impl<'js> Host<'js> {
    /// Evaluates the prelude for `request`, whose arguments are `args`; logs go to `print`.
    pub(super) fn new(
        ctx: &Ctx<'js>,
        request: &Request,
        args: &[u8],
        print: fn(&Event),
    ) -> Result<Self> {
        let prelude = evaluate(ctx, "prelude", PRELUDE)?;
        let host = Object::new(ctx.clone())?;
        let logs = Logs::new(print);
        host.set(
            "log",
            Function::new(ctx.clone(), move |text| logs.add(text))?,
        )?;
        let random = Random::of(&[request.code.as_bytes(), args]);
        host.set("random", Function::new(ctx.clone(), move || random.next())?)?;
        let is_promise = |value: Value<'_>| value.is_promise();
        host.set("isPromise", Function::new(ctx.clone(), is_promise)?)?;
        host.set("now", request.now)?;
        let part = |ctx: Ctx<'js>, name: String| part(&ctx, &name);
        host.set("part", Function::new(ctx.clone(), part)?)?;
        let parts: Object<'js> = prelude.call((host,))?;
        Ok(Self {
            serialize: parts.get("serialize")?,
            describe: parts.get("describe")?,
            internal: parts.get("internal")?,
        })
    }
}

/// The function in the part `name`.
fn part<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Function<'js>> {
    let part = PARTS.into_iter().find(|(other, _)| *other == name);
    let (name, source) = part.ok_or(Error::Unknown)?;
    evaluate(ctx, name, source)
}

/// The function that `source`, the file `name`, is.
fn evaluate<'js>(ctx: &Ctx<'js>, name: &str, source: &str) -> Result<Function<'js>> {
    let mut options = EvalOptions::default();
    options.filename = Some(name.to_owned());
    ctx.eval_with_options(source, options)
}

/// The logs, as far as they fit.
struct Logs {
    print: fn(&Event),
    room: Cell<Option<usize>>,
}

impl Logs {
    const fn new(print: fn(&Event)) -> Self {
        Self {
            print,
            room: Cell::new(Some(Script::MAX_LOG_BYTES)),
        }
    }

    fn add(&self, text: String) {
        let Some(room) = self.room.get() else {
            return;
        };
        let left = room.checked_sub(text.len() + LOG_BYTES);
        self.room.set(left);
        let text = left.map_or_else(|| MORE.to_owned(), |_| text);
        (self.print)(&Event::Log(text));
    }
}

/// Numbers that depend on the code and the arguments only (`SplitMix64`).
struct Random(Cell<u64>);

impl Random {
    /// The numbers of `texts`.
    fn of(texts: &[&[u8]]) -> Self {
        let bytes = texts.iter().flat_map(|text| text.iter().chain(&[0xFF]));
        // FNV-1a.
        let hash = bytes.fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
        });
        Self(Cell::new(hash))
    }

    /// The next one, at least 0 and less than 1.
    fn next(&self) -> f64 {
        let state = self.0.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.0.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        // 32 bits are exact in any case.
        let bits = u32::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap_or_default();
        f64::from(bits) / 4_294_967_296.0
    }
}
