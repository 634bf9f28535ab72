#!/usr/bin/env node
/** The command `latchkey`, as a process of its own. */
import { runCommandLine } from './command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), process.env, {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
