#!/usr/bin/env node
/** The command `latchkey`, as a process of its own. */
import { runCommandLine } from './operations/commands/command-line.ts';

// The reader of the output may close the pipe early, as `head` does. That is no failure of the command.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exitCode = await runCommandLine(process.argv.slice(2), process.env, {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
