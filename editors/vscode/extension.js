// What this window shows, for programs in its terminals, on a Unix socket that only its user can
// open. The protocol is docs/reference/editor-protocol.md of cogtools.
'use strict';

const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');
const vscode = require('vscode');
const language = require('./language.js');
const proposals = require('./proposals.js');

const MAX_REQUEST = 8 << 20;
const MAX_ITEMS = 200;
const SEVERITIES = ['error', 'warning', 'information', 'hint'];
let last;

// A terminal, a log or the panel with outputs is not what the user works on.
const isText = (editor) => Boolean(editor) && !editor.document.isClosed
  && ['file', 'untitled'].includes(editor.document.uri.scheme);

function current() {
  const editors = [vscode.window.activeTextEditor, last, ...vscode.window.visibleTextEditors];
  return editors.find(isText);
}

function position(document, at) {
  const before = document.lineAt(at.line).text.slice(0, at.character);
  return { line: at.line + 1, column: [...before].length + 1 };
}

function cut(text, bytes) {
  const whole = Buffer.from(text);
  if (!(whole.length > bytes)) return { text };
  // A stream keeps the part of a character for later.
  const part = new TextDecoder().decode(whole.subarray(0, bytes), { stream: true });
  return { text: part, truncated: true };
}

function textOf(range, params) {
  const { workspace } = vscode;
  const isIt = ({ uri }) => uri.scheme === 'file' && uri.fsPath === params.path;
  const editor = params.path === undefined
    ? current()
    : { document: workspace.textDocuments.find(isIt) };
  if (!editor?.document) return { text: '' };
  const { document, selection } = editor;
  const part = range
    ? { start: position(document, selection.start), end: position(document, selection.end) }
    : {};
  return {
    path: document.uri.scheme === 'file' ? document.uri.fsPath : undefined,
    language: document.languageId,
    ...cut(document.getText(range ? selection : undefined), params.max_bytes),
    ...part,
    dirty: document.isDirty,
    hash: proposals.hash(document.getText()),
  };
}

function openFiles() {
  const active = current()?.document.uri.fsPath;
  const files = new Map();
  for (const tab of vscode.window.tabGroups.all.flatMap((group) => group.tabs)) {
    const uri = tab.input?.uri;
    if (uri?.scheme !== 'file') continue;
    const file = uri.fsPath;
    files.set(file, { path: file, active: file === active, dirty: tab.isDirty });
  }
  return { files: [...files.values()] };
}

function diagnostics() {
  const all = vscode.languages.getDiagnostics().filter(([uri]) => uri.scheme === 'file');
  const where = (uri, { start }) => {
    const is = (one) => one.uri.toString() === uri.toString();
    const document = vscode.workspace.textDocuments.find(is);
    // Of a file that is not open, only UTF-16 is known.
    return document && start.line < document.lineCount
      ? position(document, start)
      : { line: start.line + 1, column: start.character + 1 };
  };
  const found = all.flatMap(([uri, list]) => list.map((one) => ({
    path: uri.fsPath,
    ...where(uri, one.range),
    severity: SEVERITIES[one.severity] ?? 'error',
    message: one.message,
    source: one.source,
  })));
  return { diagnostics: found.slice(0, MAX_ITEMS), truncated: found.length > MAX_ITEMS };
}

async function openFile({ path: file, line }) {
  const at = new vscode.Position(line - 1, 0);
  const options = { preview: false, selection: new vscode.Range(at, at) };
  await vscode.window.showTextDocument(vscode.Uri.file(file), options);
  return { opened: true };
}

const methods = {
  get_selected_text: (params) => textOf(true, params),
  get_current_file: (params) => textOf(false, params),
  get_open_files: openFiles,
  get_diagnostics: diagnostics,
  open_file: openFile,
  propose_edit: proposals.propose,
};

function folders() {
  return (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
}

async function answer(line, gone) {
  let id = null;
  try {
    const request = JSON.parse(line);
    id = request.id ?? null;
    if (!Object.hasOwn(methods, request.method)) {
      return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
    }
    const result = await methods[request.method](request.params ?? {}, gone);
    return { jsonrpc: '2.0', id, result: { name: vscode.env.appName, folders: folders(), ...result } };
  } catch (error) {
    return { jsonrpc: '2.0', id, error: { code: -32603, message: String(error.message) } };
  }
}

function serve(socket) {
  let text = '';
  const gone = new Promise((resolve) => { socket.on('close', resolve); });
  socket.setEncoding('utf8');
  socket.on('error', () => socket.destroy());
  socket.on('data', async (chunk) => {
    text += chunk;
    if (text.length > MAX_REQUEST) socket.destroy();
    const end = text.indexOf('\n');
    if (end < 0) return;
    socket.removeAllListeners('data').on('data', () => {});
    const response = await answer(text.slice(0, end), gone);
    socket.end(`${JSON.stringify(response)}\n`);
  });
}

// A folder that only the user can open, in one that others cannot replace.
function isPrivate(folder) {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = fs.lstatSync(folder);
  return found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o022) === 0;
}

// Terminals that were opened before the variable was set find the socket by this file.
function publish(socket) {
  const runtime = process.env.XDG_RUNTIME_DIR;
  const base = runtime
    ? path.join(runtime, 'cogtools')
    : path.join(os.tmpdir(), `cogtools-${process.getuid()}`);
  const folder = path.join(base, 'editor');
  if (!isPrivate(base) || !isPrivate(folder)) return undefined;
  const file = path.join(folder, `${process.pid}.json`);
  const text = JSON.stringify({ socket, folders: folders(), name: vscode.env.appName });
  const temporary = `${file}.tmp`;
  fs.rmSync(temporary, { force: true });
  fs.writeFileSync(temporary, `${text}\n`, { mode: 0o600, flag: 'wx' });
  fs.renameSync(temporary, file);
  return file;
}

function activate(context) {
  language.activate(context);
  // Windows has no Unix sockets that Node can open.
  if (process.platform === 'win32') return undefined;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cogtools-'));
  const socket = path.join(folder, 'editor');
  const server = net.createServer(serve);
  let file;
  const remember = (editor) => { if (isText(editor)) last = editor; };
  remember(vscode.window.activeTextEditor);
  context.subscriptions.push(
    vscode.window.onDidChangeActiveTextEditor(remember),
    vscode.workspace.onDidChangeWorkspaceFolders(() => { file = publish(socket) ?? file; }),
    ...proposals.activate(),
    {
      dispose() {
        server.close();
        fs.rmSync(folder, { recursive: true, force: true });
        if (file) fs.rmSync(file, { force: true });
      },
    },
  );
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(socket, () => {
      fs.chmodSync(socket, 0o600);
      const variables = context.environmentVariableCollection;
      variables.persistent = false;
      variables.replace('COGTOOLS_EDITOR', socket);
      file = publish(socket);
      resolve();
    });
  });
}

exports.activate = activate;
