/** The command that sends an event of the storefront to a running service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { WEBHOOK_SECRET } from '../../support/app.ts';
import { type Ended, runCommand, runCommandHere } from '../../support/command.ts';
import { startedApp } from '../../support/started-app.ts';

describe('send-test-event', () => {
  let environment: Record<string, string>;
  const app = startedApp('sqlite', { HOST: 'localhost' });
  before(async () => {
    environment = {
      HOST: 'localhost',
      PORT: String(app.port),
      LATCHKEY_DATA_DIR: app.directory,
      LATCHKEY_WEBHOOK_SECRET: WEBHOOK_SECRET,
    };
  });

  const sendHere = (line: string): Promise<Ended> =>
    runCommandHere(['send-test-event', ...line.split(' ')], environment);
  const answerIn = ({ out }: Ended) => {
    const [, sent = '', status, answer = ''] = /^Sent: (.*)\nAnswer (\d+): (.*)\n$/.exec(out) ?? [];
    return { sent: JSON.parse(sent), status: Number(status), answer: JSON.parse(answer) };
  };

  it('sells, renews, refunds in part and refunds, and shows requests and answers', async () => {
    const bought = await runCommand(
      'send-test-event purchase.completed --product app --purchase order-1 --days 30'.split(' '),
      environment,
    );
    assert.deepEqual([bought.code, bought.err], [0, '']);
    const { sent, status, answer } = answerIn(bought);
    assert.equal(status, 200);
    assert.deepEqual(
      [sent.email, sent.purchaseId, sent.durationDays, answer.duplicate],
      ['test@example.com', 'order-1', 30, false],
    );
    const renewal = 'subscription.renewed --product app --purchase order-1 --days 30 --event evt-1';
    assert.equal(answerIn(await sendHere(renewal)).answer.licenseKey, answer.licenseKey);
    assert.equal(answerIn(await sendHere(renewal)).answer.duplicate, true);
    const refund = 'purchase.refunded --product app --purchase order-1 --amount -1000 --currency eur';
    assert.equal(answerIn(await sendHere(`${refund} --partial`)).answer.license.status, 'active');
    assert.equal(answerIn(await sendHere(refund)).answer.license.status, 'revoked');
  });

  it('works as docs/shops/storefront.md shows it', async () => {
    const page = readFileSync(new URL('../../../../../docs/shops/storefront.md', import.meta.url), 'utf8');
    const [, line = ''] = /`npm run latchkey -- send-test-event (.*?)`/.exec(page) ?? [];
    const { code, err } = await sendHere(line);
    assert.deepEqual([code, err], [0, '']);
  });

  it('ends with 1 and the answer where the service refuses the event', async () => {
    const unknown = await sendHere('purchase.refunded --product app --purchase order-9');
    assert.deepEqual([unknown.code, unknown.err], [1, 'The service refused the event.\n']);
    assert.deepEqual(answerIn(unknown).answer, { success: false, error: 'License not found' });
    const misspelt = await sendHere('purchase.complete --product app --days ten');
    assert.equal(misspelt.code, 1);
    assert.match(answerIn(misspelt).answer.error, /^type must be one of purchase\.completed, /);
  });

  it('advises if no service answers, and if its address or secret is unknown', async () => {
    const line = 'send-test-event purchase.completed --product app'.split(' ');
    for (const [changed, said] of [
      [
        { PORT: '1' },
        /^The service at https:\/\/localhost:1 cannot be reached \(\w+\)\. Start it, or name its address with --url\.$/m,
      ],
      [{ LATCHKEY_TRUST_PROXY: '127.0.0.1' }, /^Name the address that clients use: --url /m],
      [{ LATCHKEY_WEBHOOK_SECRET: '' }, /^The webhook secret is missing: /m],
    ] as const) {
      const { code, out, err } = await runCommandHere(line, { ...environment, ...changed });
      assert.equal(code, 1);
      assert.match(err, said);
      assert.ok(!`${out}${err}`.includes(WEBHOOK_SECRET));
    }
  });
});
