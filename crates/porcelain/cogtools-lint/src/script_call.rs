//! What scripts call in their own language that changes, destroys or connects.

use crate::program::{Deed, of_sql};
use crate::tool_script::ToolScript;

const DESTROYS: &[&str] = &[
    "Deno.remove(",
    "Dir.rmdir(",
    "File.delete(",
    "File.unlink(",
    "FileUtils.rm",
    "Remove-Item",
    "await rm(",
    "await rmdir(",
    "await unlink(",
    "fs.rm(",
    "fs.unlink(",
    "fsp.rm(",
    "os.remove(",
    "os.removedirs(",
    "os.rmdir(",
    "os.unlink(",
    "promises.rm(",
    "rmSync(",
    "rmdirSync(",
    "shutil.rmtree(",
    ").unlink(",
    ".unlink()",
    ".rmdir()",
    "unlinkSync(",
    "unlink $",
    "unlink \"",
    "unlink(\"",
    "method: \"DELETE\"",
    "method: 'DELETE'",
    "requests.delete(",
    "httpx.delete(",
];

const CHANGES: &[&str] = &[
    ".appendFile",
    ".copyFile",
    ".mkdir(",
    ".mkdirSync(",
    ".rename(",
    ".renameSync(",
    ".symlink(",
    ".touch(",
    ".truncate(",
    ".writeFile",
    ".write_bytes(",
    ".write_text(",
    "Bun.write(",
    "Deno.mkdir(",
    "Deno.writeFile",
    "Deno.writeTextFile",
    "Dir.mkdir(",
    "File.rename(",
    "File.write(",
    "FileUtils.cp",
    "FileUtils.mkdir",
    "FileUtils.mv",
    "FileUtils.touch",
    "IO.write(",
    "New-Item",
    "Out-File",
    "Set-Content",
    "appendFileSync(",
    "await mkdir(",
    "await rename(",
    "await writeFile(",
    "createWriteStream(",
    "file_put_contents(",
    "httpx.post(",
    "httpx.put(",
    "method: \"PATCH\"",
    "method: \"POST\"",
    "method: \"PUT\"",
    "method: 'PATCH'",
    "method: 'POST'",
    "method: 'PUT'",
    "method=\"POST\"",
    "mode=\"a\"",
    "mode=\"w\"",
    "mode='a'",
    "mode='w'",
    "os.chmod(",
    "os.link(",
    "os.makedirs(",
    "os.mkdir(",
    "os.rename(",
    "os.replace(",
    "os.symlink(",
    "requests.patch(",
    "requests.post(",
    "requests.put(",
    "shutil.copy",
    "shutil.move(",
    "writeFileSync(",
    ", \"a\")",
    ", \"w\")",
    ", \"wb\")",
    ", \"x\")",
    ", 'a')",
    ", 'w')",
    ", 'wb')",
    ", '>',",
    ", \">\",",
    ", '>>',",
];

const CONNECTS: &[&str] = &[
    "Invoke-WebRequest",
    "Invoke-RestMethod",
    "Net::HTTP",
    "WebSocket(",
    "aiohttp",
    "axios",
    "await fetch(",
    "fetch(\"http",
    "fetch('http",
    "fetch(`http",
    "from requests",
    "ftplib",
    "http.client",
    "http.get(",
    "https.get(",
    "https.request(",
    "import boto3",
    "import httpx",
    "import requests",
    "import socket",
    "net.connect(",
    "open-uri",
    "paramiko",
    "smtplib",
    "urllib.request",
    "urllib3",
    "LWP::",
    "curl_init(",
];

/// What the script calls that changes, destroys or connects, and the name of the call.
pub(crate) fn deeds(script: &ToolScript, is_temporary: bool) -> Vec<(Deed, String)> {
    let text = script.text();
    let lists = [
        (Deed::Destroys, DESTROYS),
        (Deed::Changes, CHANGES),
        (Deed::Connects, CONNECTS),
    ];
    let mut found = Vec::new();
    for (deed, calls) in lists {
        if is_temporary && deed != Deed::Connects {
            continue;
        }
        let call = calls.iter().find(|call| text.contains(**call));
        found.extend(
            call.map(|call| (deed, call.trim_end_matches(['(', '"', '$', ' ']).to_owned())),
        );
    }
    let statements = text.lines().filter_map(of_sql).max();
    found.extend(statements.map(|deed| (deed, "SQL".to_owned())));
    found
}
