#!/usr/bin/env node
// The command `latchkey` of the package. In words that any Node.js of these years understands, so that one that is too old can say so.
var needed = require('../package.json').engines.node.replace('>=', '');
var version = process.versions.node;

if (Number(version.split('.')[0]) < Number(needed)) {
  process.stderr.write(
    `Latchkey needs Node.js ${needed} or newer. This is Node.js ${version} (${process.execPath}).\n`,
  );
  process.exit(1);
}
import('../lib/cli.js');
