import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { engines, freshDatabase } from './support/databases.ts';
import { processEnvironment } from './support/process-environment.ts';

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const tour = [...(readme.split('## A tour with curl')[1]?.split('\n## ')[0] ?? '').matchAll(/```sh\n([\s\S]*?)```/g)]
  .map(([, block]) => block)
  .join('\n');

/** Starts the service as `npm start` does and waits until it reports its address, which contains its port. */
async function start(
  folder: string,
  environment: Record<string, string>,
): Promise<{ service: ChildProcess; port: string }> {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const service = spawn(process.execPath, [main], {
    cwd: folder,
    env: { ...processEnvironment, PORT: '0', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const port = await new Promise<string>((resolve, reject) => {
    let said = '';
    service.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const [, found] = /https:\/\/localhost:(\d+)\/createLicense/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    service.once('exit', () => reject(new Error(said)));
  });
  return { service, port };
}

describe('the tour in the README', () => {
  for (const engine of engines)
    it(`works as printed on ${engine}`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'latchkey-readme-'));
      const { database, remove } = await freshDatabase(engine);
      const { service, port } = await start(folder, {
        ...(database.engine === 'postgres' ? { DATABASE_URL: database.url } : {}),
      });
      try {
        const script = `set -euo pipefail\n${tour.replaceAll('8443', port)}`;
        const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });
        const lines = stdout.trim().split('\n');
        assert.match(lines[0] ?? '', /^([A-Z2-9]{5}-){4}[A-Z2-9]{5}$/);
        const [verified, refused, validated, beat, explained, freed] = lines.slice(1).map((line) => JSON.parse(line));
        assert.equal(verified.valid, true);
        assert.equal(refused.error, 'Machine limit reached (1). Deactivate another machine first.');
        assert.equal(validated.valid, true);
        assert.equal(beat.success, true);
        const activation = explained.checks.find(({ endpoint }: { endpoint: string }) => endpoint === '/activate');
        assert.equal(activation.outcome, 'machine_limit');
        assert.equal(activation.because.usedBy[0].fingerprint, 'machine-1');
        assert.deepEqual(freed, { success: true, machinesUsed: 0, maxMachines: 1 });
      } finally {
        const exited = new Promise((resolve) => service.once('exit', resolve));
        service.kill('SIGTERM');
        assert.equal(await exited, 0, 'the service ends in order');
        await remove();
        await rm(folder, { recursive: true, force: true });
      }
    });
});
