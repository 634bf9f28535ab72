/** Follows the page of a client word for word: its listings, and programs that are run. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** A listing of a page: its language, and its text. */
export interface Listing {
  readonly language: string;
  readonly text: string;
}

/** The listings of a page, in their order. */
export function listingsOf(path: string): readonly Listing[] {
  const page = readFileSync(join(ROOT, path), 'utf8');
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({ language, text }));
}

/**
 * The output of a program that ends well. Not synchronously, because the network of the service is in this process.
 *
 * @throws with its whole output if it ends with another status than 0
 */
export async function run(
  command: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  folder?: string,
): Promise<string> {
  const child = spawn(command, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(folder === undefined ? {} : { cwd: folder }),
  });
  let said = '';
  let complained = '';
  child.stdout.on('data', (part) => (said += part));
  child.stderr.on('data', (part) => (complained += part));
  const status = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${said}${complained}`);
  return said;
}
