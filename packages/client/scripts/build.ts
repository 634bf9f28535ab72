/** Builds `dist`: JavaScript and types without dependencies. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { readCommandLine } from '../../server/scripts/command-line.ts';

const ROOT = join(import.meta.dirname, '..');
const USAGE = `Usage: npm run build -w packages/client -- [FOLDER]

Builds dist: JavaScript and types without dependencies. With a folder it builds the whole package there, for tests that
pack it at the same time.
`;
const TARGET = resolve(readCommandLine(USAGE, {}, 1).positionals[0] ?? ROOT);
const DIST = join(TARGET, 'dist');
const require = createRequire(import.meta.url);
const HEAD = '/** Requests and replies of the endpoints that an app calls, and sent events. */';

/** The named types of the server's contract and the types they refer to, as written there. */
function contractOf(contract: string, names: readonly string[]): string {
  const exported = new Set([...contract.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name));
  const found = new Map<string, string>();
  const take = (name: string): void => {
    if (found.has(name)) return;
    const form = `^export (?:interface ${name} \\{[\\s\\S]*?^\\}|type ${name} =[\\s\\S]*?;)$`;
    const [text] = new RegExp(form, 'm').exec(contract) ?? [];
    if (text === undefined) throw new Error(`the contract has no type ${name}`);
    found.set(name, text);
    const bare = text.replace(/\/\*\*[\s\S]*?\*\/|'[^']*'/g, '');
    for (const [word] of bare.matchAll(/\b[A-Z]\w+/g)) if (exported.has(word)) take(word);
  };
  for (const name of names) take(name);
  return `${[HEAD, ...found.values()].join('\n\n')}\n`;
}

rmSync(DIST, { recursive: true, force: true });
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [compiler, '-p', join(ROOT, 'tsconfig.build.json'), '--outDir', DIST], {
  stdio: 'inherit',
});
// The compiler rewrites imports in JavaScript only, so this rewrites those of the type files.
for (const file of globSync('**/*.d.ts', { cwd: DIST }).map((name) => join(DIST, name)))
  writeFileSync(file, readFileSync(file, 'utf8').replace(/( from '\.[^']*)\.ts'/g, "$1.js'"));
const [, listed = ''] = /\{([\s\S]*)\}/.exec(readFileSync(join(ROOT, 'src', 'contract.ts'), 'utf8')) ?? [];
const names = [...listed.matchAll(/\w+/g)].map(([name]) => name);
const contract = readFileSync(join(ROOT, '..', 'server', 'contract.d.ts'), 'utf8');
writeFileSync(join(DIST, 'contract.d.ts'), contractOf(contract, names));
if (TARGET !== ROOT) {
  mkdirSync(TARGET, { recursive: true });
  for (const file of ['package.json', 'README.md']) copyFileSync(join(ROOT, file), join(TARGET, file));
}
// npm packs a license that is in the folder of the package.
copyFileSync(join(ROOT, '../../LICENSE'), join(TARGET, 'LICENSE'));
