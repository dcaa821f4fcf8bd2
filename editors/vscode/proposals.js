// Proposed changes: each is a difference with buttons in its title. The proposed side may be edited,
// until its user has chosen or the program that proposes it has gone.
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const vscode = require('vscode');

const SCHEME = 'cogtools-proposal';
// Nobody has read a change sooner; a click that was meant for another one accepts nothing.
const MOMENT = 1000;
const open = new Map();
let count = 0;

const unix = (text) => text.replaceAll('\r\n', '\n');
const hash = (text) => crypto.createHash('sha256').update(unix(text)).digest('hex');

function allTabs() {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

const proposalOf = (tab) => open.get(tab?.input?.modified?.toString());

// The texts of proposals are files in memory.
const files = {
  onDidChangeFile: () => ({ dispose() {} }),
  watch: () => ({ dispose() {} }),
  stat: (uri) => {
    const { bytes, version } = files.find(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: version, size: bytes.length };
  },
  readFile: (uri) => files.find(uri).bytes,
  writeFile: (uri, bytes) => {
    const found = files.find(uri);
    Object.assign(found, { bytes, version: found.version + 1 });
  },
  readDirectory: () => [],
  createDirectory() {},
  delete() {},
  rename() {},
  find(uri) {
    const found = open.get(uri.toString());
    if (!found) throw vscode.FileSystemError.FileNotFound(uri);
    return found;
  },
};

function add(side, name, text) {
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${count}/${side}${name}` });
  open.set(uri.toString(), { bytes: Buffer.from(text), version: 1 });
  return uri;
}

const textOf = (uri) => vscode.workspace.textDocuments
  .find((one) => one.uri.toString() === uri.toString());

// Gives the file the text, unless it has changed since it was shown.
async function apply(file, document, base, text) {
  const now = document?.getText() ?? (fs.existsSync(file.fsPath) ? undefined : '');
  if (now !== base) {
    return { accepted: false, stale: true, hash: now === undefined ? undefined : hash(now) };
  }
  const edit = new vscode.WorkspaceEdit();
  if (document) {
    const { end } = document.lineAt(document.lineCount - 1).range;
    edit.replace(file, new vscode.Range(0, 0, end.line, end.character), text);
  } else {
    edit.createFile(file, { ignoreIfExists: true });
    edit.insert(file, new vscode.Position(0, 0), text);
  }
  const accepted = await vscode.workspace.applyEdit(edit);
  return accepted ? { accepted } : { accepted, refused: 'not_modifiable' };
}

async function propose(params, gone) {
  const { Uri, commands, window, workspace } = vscode;
  const file = Uri.file(params.path);
  const document = await workspace.openTextDocument(file).then((found) => found, () => undefined);
  if (!document && fs.existsSync(params.path)) return { accepted: false, refused: 'unreadable' };
  const base = document?.getText() ?? '';
  if (params.hash && params.hash !== hash(base)) {
    return { accepted: false, stale: true, hash: hash(base) };
  }
  count += 1;
  const before = document ? file : add('before', params.path, '');
  const after = add('after', params.path, params.content);
  const proposal = open.get(after.toString());
  const chosen = new Promise((resolve) => { proposal.decide = resolve; });
  try {
    const title = `${path.basename(params.path)}: proposed change`;
    await commands.executeCommand('vscode.diff', before, after, title, { preview: false });
    proposal.shown = Date.now();
    const choice = await Promise.race([chosen, gone.then(() => ({ accepted: false }))]);
    const edited = textOf(after);
    const text = edited?.getText() ?? proposal.bytes.toString();
    const outcome = choice.accepted ? await apply(file, document, base, text) : choice;
    // A tab with a text that is not saved would ask before it is closed.
    if (edited?.isDirty) await edited.save();
    const tab = allTabs().find((one) => proposalOf(one) === proposal);
    if (tab) await window.tabGroups.close(tab);
    const isEdited = unix(text) !== unix(params.content);
    return isEdited && outcome.accepted ? { ...outcome, content: text } : outcome;
  } finally {
    open.delete(before.toString());
    open.delete(after.toString());
  }
}

// The commands are for the difference whose button was pressed, or the one in front.
async function decide(uri, accepted) {
  const { window } = vscode;
  const proposal = open.get(uri?.toString()) ?? proposalOf(window.tabGroups.activeTabGroup.activeTab);
  if (!proposal?.shown) return;
  if (accepted && Date.now() - proposal.shown < MOMENT) {
    window.setStatusBarMessage('Look at the change before you accept it', 3000);
    return;
  }
  const reason = accepted
    ? undefined
    : await window.showInputBox({ prompt: 'Why? The model reads it. Leave it empty to say nothing.' });
  proposal.decide({ accepted, reason: reason || undefined });
}

function watch({ opened, changed }) {
  for (const tab of [...opened, ...changed]) {
    const proposal = proposalOf(tab);
    if (proposal?.shown && tab.isActive) proposal.shown = Date.now();
  }
  // A tab that is moved is closed in one place and opened in another.
  const shown = new Set(allTabs().map(proposalOf));
  for (const proposal of open.values()) {
    if (proposal.shown && !shown.has(proposal)) proposal.decide({ accepted: false });
  }
}

function activate() {
  const { commands, window, workspace } = vscode;
  return [
    workspace.registerFileSystemProvider(SCHEME, files, { isCaseSensitive: true }),
    commands.registerCommand('cogtools.acceptProposal', (uri) => decide(uri, true)),
    commands.registerCommand('cogtools.rejectProposal', (uri) => decide(uri, false)),
    window.tabGroups.onDidChangeTabs(watch),
  ];
}

module.exports = { activate, hash, propose };
