/** The source files of the service, for the tests of its structure. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { join as joinUrl } from 'node:path/posix';

const ROOT = join(import.meta.dirname, '../../src');

/** An import of one file from another. */
export interface Import {
  /** A path below `src`, or the name of a package. */
  readonly target: string;
  /** Whether the import vanishes at run time. */
  readonly isTypeOnly: boolean;
}

/** A source file. */
export interface Source {
  /** Below `src`, with slashes: `licenses/store.ts`. */
  readonly path: string;
  /** The folder of the file, or its own name without the ending: `licenses`, `server`. */
  readonly area: string;
  readonly lines: number;
  /** Its text without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

/** Every source file. */
export const sources: readonly Source[] = globSync('**/*.ts', { cwd: ROOT })
  .map((found) => found.replaceAll('\\', '/'))
  .sort()
  .map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const code = withoutComments(text);
    const [first = ''] = path.split('/');
    return {
      path,
      area: basename(first, '.ts'),
      lines: text.split('\n').length - 1,
      code,
      imports: importsIn(path, code),
    };
  });

/** The source files whose code, without comments, matches. */
export function sourcesWith(pattern: RegExp): string[] {
  return sources.filter(({ code }) => pattern.test(code)).map(({ path }) => path);
}

/** Line comments begin a line or follow a blank, unlike the `//` in an address. */
function withoutComments(text: string): string {
  return text.replace(/\/\*.*?\*\//gs, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

function importsIn(path: string, code: string): Import[] {
  const written = /^(?:import|export)\s+(type\s)?([^;'"(=]*?)(?:from\s+)?'([^']+)'/gm;
  return [...code.matchAll(written)].map(([, type, names = '', from = '']) => ({
    target: from.startsWith('.') ? joinUrl(path, '..', from) : from,
    isTypeOnly: type !== undefined || isAllTypes(names),
  }));
}

/** Whether each of the names in `{ type A, type B }` is a type. */
function isAllTypes(names: string): boolean {
  const [, listed] = /^\{([^}]*)\}\s*$/.exec(names) ?? [];
  if (listed === undefined) return false;
  return listed
    .split(',')
    .filter((name) => name.trim() !== '')
    .every((name) => name.trim().startsWith('type '));
}
