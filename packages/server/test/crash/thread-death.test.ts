/** A service without one of its threads would leave calls unanswered: it ends, and whoever watches it starts it anew. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { MINUTE_MS } from '../../src/clock.ts';
import { ADMIN_SECRET, WEBHOOK_SECRET } from '../support/app.ts';

/** Is loaded before everything else in every thread, and breaks one of them when a file appears. */
const SABOTAGE = `
  import { existsSync } from 'node:fs';
  import { workerData } from 'node:worker_threads';
  if (workerData?.role === process.env.TEST_BROKEN_ROLE)
    setInterval(() => {
      if (existsSync(process.env.TEST_BREAK_FILE)) throw new Error('broken by the test');
    }, 10);
`;

describe('the service', { timeout: MINUTE_MS }, () => {
  for (const role of ['writer', 'reader'] as const)
    it(`ends with status 1 and says so when its ${role} thread dies`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'latchkey-death-'));
      try {
        await writeFile(join(directory, 'sabotage.mjs'), SABOTAGE);
        const server = spawn(process.execPath, [new URL('../../src/main.ts', import.meta.url).pathname], {
          env: {
            HOST: '127.0.0.1',
            PORT: '0',
            LATCHKEY_DATA_DIR: directory,
            LATCHKEY_ADMIN_SECRET: ADMIN_SECRET,
            LATCHKEY_WEBHOOK_SECRET: WEBHOOK_SECRET,
            NODE_OPTIONS: `--import=${join(directory, 'sabotage.mjs')}`,
            TEST_BROKEN_ROLE: role,
            TEST_BREAK_FILE: join(directory, 'break'),
          },
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        const events: Record<string, unknown>[] = [];
        createInterface({ input: server.stdout }).on('line', (line) => {
          const event = JSON.parse(line) as Record<string, unknown>;
          events.push(event);
          if (event.event === 'service.started') void writeFile(join(directory, 'break'), '');
        });
        const [code] = await once(server, 'close');
        assert.equal(code, 1);
        const { event, failure } = events.at(-1)!;
        assert.equal(event, `${role}.died`);
        assert.match(String(failure), /broken by the test/);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    });
});
