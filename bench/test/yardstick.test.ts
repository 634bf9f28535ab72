/** Starts the Latchkey of a checkout, here this one, as the server to compare with. */
import assert from 'node:assert/strict';
import { basename, join, resolve } from 'node:path';
import { it } from 'node:test';
import { temporaryFolder } from '../../packages/server/test/support/temporary-folder.ts';
import { latchkeyYardstick } from '../src/yardstick.ts';
import { expectAll } from './support/window.ts';

const checkout = resolve(import.meta.dirname, '..', '..');
const dataDirectory = temporaryFolder();

it('another checkout answers requests about the licenses that its own bench has stored', async () => {
  await using running = new AsyncDisposableStack();
  const contents = { licenses: 100 };
  const plan = {
    name: 'latchkey',
    engine: 'sqlite',
    nodes: 1,
    contents,
    filled: 20,
    dataDirectory,
    certificate: null,
  } as const;
  const yardstick = await latchkeyYardstick(checkout, plan, running);
  assert.equal(yardstick.name, basename(checkout));
  const { addresses } = await yardstick.server('');
  for (const endpoint of ['verify', 'activate'] as const) {
    const requests = yardstick.requestsTo(endpoint);
    assert.ok(requests !== null);
    await expectAll(addresses[0]!, requests, join(dataDirectory, endpoint));
  }
});
