// Replaces the launchers by links to the programs, so that a call does not start
// Node first. Nothing depends on it: if it does not run, the launchers remain.
'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { version } = require('./package.json');

/** Windows starts programs by their extension; installers other than npm start them with Node. */
function canLink() {
  const agent = process.env.npm_config_user_agent || '';
  return process.platform !== 'win32' && agent.startsWith('npm/');
}

function link() {
  const bin = fs.realpathSync(path.join(__dirname, 'bin'));
  const { file, programs: found } = require('./launch.js');
  const programs = fs.realpathSync(found());
  const printed = execFileSync(path.join(programs, 'cogtools'), ['--version'], { encoding: 'utf8' });
  if (printed !== `cogtools ${version}\n`) return;
  for (const name of fs.readdirSync(bin)) {
    // A link to cogtools runs as the program with the name of the link.
    const program = file(programs, name);
    fs.accessSync(program, fs.constants.X_OK);
    const temporary = path.join(bin, `.${name}`);
    fs.rmSync(temporary, { force: true });
    fs.symlinkSync(path.relative(bin, program), temporary);
    fs.renameSync(temporary, path.join(bin, name));
  }
}

try {
  if (canLink()) link();
} catch {
  // The launchers work without links, and report their own errors.
}
