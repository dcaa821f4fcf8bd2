// As much of the module `vscode` as the client of the language server uses, with one open file.
// The arguments are the client, the program and the file; what VS Code is told is printed as JSON.
'use strict';

const fs = require('fs');
const Module = require('module');
const [, , client, program, path] = process.argv;

const text = fs.readFileSync(path, 'utf8');
const uri = { scheme: 'file', toString: () => `file://${path}` };
const document = { uri, fileName: path, languageId: 'yaml', version: 1, getText: () => text };
const providers = {};
const listeners = {};
const commands = {};
let shown;

// Whatever is constructed keeps its arguments.
const made = (name) => class { constructor(...args) { Object.assign(this, { [name]: args }); } };
class Range { constructor(...numbers) { this.numbers = numbers; } }
class WorkspaceEdit {
  constructor() { this.edits = []; }
  replace(of, { numbers }, content) { this.edits.push([numbers, content]); }
}
const known = {
  Range,
  WorkspaceEdit,
  Uri: { parse: (of) => of },
  CompletionItemKind: { Field: 'field' },
  CodeActionKind: { QuickFix: 'quick fix' },
  TaskScope: {},
  languages: new Proxy({}, {
    get: (_, name) => (...args) => {
      if (name === 'createDiagnosticCollection') {
        return { set: (_of, found) => { shown = found; }, clear: () => {}, dispose: () => {} };
      }
      providers[name] = args.find((one) => typeof one === 'object' && !Array.isArray(one));
      return { dispose: () => {} };
    },
  }),
  commands: { registerCommand: (name, run) => { commands[name] = run; return { dispose: () => {} }; } },
  tasks: { executeTask: (task) => task },
  window: { showWarningMessage: (message) => { throw new Error(message); } },
  workspace: new Proxy({
    isTrusted: true,
    textDocuments: [document],
    workspaceFolders: [{ uri: { fsPath: process.cwd() } }],
    getConfiguration: () => ({ get: (name) => ({ languageServer: true, path: program })[name] }),
    createFileSystemWatcher: () => ({ onDidCreate: () => {}, onDidDelete: () => {}, dispose: () => {} }),
  }, {
    get: (own, name) => own[name] ?? ((listener) => { listeners[name] = listener; return { dispose: () => {} }; }),
  }),
};
const vscode = new Proxy(known, { get: (own, name) => own[name] ?? made(name) });
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));

const context = { subscriptions: [] };
require(client).activate(context);

async function until(found) {
  for (let round = 0; round < 2000; round += 1) {
    if (found()) return;
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
  throw new Error('nothing comes');
}

(async () => {
  await until(() => shown);
  const line = text.split('\n').findIndex((one) => one.includes('nmae'));
  const at = { line, character: text.split('\n')[line].indexOf('nmae') + 1 };
  const told = {};
  told.diagnostics = shown.map(({ code, Diagnostic: [place] }) => [code, ...place.numbers]);
  const range = { start: at, end: at };
  const [action] = await providers.registerCodeActionsProvider.provideCodeActions(document, range);
  told.action = [action.CodeAction, action.edit.edits];
  const items = await providers.registerCompletionItemProvider.provideCompletionItems(document, at);
  told.items = items.map((one) => one.CompletionItem);
  const key = { line: 4, character: 3 };
  const hover = await providers.registerHoverProvider.provideHover(document, key);
  told.hover = hover.Hover[0].MarkdownString;
  told.renamed = (await providers.registerRenameProvider.provideRenameEdits(document, key, 'guests')).edits;
  const [lens] = await providers.registerCodeLensProvider.provideCodeLenses(document);
  told.lens = lens.CodeLens[1].title;
  told.run = commands['cogtools.runExample'](...lens.CodeLens[1].arguments).Task[2];
  listeners.onDidChangeTextDocument({
    document: { ...document, version: 2 },
    contentChanges: [{ range: { start: { line, character: at.character - 1 }, end: { line, character: at.character + 3 } }, text: 'name' }],
  });
  await until(() => shown.length === 0);
  console.log(JSON.stringify(told));
  await Promise.all(context.subscriptions.map((one) => one?.dispose?.()));
})();
