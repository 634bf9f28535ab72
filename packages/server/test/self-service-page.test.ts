/** The commands of docs/shops/self-service.md, from the settings of `npm start` to the first freed computer. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { HOUR_MS } from '../src/ground/base/clock.ts';
import { CustomerBrowser } from './customers/self-service/customer-browser.ts';
import { ADMIN_SECRET, startApp } from './support/app.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const PAGE = readFileSync(new URL('../../../docs/shops/self-service.md', import.meta.url), 'utf8');
const NO_SHELL = process.platform === 'win32' && 'the page has commands for a POSIX shell';

describe('docs/shops/self-service.md', { skip: NO_SHELL }, () => {
  it('leads from npm start to a computer that a customer freed, without mail', async (test) => {
    const [start = '', ...blocks] = PAGE.split('```').flatMap((each) =>
      each.startsWith('sh\n') ? [each.slice(3)] : [],
    );
    assert.match(start, / npm start\n$/);
    const settings = Object.fromEntries([...start.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
    const app = await startApp('sqlite', { HOST: 'localhost', ...settings });
    test.after(() => app.stop());
    const folder = temporaryFolder(test);
    writeFileSync(join(app.directory, 'admin-secret'), ADMIN_SECRET);
    symlinkSync(app.directory, join(folder, 'data'));

    // Each block runs when the test says so, in one shell.
    const script = `set -euo pipefail\n${blocks.map((block) => `read -r _\n${block}`).join('')}`;
    const shell = spawn('bash', ['-c', script.replaceAll('localhost:8443', `localhost:${app.port}`)], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    test.after(() => shell.kill());
    const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
    const answer = async () => JSON.parse(String((await lines.next()).value));
    const runNext = () => shell.stdin.write('\n');

    runNext();
    assert.equal((await answer()).success, true);
    assert.match((await answer()).error, /Machine limit reached \(1\)/);

    app.clock.move(HOUR_MS + 1);
    runNext();
    const browser = new CustomerBrowser(app);
    const entry = await browser.open((await answer()).url);
    const licenses = await browser.submit(entry, '/my/enter');
    const license = await browser.follow(licenses, '/my/license');
    const question = await browser.follow(license, '/my/release');
    assert.match((await browser.submit(question, '/my/release')).body, /The computer is freed/);

    runNext();
    assert.equal((await answer()).success, true);
  });
});
