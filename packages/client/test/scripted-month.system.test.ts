/**
 * The month of docs/apps/integrating.md, played against the real service by the client.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startApp, type TestApp } from '../../server/test/support/app.ts';
import { environmentOf, runCommand } from '../../server/test/support/command.ts';
import { answerBytes, Front } from './support/front.ts';
import { type Program, startProgram } from './support/programs.ts';
import { DAY_MS, type Trust, trustIn } from './support/world.ts';

const page = await readFile(new URL('../../../docs/apps/integrating.md', import.meta.url), 'utf8');

/** The rows of the page's table: day, event and verdict. */
const ROWS = [...page.matchAll(/^\| (\d+) \| (.+) \| (`.+) \|$/gm)].map(([, day, event = '', verdict = '']) => ({
  day: Number(day),
  event,
  verdict: verdict.replaceAll('`', ''),
}));

/** Changes a letter in the middle of the stored license file. */
function withAnotherFile(stored: string): string {
  const state = JSON.parse(stored);
  const { file } = state;
  let at = file.length >> 1;
  while (!/\w/.test(file[at])) at += 1;
  const changed = file.slice(0, at) + (file[at] === 'A' ? 'B' : 'A') + file.slice(at + 1);
  return JSON.stringify({ ...state, file: changed });
}

describe('the month on the page about integrating an app', () => {
  let folder: string;
  let ca: string;
  let app: TestApp;
  /** The server after a restore: it knows no license. */
  let restored: TestApp;
  let front: Front;
  let trust: Trust;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-month-'));
    app = await startApp('sqlite', { LATCHKEY_LICENSE_FILE_LIFETIME: '10d' });
    restored = await startApp('sqlite');
    front = await Front.start(app.port);
    front.date = () => app.clock.now();
    ca = join(folder, 'ca.pem');
    await writeFile(ca, front.certificate);
    trust = trustIn((await runCommand(['list-signing-keys', '--for-app'], environmentOf(app.database))).out);
  });
  after(async () => {
    await front.stop();
    await Promise.all([app.stop(), restored.stop()]);
    await rm(folder, { recursive: true });
  });

  it('has a verdict for each of its days', () => {
    assert.equal(ROWS.length, 23);
    assert.deepEqual(
      ROWS.map(({ day }) => day),
      ROWS.map(({ day }) => day).sort((one, other) => one - other),
    );
  });

  /** Plays the month. Returns the rows with the verdicts of the program. */
  async function played(program: Program, licenseKey: string, clock: { setBackMs: number }): Promise<typeof ROWS> {
    const change = (path: string, fields: object = {}) => app.admin(path, { licenseKey, ...fields });
    const start = app.clock.now();
    const events: Readonly<Record<number, () => unknown>> = {
      6: () => change('/revokeLicense'),
      9: () => change('/reinstateLicense'),
      13: () => program.edit(withAnotherFile),
      15: () => change('/updateLicense', { expiresAt: app.clock.at(-1) }),
      17: () => change('/updateLicense', { expiresAt: null }),
      18: () => change('/resetActivations'),
    };
    const verdicts: typeof ROWS = [];
    for (const { day, event } of ROWS) {
      app.clock.move(start + day * DAY_MS - app.clock.now());
      await events[day]?.();
      if (/no connection/i.test(event)) front.decide = () => 'drop';
      else if (event.includes('sign-in page'))
        front.decide = () => ({ bytes: answerBytes(200, '<html>Welcome to our hotel</html>', 'text/html') });
      else front.decide = () => 'pass';
      front.port = event.includes('does not know the license') ? restored.port : app.port;
      if (event.includes('set back by 400 days')) clock.setBackMs = 400 * DAY_MS;
      else clock.setBackMs = event.includes('set back to day 20') ? (day - 20) * DAY_MS : 0;
      const verdict = await (day === 1 ? program.activate(licenseKey) : program.check());
      verdicts.push({ day, event, verdict });
    }
    return verdicts;
  }

  it('is the same with the client', async () => {
    const clock = { setBackMs: 0 };
    const now = () => app.clock.now() - clock.setBackMs;
    const program = await startProgram({ server: front.url, ca, trust, now });
    try {
      assert.deepEqual(await played(program, await app.license(), clock), ROWS);
    } finally {
      await program.stop();
    }
  });
});
