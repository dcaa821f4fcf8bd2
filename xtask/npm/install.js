// Puts links to the programs in place of their launchers, so that a call does not
// start Node first. Nothing depends on it: where it does not run, launchers stay.
'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { version } = require('./package.json');

/** Windows starts programs by their ending, and installers other than npm by way of Node. */
function canLink() {
  const agent = process.env.npm_config_user_agent || '';
  return process.platform !== 'win32' && agent.startsWith('npm/');
}

function link() {
  const bin = fs.realpathSync(path.join(__dirname, 'bin'));
  const { file, programs: found } = require('./launch.js');
  const programs = fs.realpathSync(found());
  const said = execFileSync(path.join(programs, 'cogtools'), ['--version'], { encoding: 'utf8' });
  if (said !== `cogtools ${version}\n`) return;
  for (const name of fs.readdirSync(bin)) {
    // A link to cogtools is the program that the link is named for.
    const program = file(programs, name);
    fs.accessSync(program, fs.constants.X_OK);
    const beside = path.join(bin, `.${name}`);
    fs.rmSync(beside, { force: true });
    fs.symlinkSync(path.relative(bin, program), beside);
    fs.renameSync(beside, path.join(bin, name));
  }
}

try {
  if (canLink()) link();
} catch {
  // The launchers work, and say what is wrong when they do not.
}
