/** The source files of the service, for the tests of its structure. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';

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
  /** Below `src`, with slashes: `licensing/licenses/store.ts`. */
  readonly path: string;
  /** The top folder of the file, or its own name without the ending: `licensing`, `main`. */
  readonly wing: string;
  /** The wing and its folder: `licensing/licenses`. A file beside the wings is a room of its own. */
  readonly room: string;
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
    const [first = '', second = ''] = path.split('/');
    const wing = basename(first, '.ts');
    return {
      path,
      wing,
      room: second === '' ? wing : `${wing}/${second}`,
      lines: text.split('\n').length - 1,
      code,
      imports: importsIn(path, code),
    };
  });

const importsOfApp = sources.find(({ path }) => path === 'app.ts')?.imports ?? [];

/** The rooms of the slices: app.ts lists the `index.ts` of each. */
export const sliceRooms: readonly string[] = importsOfApp.flatMap(({ target }) =>
  target.endsWith('/index.ts') && !target.startsWith('storage/') ? [posix.dirname(target)] : [],
);

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
    target: from.startsWith('.') ? posix.join(path, '..', from) : from,
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
