//! The limits of one rendering. Templates are not trusted, so every rendering
//! is limited in steps, depth and bytes.

/// The limits of one rendering.
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
    /// Steps: roughly one for each tag or expression that runs, and one for
    /// each element or 64 bytes that a filter or method processes.
    pub fuel: u64,
    /// The maximum nesting of macros, blocks and included templates.
    pub recursion: usize,
    /// Bytes that a template may print. No string may be longer, and all
    /// strings and lists of a rendering together may take 32 times as much, but
    /// at least 1 MiB.
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
