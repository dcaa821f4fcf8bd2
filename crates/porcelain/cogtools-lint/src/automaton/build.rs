//! From the text of a pattern to its automaton.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{AssertionKind, Ast, GroupKind, RepetitionKind, RepetitionRange};

use super::{Automaton, Class, Condition, State};

/// Larger automata are not examined.
const MAX_STATES: usize = 2_000;

impl Automaton {
    /// The automaton of `pattern`; none if it is too large or needs more than an automaton.
    pub(crate) fn of(pattern: &str) -> Option<Self> {
        let ast = Parser::new().parse(pattern).ok()?;
        let mut automaton = Self {
            states: Vec::new(),
            start: 0,
            accept: 0,
        };
        automaton.start = automaton.state()?;
        automaton.accept = automaton.state()?;
        let (start, accept) = (automaton.start, automaton.accept);
        automaton.add(&ast, start, accept)?;
        Some(automaton)
    }

    fn state(&mut self) -> Option<usize> {
        self.states.push(State::default());
        (self.states.len() <= MAX_STATES).then(|| self.states.len() - 1)
    }

    fn link(&mut self, from: usize, to: usize) {
        self.states[from].moves.push((Condition::Always, to));
    }

    /// Adds what leads from one state to another by reading what `ast` matches.
    fn add(&mut self, ast: &Ast, from: usize, to: usize) -> Option<()> {
        match ast {
            Ast::Empty(_) => self.link(from, to),
            Ast::Dot(_) => self.read(Class::dot(), from, to)?,
            Ast::Literal(literal) => self.read(Class::literal(literal), from, to)?,
            Ast::ClassPerl(class) => self.read(Class::perl(class), from, to)?,
            Ast::ClassBracketed(class) => self.read(Class::bracketed(class)?, from, to)?,
            Ast::Assertion(assertion) => {
                let condition = match assertion.kind {
                    AssertionKind::StartLine => Condition::AtStart,
                    AssertionKind::EndLine => Condition::AtEnd,
                    _ => return None,
                };
                self.states[from].moves.push((condition, to));
            }
            Ast::Group(group) => {
                if matches!(&group.kind, GroupKind::NonCapturing(flags) if !flags.items.is_empty())
                {
                    return None;
                }
                self.add(&group.ast, from, to)?;
            }
            Ast::Alternation(alternation) => {
                for branch in &alternation.asts {
                    let start = self.state()?;
                    self.link(from, start);
                    self.add(branch, start, to)?;
                }
            }
            Ast::Concat(concat) => {
                let mut from = from;
                for (index, part) in concat.asts.iter().enumerate() {
                    let is_last = index + 1 == concat.asts.len();
                    let end = if is_last { to } else { self.state()? };
                    self.add(part, from, end)?;
                    from = end;
                }
            }
            Ast::Repetition(repetition) => {
                let (least, most) = match repetition.op.kind {
                    RepetitionKind::ZeroOrOne => (0, Some(1)),
                    RepetitionKind::ZeroOrMore => (0, None),
                    RepetitionKind::OneOrMore => (1, None),
                    RepetitionKind::Range(RepetitionRange::Exactly(count)) => (count, Some(count)),
                    RepetitionKind::Range(RepetitionRange::AtLeast(count)) => (count, None),
                    RepetitionKind::Range(RepetitionRange::Bounded(least, most)) => {
                        (least, Some(most))
                    }
                };
                self.repeat(&repetition.ast, least, most, from, to)?;
            }
            Ast::Flags(_) | Ast::ClassUnicode(_) => return None,
        }
        Some(())
    }

    fn read(&mut self, class: Class, from: usize, to: usize) -> Option<()> {
        let reader = self.state()?;
        self.link(from, reader);
        self.states[reader].reads = Some((class, to));
        Some(())
    }

    fn repeat(
        &mut self,
        ast: &Ast,
        least: u32,
        most: Option<u32>,
        mut from: usize,
        to: usize,
    ) -> Option<()> {
        // The last of the copies that must be there repeats itself.
        let copies = if most.is_none() {
            least.max(1) - 1
        } else {
            least
        };
        for _ in 0..copies {
            let end = self.state()?;
            self.add(ast, from, end)?;
            from = end;
        }
        let Some(most) = most else {
            let (start, end) = (self.state()?, self.state()?);
            self.link(from, start);
            self.add(ast, start, end)?;
            self.link(end, start);
            self.link(end, to);
            if least == 0 {
                self.link(from, to);
            }
            return Some(());
        };
        for _ in least..most {
            let end = self.state()?;
            self.link(from, to);
            self.add(ast, from, end)?;
            from = end;
        }
        self.link(from, to);
        Some(())
    }
}
