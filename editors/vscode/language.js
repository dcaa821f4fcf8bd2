// The client of `cogtools lsp`: what it says about tool files, as VS Code shows it.
'use strict';

const { spawn } = require('child_process');
const vscode = require('vscode');

const SELECTOR = [{ scheme: 'file', language: 'yaml' }, { scheme: 'file', pattern: '**/*.njk' }];
// Of the protocol, which counts from one, and in another order.
const KINDS = { 2: 'Method', 3: 'Function', 5: 'Field', 6: 'Variable', 10: 'Property', 12: 'Value', 14: 'Keyword', 17: 'File' };

const isOurs = ({ uri, fileName }) => uri.scheme === 'file' && /\.(ya?ml|njk)$/.test(fileName);
const range = ({ start, end }) => new vscode.Range(start.line, start.character, end.line, end.character);
const markdown = (value) => new vscode.MarkdownString(value);
const location = (found) => new vscode.Location(vscode.Uri.parse(found.uri), range(found.range));
const list = (found) => (found ? [found].flat() : []);

function edits({ changes }) {
  const edit = new vscode.WorkspaceEdit();
  for (const [uri, all] of Object.entries(changes)) {
    for (const one of all) edit.replace(vscode.Uri.parse(uri), range(one.range), one.newText);
  }
  return edit;
}

// One process, its messages, and the questions that wait for an answer.
class Server {
  constructor(program, notice, ended) {
    this.waiting = new Map();
    this.count = 0;
    this.rest = Buffer.alloc(0);
    this.notice = notice;
    this.child = spawn(program, ['lsp'], { cwd: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath });
    this.child.on('error', ended);
    this.child.on('exit', () => ended());
    this.child.stdin.on('error', () => {});
    this.child.stdout.on('data', (chunk) => this.read(chunk));
  }

  read(chunk) {
    this.rest = Buffer.concat([this.rest, chunk]);
    for (;;) {
      const end = this.rest.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(this.rest.subarray(0, Math.max(end, 0)))?.[1]);
      if (end < 0 || this.rest.length < end + 4 + length) return;
      const message = JSON.parse(this.rest.subarray(end + 4, end + 4 + length));
      this.rest = this.rest.subarray(end + 4 + length);
      if (message.method) this.notice(message);
      else this.waiting.get(message.id)?.(message.result);
      this.waiting.delete(message.id);
    }
  }

  write(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.child.stdin.write(body);
  }

  tell(method, params) { this.write({ method, params }); }

  ask(method, params) {
    this.count += 1;
    const id = this.count;
    this.write({ id, method, params });
    return new Promise((resolve) => { this.waiting.set(id, resolve); });
  }
}

function start(context) {
  const settings = vscode.workspace.getConfiguration('cogtools');
  if (!settings.get('languageServer')) return;
  const shown = vscode.languages.createDiagnosticCollection('cogtools');
  const stopped = (error) => {
    shown.clear();
    if (error) vscode.window.showWarningMessage(`cogtools lsp does not start: ${error.message}`);
  };
  const server = new Server(settings.get('path'), ({ method, params }) => {
    if (method !== 'textDocument/publishDiagnostics') return;
    shown.set(vscode.Uri.parse(params.uri), params.diagnostics.map((one) => {
      const found = new vscode.Diagnostic(range(one.range), one.message, one.severity - 1);
      return Object.assign(found, { source: one.source, code: one.code, tags: one.tags });
    }));
  }, stopped);
  const inlayHints = settings.get('inlayHints');
  server.ask('initialize', { processId: process.pid, capabilities: {}, initializationOptions: { inlayHints } });
  server.tell('initialized', {});

  const name = (document) => ({ uri: document.uri.toString() });
  const at = (document, position) => ({ textDocument: name(document), position });
  const ask = (method, params) => server.ask(`textDocument/${method}`, params);
  const open = (document) => {
    if (!isOurs(document)) return;
    const textDocument = { ...name(document), languageId: document.languageId, version: document.version, text: document.getText() };
    server.tell('textDocument/didOpen', { textDocument });
  };
  vscode.workspace.textDocuments.forEach(open);

  const { languages, workspace } = vscode;
  const watcher = workspace.createFileSystemWatcher('**/*.{yaml,yml,njk}');
  const changed = () => server.tell('workspace/didChangeWatchedFiles', { changes: [] });
  const run = (folder, args) => {
    const execution = new vscode.ProcessExecution(settings.get('path'), args, { cwd: folder });
    const task = new vscode.Task({ type: 'cogtools' }, vscode.TaskScope.Workspace, args.join(' '), 'cogtools', execution);
    return vscode.tasks.executeTask(task);
  };
  const legend = new vscode.SemanticTokensLegend(
    ['macro', 'keyword', 'variable', 'property', 'function', 'string', 'number', 'operator', 'comment'],
  );
  const symbol = (one) => {
    const found = new vscode.DocumentSymbol(one.name, one.detail ?? '', one.kind - 1, range(one.range), range(one.selectionRange));
    found.children = (one.children ?? []).map(symbol);
    return found;
  };
  context.subscriptions.push(
    shown,
    watcher,
    watcher.onDidCreate(changed),
    watcher.onDidDelete(changed),
    workspace.onDidOpenTextDocument(open),
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (!isOurs(document) || contentChanges.length === 0) return;
      const textDocument = { ...name(document), version: document.version };
      // VS Code tells changes from the end of the file to its beginning, as the protocol applies them.
      const changes = contentChanges.map(({ range: replaced, text }) => ({ range: replaced, text }));
      server.tell('textDocument/didChange', { textDocument, contentChanges: changes });
    }),
    workspace.onDidSaveTextDocument((document) => {
      if (isOurs(document)) server.tell('textDocument/didSave', { textDocument: name(document) });
    }),
    workspace.onDidCloseTextDocument((document) => {
      if (isOurs(document)) server.tell('textDocument/didClose', { textDocument: name(document) });
    }),
    languages.registerCompletionItemProvider(SELECTOR, {
      async provideCompletionItems(document, position) {
        const found = await ask('completion', at(document, position));
        return (found?.items ?? []).map((one) => {
          const item = new vscode.CompletionItem(one.label, vscode.CompletionItemKind[KINDS[one.kind]]);
          return Object.assign(item, {
            detail: one.detail, insertText: one.insertText, documentation: markdown(one.documentation.value),
          });
        });
      },
    }, '.', '{', '|', "'", '"', ' '),
    languages.registerHoverProvider(SELECTOR, {
      async provideHover(document, position) {
        const found = await ask('hover', at(document, position));
        return found && new vscode.Hover(markdown(found.contents.value), range(found.range));
      },
    }),
    languages.registerDefinitionProvider(SELECTOR, {
      provideDefinition: async (document, position) => list(await ask('definition', at(document, position))).map(location),
    }),
    languages.registerReferenceProvider(SELECTOR, {
      provideReferences: async (document, position) => list(await ask('references', at(document, position))).map(location),
    }),
    languages.registerRenameProvider(SELECTOR, {
      async prepareRename(document, position) {
        const found = await ask('prepareRename', at(document, position));
        if (!found) throw new Error('This cannot be renamed.');
        return range(found);
      },
      async provideRenameEdits(document, position, newName) {
        const found = await ask('rename', { ...at(document, position), newName });
        if (!found) throw new Error(`${newName} cannot be a name.`);
        return edits(found);
      },
    }),
    languages.registerCodeActionsProvider(SELECTOR, {
      async provideCodeActions(document, asked) {
        const found = await ask('codeAction', { textDocument: name(document), range: asked, context: { diagnostics: [] } });
        return list(found).map((one) => {
          const action = new vscode.CodeAction(one.title, one.kind === 'quickfix'
            ? vscode.CodeActionKind.QuickFix : vscode.CodeActionKind.SourceFixAll);
          return Object.assign(action, { edit: edits(one.edit), isPreferred: one.isPreferred });
        });
      },
    }),
    languages.registerDocumentSymbolProvider(SELECTOR, {
      provideDocumentSymbols: async (document) => list(await ask('documentSymbol', { textDocument: name(document) })).map(symbol),
    }),
    languages.registerDocumentSemanticTokensProvider(SELECTOR, {
      async provideDocumentSemanticTokens(document) {
        const found = await ask('semanticTokens/full', { textDocument: name(document) });
        return found && new vscode.SemanticTokens(new Uint32Array(found.data));
      },
    }, legend),
    languages.registerCodeLensProvider(SELECTOR, {
      provideCodeLenses: async (document) => list(await ask('codeLens', { textDocument: name(document) }))
        .map((one) => new vscode.CodeLens(range(one.range), one.command)),
    }),
    vscode.commands.registerCommand('cogtools.runExample', run),
    vscode.commands.registerCommand('cogtools.updateGolden', run),
    {
      async dispose() {
        server.child.removeAllListeners('exit');
        await Promise.race([server.ask('shutdown'), new Promise((resolve) => { setTimeout(resolve, 500); })]);
        server.tell('exit');
        server.child.stdin.end();
      },
    },
  );
  if (inlayHints) {
    context.subscriptions.push(languages.registerInlayHintsProvider(SELECTOR, {
      provideInlayHints: async (document) => list(await ask('inlayHint', { textDocument: name(document) }))
        .map((one) => new vscode.InlayHint(new vscode.Position(one.position.line, one.position.character), one.label)),
    }));
  }
}

// In a folder that the user does not trust, no program is started.
exports.activate = (context) => {
  if (vscode.workspace.isTrusted) start(context);
  else context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(() => start(context)));
};
