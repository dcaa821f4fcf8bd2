//! The sources of tools that a layer names, made of its options.

use serde_json::{Value, json};

use super::Extent;
use super::layer::{Base, Layer};
use super::options::{
    CommandOptions, EnvOption, ServerOptions, Servers, SourceOption, SpecificationOptions,
};
use super::reader::Reading;
use super::setting::SERVERS;
use crate::environment::{is_dangerous, without_secrets};
use crate::file::ReadScope;
use crate::sandbox::{Sandbox, SandboxError};
use crate::source::openapi::Options;
use crate::source::{
    Folder, Plugin, PluginServer, PluginStart, Provider, Server, Settings, Source, SourceChanges,
    Specification, Transport, expand, is_invalid_in_name, references,
};
use crate::text::Span;
use crate::yaml::{Entry, Node};

/// Programs whose first argument is the package or script that they run.
const LAUNCHERS: [&str; 6] = ["npx", "uvx", "bunx", "node", "python3", "python"];

/// The hint to a specification without a place.
const SPECIFICATION: &str = "name a file of the project, as in `openapi: ./api.yaml`, or a URL";

/// Makes the sources of `options`, which `reading` has read.
pub(super) fn sources(
    options: Vec<SourceOption>,
    reading: &Reading<'_>,
    layer: &Layer,
    base: &Base<'_>,
) -> Vec<Source> {
    let list = layer.document.get("tool_sources");
    let items = list.and_then(Node::items).unwrap_or_default().iter();
    let mut sources: Vec<Source> = Vec::new();
    for (option, item) in options
        .into_iter()
        .zip(items.filter(|item| !reading.is_skipped(item)))
    {
        let entry = item.entries().and_then(<[Entry]>::first);
        let settings = match (option, entry) {
            (SourceOption::BuiltIn, _) => Err(Source::BuiltIn),
            (SourceOption::Editor, _) => Err(Source::Editor),
            (SourceOption::NodeModules, _) => Err(Source::Packages(base.packages.clone())),
            (SourceOption::OpenApi(options), _) => match specification(*options, layer, base) {
                Ok(specification) => Err(Source::OpenApi(specification)),
                Err((message, hint)) => {
                    reading.report(message, hint, item.span);
                    continue;
                }
            },
            (SourceOption::Local(folder), _) => match local(&folder.0, layer, base) {
                Some(folder) => Err(Source::Folder(folder)),
                None => continue,
            },
            (SourceOption::Plugin(folder), _) => {
                let Ok((path, display_path, _)) = layer.place.resolve(&folder.0, base) else {
                    continue;
                };
                let is_user = layer.place.is_user;
                let scope = ReadScope::source(&base.root, &path, is_user);
                let plugin = Plugin::read(&path, &display_path, &scope, is_user);
                let is_same =
                    |other: &Source| matches!(other, Source::Plugin(it) if it.name == plugin.name);
                if sources.iter().any(is_same) {
                    let message = format!("two plugins are named `{}`", plugin.name);
                    reading.report(message, "remove one of them", item.span);
                    continue;
                }
                for mut settings in plugin_servers(&plugin) {
                    settings.user_configured = is_user;
                    add_provider(&mut sources, settings, (reading, item.span));
                }
                sources.push(Source::Plugin(plugin));
                continue;
            }
            (SourceOption::Command(options), _) => Ok(command(*options, reading)),
            (SourceOption::Mcp(options), Some(_)) if options.disabled => continue,
            (SourceOption::Mcp(options), Some(entry)) => {
                match server(*options, reading, entry, layer) {
                    Some(settings) => Ok(settings),
                    None => continue,
                }
            }
            (SourceOption::Mcp(_), None) => continue,
        };
        let mut settings = match settings {
            Ok(settings) => settings,
            Err(source) => {
                sources.push(source);
                continue;
            }
        };
        settings.user_configured = layer.place.is_user;
        add_provider(&mut sources, settings, (reading, item.span));
    }
    sources
}

/// Makes the sources of the MCP servers in `options`, in the order of the document; `listed` are
/// the other sources of the layer.
pub(super) fn servers(
    Servers(mut options): Servers,
    listed: &[Source],
    reading: &Reading<'_>,
    layer: &Layer,
) -> Vec<Source> {
    let entries = layer.document.get(SERVERS).and_then(Node::entries);
    let mut all = listed.to_vec();
    for entry in entries.unwrap_or_default() {
        let Some(mut server_options) = options.remove(&entry.key) else {
            continue;
        };
        if server_options.disabled || reading.is_lost(entry) {
            continue;
        }
        let name = entry.key.replace(is_invalid_in_name, "_");
        server_options.name.get_or_insert(name);
        if let Some(mut settings) = server(server_options, reading, entry, layer) {
            settings.user_configured = layer.place.is_user;
            add_provider(&mut all, settings, (reading, entry.span));
        }
    }
    all.split_off(listed.len())
}

/// Adds the provider with these settings, unless there is one of its name: approvals are recorded
/// by name.
fn add_provider(
    sources: &mut Vec<Source>,
    settings: Settings,
    (reading, span): (&Reading<'_>, Span),
) {
    let name = &settings.name;
    let mut providers = sources.iter().filter_map(Source::provider);
    if providers.any(|other| other.settings().name == *name) {
        let message = format!("two providers are named `{name}`");
        reading.report(message, "give one of them another `name`", span);
    } else {
        sources.push(Source::Provider(Provider::new(settings)));
    }
}

/// A folder of tool files. The reader has found no mistake in its path.
fn local(path: &str, layer: &Layer, base: &Base<'_>) -> Option<Folder> {
    let (path, display_path, of_user) = layer.place.resolve(path, base).ok()?;
    let scope = ReadScope::source(&base.root, &path, layer.place.is_user);
    let folder = Folder::new(path, display_path, true, scope);
    Some(if of_user { folder.of_user() } else { folder })
}

/// A specification in a file or at a URL; the message and the hint if it cannot be used.
fn specification(
    mut options: SpecificationOptions,
    layer: &Layer,
    base: &Base<'_>,
) -> Result<Specification, (String, &'static str)> {
    let is_users = layer.place.is_user;
    let cache = options.cache;
    match (options.url.take(), options.file.take()) {
        (Some(url), None) if has_secrets(&url) => Err((
            "the URL of the specification has a user name or a password".to_owned(),
            "name one that needs no credentials, or keep the file in the project",
        )),
        (Some(url), None) => {
            let stem = url_stem(&url);
            let settings = settings_of(options, &stem);
            Ok(Specification::at_url(url, cache, is_users, settings))
        }
        (None, Some(file)) => {
            let Ok((path, display_path, _)) = layer.place.resolve(&file, base) else {
                let message = format!("`{file}` is not a file that can be used");
                return Err((message, SPECIFICATION));
            };
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let settings = settings_of(options, &stem);
            let folder = path.parent().unwrap_or(&path);
            let scope = ReadScope::source(&base.root, folder, is_users);
            Ok(Specification::new(
                path,
                display_path,
                scope,
                is_users,
                settings,
            ))
        }
        (Some(_), Some(_)) => Err((
            "`openapi` has both `file` and `url`".to_owned(),
            "remove one of them",
        )),
        (None, None) => Err(("`openapi` needs `file` or `url`".to_owned(), SPECIFICATION)),
    }
}

/// Returns the name of the last part of the path of `url`, or of its host.
fn url_stem(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let rest = path.split_once("://").map_or(path, |(_, rest)| rest);
    let mut parts = rest.split('/').filter(|part| !part.is_empty());
    let host = parts.next().unwrap_or_default();
    match parts.next_back() {
        Some(last) => last.split('.').next().unwrap_or(last).to_owned(),
        None => host.to_owned(),
    }
}

/// Returns true if the authority of `url` has a user name, or a password.
fn has_secrets(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.contains('@')
}

fn settings_of(options: SpecificationOptions, stem: &str) -> Options {
    Options {
        name: options
            .name
            .unwrap_or_else(|| stem.replace(is_invalid_in_name, "_")),
        prefix: options.prefix.unwrap_or_default(),
        base: None,
        server: options.server,
        variables: options.variables,
        auth: options.auth,
        hosts: options.hosts,
        headers: options.headers,
        timeout: options.timeout.map(|timeout| timeout.as_secs_f64()),
        include: options.include,
        exclude: options.exclude,
        overrides: options.overrides,
    }
}

/// A source that is another program.
fn command(options: CommandOptions, reading: &Reading<'_>) -> Settings {
    let discover = options.discover.words();
    let stem = discover.first().map(|program| package_name(program));
    let stem = stem.map(|stem| stem.replace(is_invalid_in_name, "_"));
    let mut settings = Settings {
        name: options.name.or(stem).unwrap_or_default(),
        discover,
        call: options.call.words(),
        prefix: options.prefix.unwrap_or_default(),
        env: options.env,
        timeout: options.timeout,
        wait: options.wait,
        cache: options.cache,
        in_project: options.cwd.is_some(),
        changes: SourceChanges::new(options.tools, options.read_only, options.ask),
        ..Settings::default()
    };
    let sandbox = options.sandbox.and_then(|index| reading.sandbox(index.0));
    settings.set_sandbox(sandbox.map(Sandbox::with_project));
    settings
}

/// A source that is the MCP server under the key of `entry`.
fn server(
    options: ServerOptions,
    reading: &Reading<'_>,
    entry: &Entry,
    layer: &Layer,
) -> Option<Settings> {
    if !options.command.is_empty() && options.url.is_some() {
        let message = format!("`{}` has both `command` and `url`", entry.key);
        reading.report(message, "remove one of them", entry.span);
        return None;
    }
    if options.command.is_empty() && options.url.is_none() {
        let hint = reading.example(&entry.value);
        let message = format!("`{}` needs `command` or `url`", entry.key);
        reading.report(message, hint, entry.span);
        return None;
    }
    if options.sandbox.is_some() && options.url.is_some() {
        let error = SandboxError::Remote;
        reading.report(error.to_string(), error.hint(), entry.span);
        return None;
    }
    if let EnvOption::Values(values) = &options.env {
        let refused = |name: &&String| !layer.place.is_user && is_dangerous(name);
        if let Some(name) = values.keys().find(refused) {
            let message = format!("`env` of a project's server may not set `{name}`");
            let hint = "set it in the environment, or name the server in ~/.gemini/cogtoolrc.yaml";
            // It may be an attack, and the user has to see it.
            reading.report_as(Extent::Layer, message, hint, entry.span);
        }
    }
    let sandbox = options.sandbox.and_then(|index| reading.sandbox(index.0));
    let mut settings = server_settings(options);
    settings.set_sandbox(sandbox.map(Sandbox::with_project));
    Some(settings)
}

/// The servers of `plugin`.
fn plugin_servers(plugin: &Plugin) -> impl Iterator<Item = Settings> {
    plugin.servers.iter().map(|(name, server)| {
        let mut options = ServerOptions {
            name: Some(plugin.source_name(name)),
            // A plugin has references of its own.
            env: EnvOption::Names(Vec::new()),
            ..ServerOptions::default()
        };
        let mut start = None;
        match server.clone() {
            PluginServer::Stdio {
                command,
                args,
                env,
                cwd,
            } => {
                options.command = vec![command];
                options.args = args;
                start = Some(PluginStart::new(plugin, cwd, env));
            }
            PluginServer::StreamableHttp { url, headers } => {
                options.url = Some(url);
                let headers = headers
                    .into_iter()
                    .map(|(name, value)| (name, value.into()));
                options.headers = headers.collect();
            }
        }
        Settings {
            plugin: start,
            ..server_settings(options)
        }
    })
}

/// The settings of an MCP server, without a sandbox.
fn server_settings(mut options: ServerOptions) -> Settings {
    let default = default_name(&options).replace(is_invalid_in_name, "_");
    let name = options.name.unwrap_or(default);
    let mut line: Vec<String> = options.command.into_iter().chain(options.args).collect();
    let mut description = json!({"name": name});
    let (mut env, mut optional, mut sets) = (Vec::new(), Vec::new(), Vec::new());
    match options.env {
        EnvOption::Names(names) => env = names,
        EnvOption::Values(mut values) => {
            // A name of the map has the value that is set there, but not in that value itself.
            let given = values.clone();
            for (name, value) in &mut values {
                let other = |it: &str| given.get(it).filter(|_| it != name);
                *value = expand(value, |it| it.text(Some(other(it.name)?)));
            }
            let own = |text: &str| expand(text, |it| it.text(Some(values.get(it.name)?)));
            let texts = line.iter_mut().chain(&mut options.url);
            texts.for_each(|text| *text = own(text));
            for header in options.headers.values_mut() {
                *header = header.as_str().map(own).into();
            }
            let headers = options.headers.values().filter_map(Value::as_str);
            let texts = line.iter().chain(&options.url).chain(values.values());
            let texts = texts.map(String::as_str).chain(headers);
            for reference in texts.flat_map(references) {
                let names = match reference.default {
                    Some(_) => &mut optional,
                    None => &mut env,
                };
                if !names.iter().any(|name| name == reference.name) {
                    names.push(reference.name.to_owned());
                }
            }
            if !values.is_empty() {
                description["env"] = json!(values);
            }
            let line = |(name, value)| format!("{name}={value}");
            sets = values.iter().map(line).collect();
        }
    }
    let transport = if let Some(url) = &options.url {
        let names = options.headers.keys().cloned().collect();
        description["url"] = url.as_str().into();
        description["headers"] = options.headers.into();
        Transport::Url(without_secrets(url), names)
    } else {
        description["command"] = json!(line);
        Transport::Command(line)
    };
    if let Some(timeout) = options.timeout {
        description["timeout"] = timeout.as_secs_f64().into();
    }
    let client = |args: &[&str]| {
        let words = [Server::PROGRAM, "--error-format=json"];
        let words = words.iter().chain(args);
        words.map(|arg| (*arg).to_owned()).collect()
    };
    let cache = options.cache.unwrap_or(Server::CACHE_TTL);
    Settings {
        name,
        discover: client(&["discover"]),
        call: client(&["call", "--json"]),
        prefix: options.prefix.unwrap_or_default(),
        env,
        optional_env: optional,
        timeout: options.timeout,
        wait: options.wait,
        idle: options.idle,
        shared: options.shared,
        cache: (!cache.is_zero()).then_some(cache),
        in_project: options.cwd.is_some(),
        changes: SourceChanges::new(options.tools, options.read_only, options.ask),
        server: Some(Server {
            description: description.to_string(),
            transport,
            sets,
            is_sse: options.transport == "sse",
        }),
        ..Settings::default()
    }
}

/// The default name: the host of a URL, or for a command the program, or the
/// package that a launcher runs.
fn default_name(options: &ServerOptions) -> String {
    if let Some(url) = &options.url {
        let rest = url.split("://").nth(1).unwrap_or_default();
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // The authority may contain a password, which no message may reveal.
        return host.rsplit('@').next().unwrap_or_default().to_owned();
    }
    let mut line = options.command.iter().chain(&options.args);
    let program = package_name(line.next().map_or("", String::as_str));
    let is_launcher = LAUNCHERS.contains(&program.as_str());
    match line
        .find(|arg| !arg.starts_with('-'))
        .filter(|_| is_launcher)
    {
        Some(package) => package_name(package),
        None => program,
    }
}

/// The name of a package without scope and version, or of a program or a script without its
/// extension. Other parts of a name after a dot are kept: they tell servers of one author apart.
fn package_name(argument: &str) -> String {
    let last = argument.rsplit(['/', '\\']).next().unwrap_or(argument);
    let name = last.split('@').next().unwrap_or(last);
    let endings = [
        ".js", ".mjs", ".cjs", ".ts", ".py", ".sh", ".exe", ".cmd", ".bat",
    ];
    let stem = endings.iter().find_map(|ending| name.strip_suffix(ending));
    stem.unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_names_of_servers() {
        let command = |line: &str| ServerOptions {
            command: line.split(' ').map(str::to_owned).collect(),
            ..ServerOptions::default()
        };
        for (line, name) in [
            (
                "npx -y @modelcontextprotocol/server-everything@1.2",
                "server-everything",
            ),
            ("uvx mcp-server-git --repository .", "mcp-server-git"),
            ("node dist/index.js", "index"),
            ("/opt/bin/server --stdio", "server"),
            ("/opt/bin/server.sh", "server"),
            ("awslabs.core-mcp-server", "awslabs.core-mcp-server"),
            ("uvx awslabs.git-mcp@latest", "awslabs.git-mcp"),
        ] {
            assert_eq!(default_name(&command(line)), name, "{line}");
        }
    }
}
