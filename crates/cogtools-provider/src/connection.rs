//! What answers: a provider, a provider that is recorded, or a tape.

use std::path::{Path, PathBuf};

use cogtools_agent::diagnostic;
use cogtools_core::file::{self, WritePath};
use cogtools_core::{Code, Diagnostic, Project};
use cogtools_log::Timestamp;
use cogtools_model::{MAX_TAPE_BYTES, Model, ModelError, Recorder, Replay, Tape};
use cogtools_program::{Failure, Io, named_file};

use crate::{ModelOptions, connect};

/// What answers.
#[derive(Debug)]
pub enum Connection {
    /// A provider.
    Live(Box<dyn Model>),
    /// A provider whose responses are kept.
    Recorded(Recording),
    /// A tape.
    Replayed(Replay),
}

/// A provider whose responses are kept, and where.
#[derive(Debug)]
pub struct Recording {
    model: Recorder<Box<dyn Model>>,
    path: WritePath,
    display_path: PathBuf,
    time: String,
}

impl Connection {
    /// Connects to what the command line names: `options`. `model` is the name of the model.
    pub fn open(
        options: &ModelOptions,
        model: &str,
        project: &Project,
        io: &Io<'_>,
    ) -> Result<Self, Failure> {
        let secrets = io.secrets().into_iter().map(|(_, value)| value);
        if let Some(path) = &options.replay {
            let replay = read(path, io)?.masking(secrets);
            return Ok(Self::Replayed(replay));
        }
        let live = connect(options, io)?;
        let Some(path) = &options.record else {
            return Ok(Self::Live(live));
        };
        let time = Timestamp::now().to_string();
        let tape = Tape {
            time: time.clone(),
            model: model.to_owned(),
        };
        Ok(Self::Recorded(Recording {
            model: Recorder::new(live, tape).masking(secrets),
            path: WritePath::in_project(project.root(), &io.cwd.join(path)),
            display_path: path.clone(),
            time,
        }))
    }

    /// The model.
    pub fn model(&self) -> &dyn Model {
        match self {
            Self::Live(model) => &**model,
            Self::Recorded(recording) => &recording.model,
            Self::Replayed(replay) => replay,
        }
    }

    /// The time that prompts name: `now`, unless a tape fixes it.
    pub fn time(&self, now: Timestamp) -> String {
        match self {
            Self::Live(_) => now.to_string(),
            Self::Recorded(recording) => recording.time.clone(),
            Self::Replayed(replay) => replay.time().to_owned(),
        }
    }

    /// Writes the tape.
    pub fn save(&self) -> Result<(), Failure> {
        let Self::Recorded(recording) = self else {
            return Ok(());
        };
        file::write(&recording.path, &recording.model.lines()).map_err(|error| {
            let name = recording.display_path.display();
            let message = format!("`{name}` cannot be written: {error}");
            Diagnostic::new(Code::IoFailed, message)
                .hint(error.hint("name another file with --record"))
                .into()
        })
    }
}

/// The model that was asked when the tape at `path` was recorded.
pub fn recorded_model(path: &Path, io: &Io<'_>) -> Result<String, Failure> {
    Ok(read(path, io)?.tape().model.clone())
}

fn read(path: &Path, io: &Io<'_>) -> Result<Replay, Failure> {
    let bytes = named_file::read(path, MAX_TAPE_BYTES, io)?;
    let replay = Replay::new(&path.display().to_string(), &bytes);
    replay.map_err(|error: ModelError| diagnostic::diagnostic(&error, "").into())
}
