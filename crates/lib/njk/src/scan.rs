//! Names and tokens of a template for editors. What does not parse yet is scanned as well: a tag
//! that is not closed ends where the next one begins.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::lexer::{Kind, Lexer, Token as Lexeme};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `{{`, `%}` and the like.
    Delimiter,
    /// A statement, or a word such as `in`, `and`, `is`.
    Keyword,
    /// The first name of a value.
    Variable,
    /// A member of a value, or an argument by name.
    Property,
    /// A filter or a test.
    Function,
    /// A text.
    Text,
    /// A number, `true`, `false` or `none`.
    Constant,
    /// An operator or a bracket.
    Operator,
    /// A comment.
    Comment,
}

/// A token of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its bytes in the template.
    pub span: Range<usize>,
}

/// A use or a definition of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its bytes in the template.
    pub span: Range<usize>,
    /// The way to its value from a variable of the context, such as `people`, `[]`, `name`; empty
    /// if it is not known.
    pub path: Vec<String>,
    /// The variable of the template that it is, as an index of [`Scan::locals`].
    pub local: Option<usize>,
}

/// A variable that the template defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// The bytes of its definition.
    pub span: Range<usize>,
    /// The way to its value from a variable of the context; empty if it is not known.
    pub path: Vec<String>,
    /// Where it can be used.
    pub visible: Range<usize>,
    /// True for a macro.
    pub is_macro: bool,
    /// The part of another template that it is, if it is imported.
    pub imported: Option<Imported>,
}

/// A part of another template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The name of the template.
    pub template: String,
    /// The name of the macro in it; all of its macros otherwise.
    pub name: Option<String>,
}

/// The result of [`scan`].
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The tokens of all tags, in their order.
    pub tokens: Vec<Token>,
    /// The names of values, in their order.
    pub names: Vec<Name>,
    /// The variables that the template defines.
    pub locals: Vec<Local>,
    /// The names of other templates, and the bytes of each in its quotes.
    pub templates: Vec<(String, Range<usize>)>,
    /// The names of macros of other templates that are no variables here: of `m.name()` and of
    /// `import name as x`.
    pub macros: Vec<(Imported, Range<usize>)>,
}

/// The step of a path from a list to its items.
pub const ITEM: &str = "[]";

/// Words of expressions that are no names.
const WORDS: [&str; 7] = ["and", "or", "not", "in", "is", "if", "else"];
/// Statements that load another template.
const LOADING: [&str; 4] = ["include", "import", "from", "extends"];

/// Scans the source of a template.
///
/// ```
/// let found = njk::scan::scan("{% for one in people %}{{ one.name }}{% endfor %}");
/// assert_eq!(found.names.last().unwrap().path, ["people", "[]", "name"]);
/// ```
pub fn scan(source: &str) -> Scan {
    let mut scanner = Scanner {
        lexer: Lexer::new(source),
        scopes: vec![Scope::default()],
        found: Scan::default(),
    };
    scanner.run(source);
    scanner.found
}

/// The variables of a block.
#[derive(Default)]
struct Scope {
    statement: String,
    locals: Vec<usize>,
}

struct Scanner<'a> {
    lexer: Lexer<'a>,
    scopes: Vec<Scope>,
    found: Scan,
}

impl Scanner<'_> {
    fn run(&mut self, source: &str) {
        let mut tag: Option<(bool, Vec<Lexeme>)> = None;
        loop {
            // A tag within a tag: the first one was never closed.
            if tag.is_some() && self.lexer.is_at_tag() {
                self.end_tag(tag.take(), self.lexer.offset());
                self.lexer.resume(self.lexer.offset(), false);
            }
            let token = match self.lexer.next() {
                Ok(token) => token,
                Err((_, span)) => {
                    let at = span.end().max(self.lexer.offset() + 1);
                    let at = (at..source.len()).find(|at| source.is_char_boundary(*at));
                    let Some(at) = at else { break };
                    self.lexer.resume(at, tag.is_some());
                    continue;
                }
            };
            let span = token.span.start as usize..token.span.end();
            match &token.kind {
                Kind::End => break,
                Kind::Data(_) => {}
                Kind::Raw { .. } => self.token(TokenKind::Keyword, span),
                Kind::Comment(_) => self.token(TokenKind::Comment, span),
                Kind::BlockStart(_) | Kind::VariableStart(_) => {
                    self.token(TokenKind::Delimiter, span);
                    tag = Some((matches!(token.kind, Kind::BlockStart(_)), Vec::new()));
                }
                Kind::BlockEnd(_) | Kind::VariableEnd(_) => {
                    let start = span.start;
                    self.end_tag(tag.take(), start);
                    self.token(TokenKind::Delimiter, span);
                }
                _ => {
                    if let Some((_, tokens)) = &mut tag {
                        tokens.push(token);
                    }
                }
            }
        }
        self.end_tag(tag, source.len());
        while !self.scopes.is_empty() {
            self.leave(source.len());
        }
    }

    fn token(&mut self, kind: TokenKind, span: Range<usize>) {
        self.found.tokens.push(Token { kind, span });
    }

    fn end_tag(&mut self, tag: Option<(bool, Vec<Lexeme>)>, end: usize) {
        match tag {
            Some((true, tokens)) => self.statement(&tokens, end),
            Some((false, tokens)) => self.expression(&tokens),
            None => {}
        }
    }

    fn statement(&mut self, tokens: &[Lexeme], end: usize) {
        let Some((word, rest)) = tokens.split_first() else {
            return;
        };
        let Some(keyword) = symbol(word) else {
            return self.expression(tokens);
        };
        let start = word.span.start as usize;
        self.token(TokenKind::Keyword, bytes(word));
        match keyword {
            "for" => {
                let (names, path) = self.source(rest, |it| symbol(it) == Some("in"));
                self.enter(keyword);
                let is_item = names.len() == 1 && !path.is_empty();
                let path = if is_item {
                    [path, vec![ITEM.into()]].concat()
                } else {
                    Vec::new()
                };
                for name in names {
                    self.define(name, path.clone(), end, false);
                }
            }
            "set" => {
                let (names, path) = self.source(rest, |it| it.kind == Kind::Mark("="));
                for name in names {
                    self.define(name, path.clone(), end, false);
                }
            }
            "macro" | "call" => {
                let own = rest
                    .first()
                    .filter(|it| keyword == "macro" && symbol(it).is_some());
                if let Some(name) = own {
                    self.define(name, Vec::new(), start, true);
                }
                let rest = &rest[usize::from(own.is_some())..];
                let opens = rest.first().is_some_and(|it| it.kind == Kind::Mark("("));
                let at = rest.iter().position(|it| it.kind == Kind::Mark(")"));
                let (names, value) = match at.filter(|_| opens) {
                    Some(at) => rest.split_at(at + 1),
                    None => rest.split_at(0),
                };
                self.expression(value);
                self.enter(keyword);
                let mut before = &Kind::Mark("(");
                for token in names {
                    match symbol(token).filter(|_| matches!(before, Kind::Mark("(" | ","))) {
                        Some(_) => self.define(token, Vec::new(), end, false),
                        None => self.expression(std::slice::from_ref(token)),
                    }
                    before = &token.kind;
                }
            }
            "endfor" | "endmacro" | "endcall" => {
                let is_open = |scope: &Scope| keyword.strip_prefix("end") == Some(&scope.statement);
                if self.scopes.iter().any(is_open) {
                    while !self.scopes.last().is_none_or(is_open) {
                        self.leave(start);
                    }
                    self.leave(start);
                }
            }
            _ if LOADING.contains(&keyword) => self.load(keyword, rest, end),
            "filter" => {
                if let Some(name) = rest.first() {
                    self.token(TokenKind::Function, bytes(name));
                }
                self.expression(rest.get(1..).unwrap_or_default());
            }
            "block" => rest
                .iter()
                .for_each(|it| self.token(TokenKind::Property, bytes(it))),
            _ if keyword.starts_with("end") => {}
            _ => self.expression(rest),
        }
    }

    /// Reads the names before a mark, and the value behind it; returns the names and the way to
    /// the value.
    fn source<'t>(
        &mut self,
        tokens: &'t [Lexeme],
        is_mark: impl Fn(&Lexeme) -> bool,
    ) -> (Vec<&'t Lexeme>, Vec<String>) {
        let at = tokens.iter().position(is_mark);
        let (names, value) = tokens.split_at(at.unwrap_or(tokens.len()));
        self.expression(value);
        let path = simple_path(value.get(1..).unwrap_or_default());
        let path = path.map(|path| self.resolve(&path)).unwrap_or_default();
        let names = names.iter().filter(|it| symbol(it).is_some()).collect();
        (names, path)
    }

    /// Reads a statement that loads another template, with the names that it imports.
    fn load(&mut self, keyword: &str, rest: &[Lexeme], end: usize) {
        let mut template = None;
        if let Some((Kind::Str(name), token)) = rest.first().map(|it| (&it.kind, it)) {
            let span = bytes(token);
            self.found
                .templates
                .push((name.clone(), span.start + 1..span.end - 1));
            template = Some(name.clone());
        }
        let part = |name: Option<&str>| {
            let (template, name) = (template.clone()?, name.map(str::to_owned));
            Some(Imported { template, name })
        };
        let defines = matches!(keyword, "import" | "from");
        for (at, token) in rest.iter().enumerate() {
            let next = rest.get(at + 1).and_then(symbol);
            match symbol(token) {
                Some("import" | "as" | "ignore" | "missing" | "with" | "without" | "context") => {
                    self.token(TokenKind::Keyword, bytes(token));
                }
                Some(name) if defines && at > 0 && next == Some("as") => {
                    self.token(TokenKind::Property, bytes(token));
                    let part = part(Some(name)).map(|part| (part, bytes(token)));
                    self.found.macros.extend(part);
                }
                Some(name) if defines && at > 0 => {
                    self.define(token, Vec::new(), end, true);
                    let is_renamed = symbol(&rest[at - 1]) == Some("as");
                    let own = if is_renamed {
                        at.checked_sub(2).and_then(|at| symbol(&rest[at]))
                    } else {
                        Some(name)
                    };
                    let imported = part(own.filter(|_| keyword == "from"));
                    if let Some(local) = self.found.locals.last_mut() {
                        local.imported = imported;
                    }
                }
                _ => self.expression(std::slice::from_ref(token)),
            }
        }
    }

    fn enter(&mut self, statement: &str) {
        self.scopes.push(Scope {
            statement: statement.to_owned(),
            locals: Vec::new(),
        });
    }

    fn leave(&mut self, end: usize) {
        for local in self.scopes.pop().into_iter().flat_map(|scope| scope.locals) {
            self.found.locals[local].visible.end = end;
        }
    }

    fn define(&mut self, name: &Lexeme, path: Vec<String>, visible: usize, is_macro: bool) {
        let local = self.found.locals.len();
        let span = bytes(name);
        self.found.locals.push(Local {
            name: symbol(name).unwrap_or_default().to_owned(),
            span: span.clone(),
            path: path.clone(),
            visible: visible..visible,
            is_macro,
            imported: None,
        });
        if let Some(scope) = self.scopes.last_mut() {
            scope.locals.push(local);
        }
        self.token(TokenKind::Variable, span.clone());
        self.found.names.push(Name {
            span,
            path,
            local: Some(local),
        });
    }

    /// The variable of the template that has this name here.
    fn local(&self, name: &str) -> Option<usize> {
        let locals = self.scopes.iter().flat_map(|scope| &scope.locals);
        let mut locals = locals.copied().rev();
        locals.find(|at| self.found.locals[*at].name == name)
    }

    /// The way to a value from a variable of the context; empty if it is not known.
    fn resolve(&self, path: &[String]) -> Vec<String> {
        let Some((first, rest)) = path.split_first() else {
            return Vec::new();
        };
        match self.local(first) {
            Some(local) if self.found.locals[local].path.is_empty() => Vec::new(),
            Some(local) => [&self.found.locals[local].path, rest].concat(),
            None => path.to_vec(),
        }
    }

    fn expression(&mut self, tokens: &[Lexeme]) {
        let mut at = 0;
        let mut open: Vec<&str> = Vec::new();
        while let Some(token) = tokens.get(at) {
            let span = bytes(token);
            let before = at.checked_sub(1).map(|at| &tokens[at]);
            let next = tokens.get(at + 1).map(|it| &it.kind);
            at += 1;
            match &token.kind {
                Kind::Str(_) | Kind::Regex { .. } => self.token(TokenKind::Text, span),
                Kind::Number(_) | Kind::Bool(_) | Kind::Null => {
                    self.token(TokenKind::Constant, span);
                }
                Kind::Mark(mark) => {
                    match *mark {
                        "(" | "[" | "{" => open.push(mark),
                        ")" | "]" | "}" => drop(open.pop()),
                        _ => {}
                    }
                    self.token(TokenKind::Operator, span);
                }
                Kind::Symbol(name) => {
                    let is_after = |mark| before.is_some_and(|it| it.kind == Kind::Mark(mark));
                    let is_key = match next {
                        Some(Kind::Mark(":")) => open.last() == Some(&"{"),
                        Some(Kind::Mark("=")) => open.last() == Some(&"("),
                        _ => false,
                    };
                    let is_test = before.and_then(symbol) == Some("is")
                        || (before.and_then(symbol) == Some("not")
                            && at > 2
                            && symbol(&tokens[at - 3]) == Some("is"));
                    if is_after("|") || (is_test && name != "not") {
                        self.token(TokenKind::Function, span);
                    } else if is_key || is_after(".") {
                        self.token(TokenKind::Property, span);
                    } else if WORDS.contains(&name.as_str()) {
                        self.token(TokenKind::Keyword, span);
                    } else {
                        at = self.value(tokens, at - 1);
                    }
                }
                _ => {}
            }
        }
    }

    /// A name and the members after it; returns the index of the first token behind them.
    fn value(&mut self, tokens: &[Lexeme], at: usize) -> usize {
        let Some(name) = symbol(&tokens[at]) else {
            return at + 1;
        };
        let local = self.local(name);
        let mut path = self.resolve(&[name.to_owned()]);
        let is_known = !path.is_empty();
        self.token(TokenKind::Variable, bytes(&tokens[at]));
        self.found.names.push(Name {
            span: bytes(&tokens[at]),
            path: path.clone(),
            local,
        });
        let mut at = at + 1;
        loop {
            let Some((step, length)) = step(&tokens[at..]) else {
                return at;
            };
            let mut span = bytes(&tokens[at + 1]);
            if matches!(tokens[at + 1].kind, Kind::Str(_)) {
                span = span.start + 1..span.end - 1;
            }
            let is_item = step == ITEM;
            path.push(step);
            for token in &tokens[at..at + length] {
                let kind = match token.kind {
                    Kind::Mark(_) => TokenKind::Operator,
                    Kind::Number(_) => TokenKind::Constant,
                    _ => TokenKind::Property,
                };
                self.token(kind, bytes(token));
            }
            let module = local.and_then(|local| self.found.locals[local].imported.as_ref());
            if let Some(module) = module.filter(|it| it.name.is_none() && path.len() == 1) {
                let name = Some(path[0].clone());
                let template = module.template.clone();
                self.found
                    .macros
                    .push((Imported { template, name }, span.clone()));
            }
            if is_known && !is_item {
                self.found.names.push(Name {
                    span,
                    path: path.clone(),
                    local: None,
                });
            }
            at += length;
        }
    }
}

/// The path of an expression that is a name with members, and nothing else.
fn simple_path(tokens: &[Lexeme]) -> Option<Vec<String>> {
    let mut path = vec![symbol(tokens.first()?)?.to_owned()];
    let mut rest = &tokens[1..];
    while !rest.is_empty() {
        let (step, length) = step(rest)?;
        path.push(step);
        rest = &rest[length..];
    }
    Some(path)
}

/// The step of a path at the start of `tokens`, and the number of its tokens.
fn step(tokens: &[Lexeme]) -> Option<(String, usize)> {
    let kinds: Vec<&Kind> = tokens.iter().take(3).map(|it| &it.kind).collect();
    Some(match kinds.as_slice() {
        [Kind::Mark("."), Kind::Symbol(name), ..] => (name.clone(), 2),
        [Kind::Mark("["), Kind::Str(name), Kind::Mark("]")] => (name.clone(), 3),
        [Kind::Mark("["), Kind::Number(_), Kind::Mark("]")] => (ITEM.to_owned(), 3),
        _ => return None,
    })
}

fn symbol(token: &Lexeme) -> Option<&str> {
    match &token.kind {
        Kind::Symbol(name) => Some(name),
        _ => None,
    }
}

fn bytes(token: &Lexeme) -> Range<usize> {
    token.span.start as usize..token.span.end()
}

impl Scan {
    /// The variables that the template defines and that can be used at `offset`, the innermost
    /// of each name.
    pub fn visible(&self, offset: usize) -> Vec<&Local> {
        let mut seen = BTreeSet::new();
        let locals = self.locals.iter().rev();
        let locals = locals.filter(|it| (it.visible.start..=it.visible.end).contains(&offset));
        locals.filter(|it| seen.insert(&it.name)).collect()
    }

    /// The name at `offset`.
    pub fn name_at(&self, offset: usize) -> Option<&Name> {
        let mut names = self.names.iter();
        names.find(|it| (it.span.start..=it.span.end).contains(&offset))
    }

    /// Sorts the tokens by their places.
    #[must_use]
    pub fn sorted_tokens(&self) -> Vec<Token> {
        let mut tokens = self.tokens.clone();
        tokens.sort_by_key(|token| token.span.start);
        tokens
    }
}
