// Finds the programs for this machine and runs the requested one.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

/** Programs that a host writes to: one that ends before it has read can take its host down. */
const READERS = ['cogtools-call', 'cogtools-yaml'];
/** Signals that are meant for the program when they are sent to us. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];
/** How long a program of ours waits for the end of its input, in milliseconds. */
const TIMEOUT_MS = 60_000;

const platform = `${process.platform}-${process.arch}`;

/** The directory of the programs for this machine; throws when there is none. */
function programs() {
  return path.join(path.dirname(require.resolve(`@cogtools/${platform}/package.json`)), 'bin');
}

/** The file of a program in the directory `from`; what has none of its own is part of cogtools. */
function file(from, name) {
  const ending = process.platform === 'win32' ? '.exe' : '';
  const own = path.join(from, `${name}${ending}`);
  return fs.existsSync(own) ? own : path.join(from, `cogtools${ending}`);
}

/** Becomes the program whose launcher is `launcher`. */
function launch(launcher) {
  const name = path.basename(launcher);
  let program;
  try {
    program = file(programs(), name);
    fs.accessSync(program, fs.constants.X_OK);
  } catch {
    fail(name, `the package @cogtools/${platform} is not installed or not whole`, [
      'install cogtools again, with optional dependencies (no --omit=optional) and on this machine',
      'where there is no package for this machine, build cogtools with cargo',
    ]);
    return;
  }
  const args = process.argv.slice(2);
  // By its first argument: not every Node.js can start a program under another name.
  const part = path.basename(program).replace(/\.exe$/, '') !== name;
  if (part) args.unshift(name.replace(/^cogtools-/, ''));
  if (process.execve && process.platform !== 'win32') {
    process.execve(program, [program, ...args], process.env);
  } else {
    accompany(name, program, args);
  }
}

/** Runs the program as a child, for a Node that cannot become another program. */
function accompany(name, program, args) {
  const { spawn } = require('node:child_process');
  // A Windows console signals the program itself; elsewhere only we may receive the signal.
  const forward = (signal) => process.platform !== 'win32' && child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, forward);
  const child = spawn(program, args, { stdio: 'inherit' });
  child.on('error', (error) => {
    fail(name, `${program} cannot be started: ${error.message}`, ['install cogtools again']);
  });
  child.on('exit', (status, signal) => {
    if (signal === null) process.exit(status);
    for (const each of SIGNALS) process.removeListener(each, forward);
    // A signal that Node ignores does not end us: then its number is all that is left to tell.
    process.on('exit', () => {
      process.exitCode = 128 + require('node:os').constants.signals[signal];
    });
    process.kill(process.pid, signal);
  });
}

/** Says what is wrong as the programs do, and ends with the status of IO_FAILED. */
function fail(name, message, hints) {
  const lines = [`${name}: error[IO_FAILED]: ${message}`, ...hints.map((hint) => `hint: ${hint}`)];
  fs.writeSync(2, `${lines.join('\n')}\n`);
  process.exitCode = 74;
  if (READERS.includes(name) && !process.stdin.isTTY) {
    process.stdin.on('error', () => {}).resume();
    setTimeout(() => process.exit(), TIMEOUT_MS).unref();
  }
}

module.exports = { file, launch, programs };
