/** docs/storefront.md and docs/abuse.md match the service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { DETECTED_TYPES, REPORTED_TYPES } from '../src/licenses/violation.ts';
import { startApp, type TestApp } from './support/app.ts';
import { engines } from './support/databases.ts';

const page = (name: string) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
const requests = [...page('storefront').matchAll(/```json\n([\s\S]*?)```/g)].map(([, body]) => JSON.parse(body ?? ''));

describe('docs/abuse.md', () => {
  it('explains every type of violation', () => {
    for (const type of [...DETECTED_TYPES, ...REPORTED_TYPES]) assert.ok(page('abuse').includes(`\`${type}\``), type);
  });
});

for (const engine of engines)
  describe(`the pages on storefronts and abuse, on ${engine}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    it('have requests that work one after the other', async () => {
      assert.deepEqual(
        requests.map(({ type }) => type),
        [
          'purchase.completed',
          'subscription.renewed',
          'subscription.cancelled',
          'purchase.refunded',
          'purchase.disputed',
        ],
      );
      const answers = [];
      for (const body of requests) answers.push(await app.webhook('/storefrontWebhook', body));
      assert.deepEqual(
        answers.map(({ status }) => status),
        requests.map(() => 200),
      );
      const [bought] = answers;
      assert.deepEqual([bought?.body.duplicate, typeof bought?.body.licenseKey], [false, 'string']);
      const again = await app.webhook('/storefrontWebhook', requests[0]);
      assert.deepEqual(again.body, { ...bought?.body, duplicate: true });
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
