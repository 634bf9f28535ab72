#!/usr/bin/env node
/**
 * A program that starts often and runs briefly. The stored state decides at once; the tool calls the service about once
 * a day.
 */
import { createLatchkey } from '@latchkey/client/node';
import { options } from '../options.js';
import { sentenceFor, sentenceForError } from '../what-to-show.js';

const HELP = `tool license KEY   license this machine
tool work          do the work
tool status        show the license
tool move          free this machine, to use the license on another one`;

const [command, key] = process.argv.slice(2);
const latchkey = createLatchkey(options);
await latchkey.start();
try {
  process.exitCode = await run();
} catch (error) {
  console.error(sentenceForError(error));
  process.exitCode = 1;
}
await latchkey.close();

async function run() {
  switch (command) {
    case 'license': {
      const { facts } = await latchkey.activate(key);
      console.log(`Licensed, key ending in ${facts.licenseKeyHint}.`);
      return 0;
    }
    case 'work':
      if (sentenceFor(latchkey.state) !== null) console.error(sentenceFor(latchkey.state));
      if (!latchkey.mayRun) return 1;
      console.log('The work is done.');
      return 0;
    case 'status': {
      const { status, facts } = await latchkey.check();
      console.log(facts === null ? status : `${status}, ${facts.variant}, key ending in ${facts.licenseKeyHint}`);
      return 0;
    }
    case 'move':
      await latchkey.deactivate();
      console.log('This machine is free.');
      return 0;
    default:
      console.log(HELP);
      return 2;
  }
}
