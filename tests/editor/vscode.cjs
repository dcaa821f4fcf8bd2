// As much of the module `vscode` as the extension uses, for one window with one file. The first
// argument is the extension, the second the window as JSON. It ends with its standard input.
'use strict';

const Module = require('module');
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
const variables = {};

const vscode = {
  env: { appName: 'VS Code' },
  Uri: { file: (path) => uri('file', path), from: (of) => uri(of.scheme, of.path, of.query) },
  Range: class { constructor(...numbers) { this.numbers = numbers; } },
  Position: class { constructor(...numbers) { this.numbers = numbers; } },
  WorkspaceEdit: class {
    replace(of, range, content) { this.content = content; }
  },
  commands: { executeCommand: async () => {} },
  languages: {
    getDiagnostics: () => [
      [file.uri, [{ range: selection, severity: 1, message: 'odd', source: 'test' }]],
    ],
  },
  window: {
    activeTextEditor: active,
    visibleTextEditors: scene.active === 'none' ? [] : [editor],
    onDidChangeActiveTextEditor: (listener) => { listeners.push(listener); return {}; },
    showInformationMessage: async (message, ...choices) => {
      if (scene.choice === 'never') return new Promise(() => {});
      return choices.find((one) => one === scene.choice);
    },
    tabGroups: {
      all: [{ tabs: [{ input: { uri: file.uri }, isDirty: scene.dirty }, { input: undefined }] }],
      close: async () => {},
    },
  },
  workspace: {
    // The language server is for another test.
    isTrusted: false,
    onDidGrantWorkspaceTrust: () => ({}),
    workspaceFolders: scene.folders.map((path) => ({ uri: uri('file', path) })),
    textDocuments: [file],
    onDidChangeWorkspaceFolders: () => ({}),
    registerTextDocumentContentProvider: () => ({}),
    openTextDocument: async (of) => {
      if (of.path !== scene.path) throw new Error('no such file');
      return file;
    },
    applyEdit: async (edit) => { file.replace(edit.content); return true; },
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
  console.log(JSON.stringify({
    variables,
    persistent: context.environmentVariableCollection.persistent,
    pid: process.pid,
  }));
});
process.stdin.resume().on('end', () => {
  context.subscriptions.forEach((one) => one.dispose?.());
  process.exit(0);
});
