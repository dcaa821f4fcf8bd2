//! A writer that is killed, and one without space: real processes.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cogtools_log::{LogError, SessionFile};

use crate::scene::{Scene, header, options, task};

/// The variable that makes [`writer`] write, to the folder that it names.
const FOLDER: &str = "COGTOOLS_LOG_WRITER";

/// Not a test by itself: what the processes of the tests below run.
#[test]
fn writer() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    let file = SessionFile::named(folder, folder, "run.jsonl".as_ref());
    let mut log = match cogtools_log::Log::create(&file, &header(), options()) {
        Ok(log) => log,
        Err(LogError::Exists(_)) => {
            cogtools_log::Log::open(&file, options())
                .expect("continued")
                .0
        }
        Err(error) => panic!("{error}"),
    };
    loop {
        let text = "x".repeat(200);
        match log.append(log.head(), task(&text)) {
            Ok(id) => println!("wrote {id}"),
            Err(error) => {
                println!("failed: {error}");
                // What is left of the line is not in the way of another attempt.
                let again = log
                    .append(log.head(), task(&text))
                    .expect_err("still no space");
                println!("failed: {again}");
                return;
            }
        }
    }
}

/// A process that writes to the session of `scene`; a shell runs `before` first.
fn spawn(scene: &Scene, before: &str) -> Child {
    let this = std::env::current_exe().expect("this program");
    Command::new("/bin/sh")
        .args([
            "-c",
            &format!("{before} exec \"$0\" --exact killed::writer --nocapture"),
        ])
        .arg(this)
        .env(FOLDER, scene.folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process")
}

#[test]
fn a_session_is_continued_after_each_kill() {
    let scene = Scene::new();
    let mut entries = 0;
    for lines in [1, 2, 5, 20, 50] {
        let mut child = spawn(&scene, "");
        // Its output stays open, since a process that cannot print ends by itself.
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let wrote = output.by_ref().lines().map_while(Result::ok);
        let wrote = wrote
            .filter(|line| line.contains("wrote"))
            .take(lines)
            .last();
        // It holds the lock until it is killed.
        assert!(matches!(scene.open(), Err(LogError::InUse(_))));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let last = wrote.and_then(|line| line.rsplit(' ').next()?.parse::<usize>().ok());
        let session = scene.read().expect("readable");
        let now = session.entries.len();
        // What it has reported is there.
        assert!(
            last.is_some_and(|last| last <= now) && now >= entries + lines,
            "{last:?} {now}"
        );
        let path = session.path_to(session.head().expect("a leaf"));
        let torn = session.entries.len() - session.nodes().count();
        assert_eq!(path.len(), now - torn);
        entries = now;
    }
    let (mut log, _) = scene.open().expect("free again");
    log.append(log.head(), task("more")).expect("appended");
}

#[test]
fn a_process_that_writes_is_known_from_outside() {
    let scene = Scene::new();
    let log = scene.create();
    assert!(scene.file().is_in_use().expect("it is there"));
    drop(log);
    // A process that another test forks has the lock, too, until its program begins.
    let end = Instant::now() + Duration::from_secs(10);
    while scene.file().is_in_use().expect("it is there") {
        assert!(Instant::now() < end, "it stays in use");
    }
    // A look is not in the way of a writer.
    let looks = std::thread::spawn({
        let file = scene.file();
        move || (0..2000).for_each(|_| drop(file.is_in_use()))
    });
    for _ in 0..50 {
        scene.open().expect("it is free");
    }
    looks.join().expect("it ends");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error_and_the_session_goes_on() {
    let scene = Scene::new();
    // The limit of a file's size acts as a full disk does, in the middle of a line.
    let child = spawn(&scene, "trap '' XFSZ; ulimit -f 8;");
    let output = child.wait_with_output().expect("ended");
    let output = String::from_utf8(output.stdout).expect("text");
    let failed: Vec<&str> = output
        .lines()
        .filter(|line| line.contains("failed: "))
        .collect();
    let message = "failed: `run.jsonl` cannot be written: File too large (os error 27)";
    assert_eq!(failed, [message, message], "{output}");
    let wrote = output.lines().filter(|line| line.contains("wrote")).count();
    let session = scene.read().expect("readable");
    assert_eq!((session.entries.len(), session.torn_lines()), (wrote, 1));
    let (mut log, _) = scene.open().expect("continued");
    log.append(log.head(), task("more")).expect("appended");
    let session = scene.read().expect("readable");
    assert_eq!(
        (session.nodes().count(), session.torn_lines()),
        (wrote + 1, 0)
    );
}
