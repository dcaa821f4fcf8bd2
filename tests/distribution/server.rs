//! A server on this machine that serves the files of a directory, well or badly.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The server's treatment of archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It serves all of them.
    Whole,
    /// It closes the connection in the middle.
    Cut,
    /// It stops in the middle, and keeps the connection open.
    Stalled,
}

/// Serves `dir` until the tests end, and returns the address.
pub(crate) fn serve(dir: &Path, manner: Manner) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port of this machine");
    let address = listener.local_addr().expect("the port has a number");
    let dir = dir.to_path_buf();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let dir = dir.clone();
            thread::spawn(move || answer(stream, &dir, manner));
        }
    });
    format!("http://{address}")
}

fn answer(mut stream: TcpStream, dir: &Path, manner: Manner) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let name = first.split(' ').nth(1).unwrap_or_default();
    let name = name.split('?').next().unwrap_or_default();
    let path = dir.join(PathBuf::from(name.trim_start_matches('/')));
    let Ok(data) = fs::read(&path) else {
        return stream.write_all(
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
    };
    let length = data.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    if manner == Manner::Whole || name.ends_with(".sha256") {
        return stream.write_all(&data);
    }
    stream.write_all(&data[..length / 2])?;
    stream.flush()?;
    if manner == Manner::Stalled {
        thread::sleep(Duration::from_mins(1));
    }
    Ok(())
}
