// As much of the module `vscode` as the extension uses, for one window with one file. The first
// argument is the extension, the second the window as JSON. Each line of standard input is an act of
// its user, and each line of standard output what there is to see. It ends with its standard input.
'use strict';

const Module = require('module');
const path = require('path');
const readline = require('readline');
const [, , extension, json] = process.argv;
const scene = JSON.parse(json);

const uri = (scheme, path, query = '') => ({
  scheme,
  path,
  fsPath: path,
  toString: () => `${scheme}:${path}?${query}`,
});
const document = (of, text, dirty) => ({
  uri: of,
  languageId: 'rust',
  isDirty: dirty,
  isClosed: false,
  get lineCount() { return text.split('\n').length; },
  lineAt(line) {
    const found = text.split('\n')[line];
    return { text: found, range: { end: { line, character: found.length } } };
  },
  getText(range) {
    if (!range) return text;
    const lines = text.split('\n');
    const at = ({ line, character }) =>
      lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
    return text.slice(at(range.start), at(range.end));
  },
  replace(content) { text = content; this.isDirty = true; },
  async save() {
    provider.writeFile(of, Buffer.from(text));
    this.isDirty = false;
    return true;
  },
});
const [fromLine, fromCharacter, toLine, toCharacter] = scene.selection;
const selection = {
  start: { line: fromLine, character: fromCharacter },
  end: { line: toLine, character: toCharacter },
};
const file = document(uri('file', scene.path), scene.text, scene.dirty);
const editor = { document: file, selection };
const output = { document: document(uri('output', 'log'), 'a log', false), selection };
const active = { file: editor, output, none: undefined }[scene.active];
const listeners = [];
const tabListeners = [];
const variables = {};
const registered = {};
let scheme;
let provider;
const documents = [file];
const group = { tabs: [{ input: { uri: file.uri }, isDirty: scene.dirty }, { input: undefined }] };
const print = (value) => console.log(JSON.stringify(value));
const fire = (change) => tabListeners.forEach((listener) => listener({
  opened: [], changed: [], closed: [], ...change,
}));

function front(tab) {
  if (group.activeTab) group.activeTab.isActive = false;
  group.activeTab = tab;
  if (!tab) return;
  tab.isActive = true;
  fire({ changed: [tab] });
}

async function diff(before, after, title, options) {
  if (options.preview !== false) throw new Error('the next one would take its place');
  for (const one of [before, after]) {
    if (one.scheme !== scheme) continue;
    const { size } = provider.stat(one);
    const bytes = provider.readFile(one);
    if (bytes.length !== size) throw new Error('a wrong size');
    documents.push(document(one, bytes.toString(), false));
  }
  const tab = { label: title, input: { original: before, modified: after } };
  group.tabs.push(tab);
  fire({ opened: [tab] });
  front(tab);
  print({ shown: title });
}

async function close(tab) {
  const is = (one) => one.uri.toString() === tab.input.modified.toString();
  if (documents.find(is)?.isDirty) throw new Error('its user would be asked to save it');
  group.tabs = group.tabs.filter((one) => one !== tab);
  fire({ closed: [tab] });
  if (group.activeTab === tab) front(group.tabs.find((one) => one.input?.modified));
}

// An act of the user: of the tab whose title begins with `on`, or of the one in front.
async function act({ on, press, edit, change, shut, say }) {
  const tab = on ? group.tabs.find((one) => one.label?.startsWith(on)) : group.activeTab;
  if (on && tab !== group.activeTab) front(tab);
  const modified = tab?.input.modified;
  if (edit !== undefined) {
    documents.find((one) => one.uri.toString() === modified.toString()).replace(edit);
  }
  if (change !== undefined) file.replace(change);
  vscode.window.showInputBox = async () => say;
  if (press) {
    const { menus, commands } = require(path.join(path.dirname(extension), 'package.json')).contributes;
    const shown = menus['editor/title'].filter((one) => one.when === `resourceScheme == ${modified.scheme}`);
    const { command } = commands.find(({ title, icon }) => icon && title.startsWith(press));
    if (!shown.some((one) => one.command === command)) throw new Error('there is no such button');
    await registered[command](modified);
  }
  if (shut) await close(tab);
  print({ done: true });
}

const vscode = {
  env: { appName: 'VS Code' },
  Uri: { file: (path) => uri('file', path), from: (of) => uri(of.scheme, of.path, of.query) },
  FileType: { File: 1 },
  FileSystemError: { FileNotFound: (of) => new Error(`${of} is not there`) },
  Range: class { constructor(...numbers) { this.numbers = numbers; } },
  Position: class { constructor(...numbers) { this.numbers = numbers; } },
  WorkspaceEdit: class {
    replace(of, range, content) { Object.assign(this, { of, content }); }

    createFile(of) { this.of = of; }

    insert(of, at, content) { this.content = content; }
  },
  commands: {
    registerCommand: (name, run) => { registered[name] = run; return {}; },
    executeCommand: async (name, ...rest) => {
      if (name !== 'vscode.diff') throw new Error(name);
      return diff(...rest);
    },
  },
  languages: {
    getDiagnostics: () => [
      [file.uri, [{ range: selection, severity: 1, message: 'odd', source: 'test' }]],
    ],
  },
  window: {
    showTextDocument: async (of, { selection }) => {
      print({ shown: path.basename(of.fsPath), at: selection.numbers[0].numbers });
    },
    activeTextEditor: active,
    visibleTextEditors: scene.active === 'none' ? [] : [editor],
    onDidChangeActiveTextEditor: (listener) => { listeners.push(listener); return {}; },
    setStatusBarMessage: (status) => print({ status }),
    tabGroups: {
      all: [group],
      activeTabGroup: group,
      onDidChangeTabs: (listener) => { tabListeners.push(listener); return {}; },
      close,
    },
  },
  workspace: {
    // The language server is for another test.
    isTrusted: false,
    onDidGrantWorkspaceTrust: () => ({}),
    workspaceFolders: scene.folders.map((path) => ({ uri: uri('file', path) })),
    textDocuments: documents,
    onDidChangeWorkspaceFolders: () => ({}),
    registerFileSystemProvider: (of, found) => { scheme = of; provider = found; return {}; },
    openTextDocument: async (of) => {
      if (of.path !== scene.path) throw new Error('no such file');
      return file;
    },
    applyEdit: async (edit) => {
      if (scene.readonly) return false;
      if (edit.of === file.uri || edit.of.path === scene.path) file.replace(edit.content);
      return true;
    },
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));
const context = {
  subscriptions: [],
  environmentVariableCollection: {
    persistent: true,
    replace: (name, value) => { variables[name] = value; },
  },
};
require(extension).activate(context).then(() => {
  // The user looks at a log: the file is still what is worked on.
  if (scene.then === 'output') listeners.forEach((listener) => listener(output));
  print({
    variables,
    persistent: context.environmentVariableCollection.persistent,
    pid: process.pid,
  });
});
const lines = readline.createInterface({ input: process.stdin });
lines.on('line', (line) => act(JSON.parse(line)));
lines.on('close', () => {
  context.subscriptions.forEach((one) => one.dispose?.());
  process.exit(0);
});
