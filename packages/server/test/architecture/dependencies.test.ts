/** `npm ci --omit=dev` installs everything that the service needs and no test tools. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { sources } from './sources.ts';

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
interface Locked extends Package {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

const parsed = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const workspace: Package = parsed('../../../../package.json');
const server: Package = parsed('../../package.json');
const locked = Object.entries<Locked>(parsed('../../../../package-lock.json').packages);
const isLeftOut = ({ dev, devOptional }: Locked) => dev === true || devOptional === true;

/** Packages that a source file loads when it runs. `import { type A } from 'a'` loads `a`; `import type` does not. */
function packagesLoadedBy(code: string): string[] {
  const loads = [
    /^(?:import|export)\s+(?!type\s)(?:[^;'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm,
    /\b(?:import|require|import\.meta\.resolve|findPackageJSON)\(\s*['"]([^'"]+)['"]/g,
  ];
  return loads
    .flatMap((pattern) => [...code.matchAll(pattern)].map(([, target = '']) => target))
    .filter((target) => !target.startsWith('.') && !target.startsWith('node:'))
    .map((target) => target.split('/', target.startsWith('@') ? 2 : 1).join('/'));
}

describe('the packages that the service loads', () => {
  const loaded = new Map(sources.flatMap(({ path, code }) => packagesLoadedBy(code).map((name) => [name, path])));

  it('are read from the files, whichever way they are loaded', () => {
    const code = [
      "import { type Logger, pino } from 'pino';",
      "import '@scope/effect/entry.js';",
      "import type { Client } from 'pg';",
      "import { readFile } from 'node:fs/promises';",
      "import { openStorage } from './open.ts';",
      "export {\n  one,\n  two,\n} from 'numbers';",
      "const { generate } = await import('selfsigned');",
    ].join('\n');
    assert.deepEqual(packagesLoadedBy(code), ['pino', '@scope/effect', 'numbers', 'selfsigned']);
  });

  it('are its dependencies, all of them and no others', () => {
    assert.deepEqual([...loaded.keys()].sort(), Object.keys(server.dependencies ?? {}).sort());
  });

  it('are installed in production, with all that they need', () => {
    const entries = new Map(locked);
    const seen = new Set<string>();
    const follow = (name: string, way: string): void => {
      if (seen.has(name)) return;
      seen.add(name);
      const entry = entries.get(`node_modules/${name}`);
      assert.ok(entry !== undefined, `${way} is not in the lock file`);
      assert.ok(!isLeftOut(entry), `${way} is left out in production`);
      for (const needed of Object.keys(entry.dependencies ?? {})) follow(needed, `${way} -> ${needed}`);
    };
    for (const name of loaded.keys()) follow(name, name);
    assert.ok(seen.size > loaded.size);
  });
});

/** The oldest major version of Node.js that a range such as `^20.19.0 || >=22.12.0` allows. */
function oldestMajor(range: string): number {
  return Math.min(...range.split('||').map((each) => Number(/\d+/.exec(each)?.[0] ?? 0)));
}

describe('an install', () => {
  it('warns of no package that Node.js 20 is too old for', () => {
    const tooNew = locked.filter(([, { engines }]) => oldestMajor(engines?.node ?? '') > 20);
    assert.deepEqual(
      tooNew.map(([path]) => path),
      [],
    );
  });
});

describe('an install for production', () => {
  it('brings the runtime for every system', () => {
    const runtimes = Object.keys(workspace.optionalDependencies ?? {});
    assert.ok(runtimes.length > 0);
    for (const name of runtimes) {
      const entry = locked.find(([path]) => path === `node_modules/${name}`)?.[1];
      assert.ok(entry !== undefined && !isLeftOut(entry), name);
    }
  });

  it('runs no script of any package', () => {
    const run = locked.filter(([, entry]) => entry.hasInstallScript === true && !isLeftOut(entry));
    assert.deepEqual(
      run.map(([path]) => path),
      [],
    );
  });
});
