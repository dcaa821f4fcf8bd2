//! One example, from its arguments to what is wrong with it.

use std::sync::Arc;

use cogtools_core::{Code, Fault, Listed, Surroundings, Tool};
use cogtools_program::{Failure, Syntax};
use serde_json::{Map, Value};

use crate::diff::diff;
use crate::flaw::{Blame, Flaw};
use crate::golden::Golden;
use crate::spawn::Spawner;
use crate::suite::Case;
use crate::way::{self, Sent};

/// A tool under test.
pub(crate) struct Subject<'s> {
    /// Its file.
    pub(crate) file: &'s Listed,
    /// The tool, as it is found by its name.
    pub(crate) tool: &'s Arc<Tool>,
    /// The tool, as it is loaded from its path.
    pub(crate) itself: &'s Result<Arc<Tool>, Vec<Fault>>,
    /// The word that names it on a command line, as a shell takes it.
    pub(crate) word: &'s str,
    /// What starts the real programs, if that was asked for.
    pub(crate) spawner: Option<&'s Spawner>,
    /// What is around a tool that is a command.
    pub(crate) surroundings: &'s Surroundings,
    /// Whether golden files are written.
    pub(crate) update: bool,
}

impl Subject<'_> {
    /// Tests the example at `index`, from 0.
    pub(crate) fn case(&self, index: usize, example: &Map<String, Value>) -> Case {
        let number = index + 1;
        let golden = Golden::of(&self.surroundings.root, self.file, number);
        let mut case = Case {
            number,
            place: self.tool.example_place(index),
            golden: golden.shown.clone(),
            flaws: Vec::new(),
            written: false,
        };
        let sent = Sent::new(example);
        let result = match way::answer(self.tool, &sent.json, Syntax::Json, self.surroundings) {
            Ok(result) => result,
            Err(failure) => {
                case.flaws.push(self.blame(index, &failure));
                return case;
            }
        };
        let mut others = way::others(self.tool, self.itself, &sent, self.surroundings);
        if let Some(spawner) = self.spawner {
            others.extend(spawner.answers(self.file, self.tool, &sent));
        }
        let others = others.into_iter();
        let disagree = others.filter_map(|(name, answer)| way::compare(&name, answer, &result));
        case.flaws.extend(disagree);
        // What differs from call to call is not what anybody means to keep.
        let update = self.update && case.flaws.is_empty();
        match self.golden(&golden, &result, update) {
            Ok(written) => case.written = written,
            Err(flaw) => case.flaws.push(*flaw),
        }
        case
    }

    /// Holds the golden file against `result`, or makes it hold that.
    fn golden(&self, golden: &Golden, result: &[u8], update: bool) -> Result<bool, Box<Flaw>> {
        let shown = golden.shown.display();
        let again = format!("cogtools test --update {}", self.word);
        let unusable = |fault: Box<Fault>| {
            let message = format!("`{shown}` cannot be used");
            Box::new(Flaw::new(Blame::Golden, message).faults(vec![*fault]))
        };
        let old = golden.read().map_err(unusable)?;
        if old.as_deref() == Some(result) {
            return Ok(false);
        }
        if update {
            return golden.write(result).map(|()| true).map_err(unusable);
        }
        Err(Box::new(match old {
            None => Flaw::new(Blame::Missing, format!("`{shown}` does not exist")).hint(again),
            Some(old) => {
                let message = format!("the result is not what `{shown}` holds");
                let detail = diff(&shown.to_string(), &old, "the result", result);
                let hint = format!("if the result is right: {again}");
                Flaw::new(Blame::Golden, message).detail(detail).hint(hint)
            }
        }))
    }

    /// What is at fault when an example gives no result.
    fn blame(&self, index: usize, failure: &Failure) -> Flaw {
        let refused = self.tool.check_example(index);
        if !refused.is_empty() {
            return Flaw::new(Blame::Schema, "the example does not fit the parameters")
                .faults(refused);
        }
        let faults = failure.faults().to_vec();
        match faults.first().map(|fault| fault.code) {
            Some(Code::TemplateFailed | Code::InvalidTool) => {
                Flaw::new(Blame::Template, "the template does not render").faults(faults)
            }
            Some(_) => Flaw::new(Blame::Tool, "the tool gives no result").faults(faults),
            None => Flaw::new(Blame::Tool, "cogtools itself failed on this example")
                .hint("this is a defect of cogtools; please report it with the file"),
        }
    }
}
