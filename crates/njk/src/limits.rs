//! What one rendering may cost. Templates come from strangers, so every
//! rendering is bounded in steps, in depth and in bytes.

/// The bounds of one rendering.
///
/// ```
/// let engine = njk::Engine::builder()
///     .limits(njk::Limits { fuel: 1_000, ..njk::Limits::default() })
///     .build();
/// let endless = engine.compile("endless", "{% for i in range(100000) %}.{% endfor %}").unwrap();
/// let error = endless.render(&serde_json::json!({})).unwrap_err();
/// assert_eq!(error.kind(), njk::ErrorKind::OutOfFuel);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps: roughly one for each tag or expression a rendering runs, and
    /// one for each element or 64 bytes that a filter or method handles.
    pub fuel: u64,
    /// How deeply macros, blocks and included templates may nest.
    pub recursion: usize,
    /// Bytes a template may print. No string inside a rendering may be longer,
    /// and all strings and lists it makes together may take 32 times as much,
    /// but at least a mebibyte.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            fuel: 5_000_000,
            recursion: 100,
            output: 8 * 1024 * 1024,
        }
    }
}
