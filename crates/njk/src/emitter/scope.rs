//! Which names are variables of JavaScript in Nunjucks' output: the variables
//! of loops, parameters, and macros and imports that are not at the top level.
//! They are resolved by position, all others at run time.

#[derive(Debug)]
pub(super) struct Scope(Vec<Vec<String>>);

impl Default for Scope {
    /// The top level of a template or a block.
    fn default() -> Self {
        Self(vec![Vec::new()])
    }
}

impl Scope {
    /// The scope of a macro.
    pub(super) fn inner() -> Self {
        Self(vec![Vec::new(), Vec::new()])
    }

    /// At the top level, definitions go into the template's context.
    pub(super) fn is_top(&self) -> bool {
        self.0.len() == 1
    }

    pub(super) fn push(&mut self) {
        self.0.push(Vec::new());
    }

    pub(super) fn pop(&mut self) {
        self.0.pop();
    }

    pub(super) fn declare(&mut self, name: &str) {
        if let Some(names) = self.0.last_mut() {
            names.push(name.to_owned());
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.iter().flatten().any(|known| known == name)
    }
}
