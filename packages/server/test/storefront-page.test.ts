/** docs/shops/storefront.md and docs/shops/abuse.md match the service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { EVENT_TYPES } from '../src/commerce/storefront/event.ts';
import { DETECTED_TYPES } from '../src/licensing/violations/observation.ts';
import { REPORTED_TYPES } from '../src/licensing/violations/violation.ts';
import { WEBHOOK_SECRET } from './support/app.ts';
import { engines } from './support/databases.ts';
import { startedApp } from './support/started-app.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const page = (name: string) => readFileSync(new URL(`../../../docs/shops/${name}.md`, import.meta.url), 'utf8');

/** The blocks of a page in one language, in order. */
const blocks = (name: string, language: string) =>
  page(name)
    .split('```')
    .flatMap((block) => (block.startsWith(`${language}\n`) ? [block.slice(language.length + 1)] : []));

/** Parses an answer; keys of licenses and timestamps become their form. */
function normalized(text: string): object {
  return JSON.parse(text, (_name, value: unknown) =>
    typeof value === 'string'
      ? value.replace(/^([A-Z2-9]{5}-){4}[A-Z2-9]{5}$/, 'a key').replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, 'a moment')
      : value,
  );
}

describe('docs/shops/abuse.md', () => {
  it('explains every type of violation', () => {
    for (const type of [...DETECTED_TYPES, ...REPORTED_TYPES]) assert.ok(page('abuse').includes(`\`${type}\``), type);
  });
});

for (const engine of engines)
  describe(`the pages on storefronts and abuse, on ${engine}`, () => {
    const app = startedApp(engine, { HOST: 'localhost' });

    it('have commands with the answers that they show', async (test) => {
      const folder = temporaryFolder(test);
      writeFileSync(join(app.directory, 'webhook-secret'), WEBHOOK_SECRET);
      symlinkSync(app.directory, join(folder, 'data'));
      const script = `set -euo pipefail\n${blocks('storefront', 'sh').join('\n').replaceAll('8443', String(app.port))}`;
      const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });
      const answers = stdout.trim().split('\n').map(normalized);
      const shown = blocks('storefront', 'json').map(normalized);
      assert.equal(answers.length, shown.length);
      for (const [index, answer] of answers.entries())
        assert.partialDeepStrictEqual(answer, shown[index], JSON.stringify(answer));
      for (const type of EVENT_TYPES) assert.ok(script.includes(`"type":"${type}"`), type);
    });

    const LIFTED = {
      plain: ['revoked', 'active', 'active'],
      refund: ['active', 'active', 'active'],
      fraud: ['active', 'active', 'active'],
      chargeback: ['revoked', 'revoked', 'active'],
    } as const;
    for (const [reason, statuses] of Object.entries(LIFTED))
      it(`say what lifts a revocation: ${reason}`, async () => {
        const ways = [
          async (licenseKey: string) => {
            const { violations } = (await app.admin('/getLicense', { licenseKey })).body;
            const violationIds = violations.map(({ id }: { id: string }) => id);
            if (violationIds.length > 0) await app.admin('/resolveLicense', { licenseKey, violationIds });
          },
          (licenseKey: string) => app.admin('/updateLicense', { licenseKey, status: 'active' }),
          (licenseKey: string) => app.admin('/reinstateLicense', { licenseKey }),
        ];
        const found: string[] = [];
        for (const lift of ways) {
          const licenseKey = await app.license();
          await app.admin('/revokeLicense', { licenseKey, ...(reason === 'plain' ? {} : { reason }) });
          await lift(licenseKey);
          found.push((await app.admin('/getLicense', { licenseKey })).body.license.status);
        }
        assert.deepEqual(found, statuses);
        const column = { plain: 1, refund: 2, fraud: 2, chargeback: 3 }[reason as keyof typeof LIFTED];
        const rows = page('abuse')
          .split('| Status after |')[1]
          ?.split('\n')
          .slice(2, 5)
          .map((row) => row.split('|')[column + 1]?.trim());
        assert.deepEqual(
          rows?.map((said) => (said === '409' ? 'revoked' : said)),
          statuses,
        );
      });
  });
