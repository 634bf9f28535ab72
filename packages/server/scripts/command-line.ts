/** The command line of a script. */
import { basename } from 'node:path';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * Parses the command line of this process. `--help` prints the usage and ends the process with 0; a mistake ends it as
 * {@link refuseCommandLine} does.
 *
 * @param options for `parseArgs` of node:util
 * @param maxArguments the maximum number of arguments beside the options
 */
export function readCommandLine<const Options extends ParseArgsOptionsConfig>(
  usage: string,
  options: Options,
  maxArguments = 0,
) {
  goOnWithoutReader();
  const parsed = parse(options);
  if ('help' in parsed.values) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const extra = parsed.positionals[maxArguments];
  if (extra !== undefined) refuseCommandLine(`Unexpected argument '${extra}'`);
  return parsed;
}

/** Lets the script clean up after the reader of its output has closed the pipe, as `head` does. */
function goOnWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

function parse<const Options extends ParseArgsOptionsConfig>(options: Options) {
  try {
    return parseArgs({ allowPositionals: true, options: { ...options, help: { type: 'boolean', short: 'h' } } });
  } catch (error) {
    // Node.js adds sentences on how to pass a word that begins with a dash.
    const [mistake = ''] = (error as Error).message.split(/\.?(?:\n| To |$)/);
    return refuseCommandLine(mistake);
  }
}

/** Ends the process with 2, after one line on standard error about a mistake in its command line. */
export function refuseCommandLine(mistake: string): never {
  process.stderr.write(`${basename(process.argv[1] ?? '', '.ts')}: ${mistake}. --help lists the options.\n`);
  process.exit(2);
}
