//! Nunjucks templates in Rust, rendered by minijinja.
#![allow(missing_docs, reason = "stand-in until the real crate lands")]
#[derive(Clone, Debug, Default)]
pub struct Limits {
    pub fuel: u64,
    pub recursion: usize,
    pub output: usize,
}
#[derive(Debug, Default)]
pub struct Engine;
#[derive(Debug)]
pub struct Template(String);
#[derive(Debug)]
pub struct Error(minijinja::Error, String);
impl From<minijinja::Error> for Error {
    fn from(error: minijinja::Error) -> Self {
        let message = error.to_string();
        Self(error, message)
    }
}
impl Engine {
    pub fn new() -> Self {
        Self
    }
    pub fn compile(&self, _name: &str, source: &str) -> Result<Template, Error> {
        minijinja::Environment::new()
            .template_from_str(source)
            .map_err(Error::from)?;
        Ok(Template(source.to_owned()))
    }
}
impl Template {
    pub fn render(&self, context: &serde_json::Value) -> Result<String, Error> {
        let e = minijinja::Environment::new();
        e.render_str(
            &self.0,
            minijinja::Value::from(minijinja::value::Serde(context)),
        )
        .map_err(Error::from)
    }
}
impl Error {
    pub fn message(&self) -> &str {
        &self.1
    }
    pub fn hint(&self) -> Option<&str> {
        None
    }
    pub fn line(&self) -> usize {
        self.0.line().unwrap_or(1)
    }
    pub fn column(&self) -> usize {
        1
    }
    pub fn length(&self) -> usize {
        1
    }
}
