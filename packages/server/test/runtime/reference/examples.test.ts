/** Sends every example of the reference to the real service, and compares the reply with the example. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endpoints } from '../../../src/app.ts';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { EXAMPLE_NOW } from '../../../src/platform/endpoint/example-values.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { emptyTables } from '../../support/empty-tables.ts';
import { ExampleRun, MADE } from './example-run.ts';

/** Tables that the service reads when it starts. */
const IN_MEMORY = ['token_key', 'signing_key', 'installation'];

for (const engine of engines)
  describe(`examples, ${engine}`, () => {
    let app: TestApp;
    before(async () => {
      // Destinations need a key for their secrets, and e-mails a server. The examples send nothing.
      app = await startApp(engine, {
        LATCHKEY_SECRETS_KEY: 'secrets-key-of-the-examples',
        LATCHKEY_SMTP_URL: 'smtp://127.0.0.1',
        LATCHKEY_MAIL_FROM: 'licenses@example.com',
        LATCHKEY_DELIVERIES: 'off',
        LATCHKEY_SELF_SERVICE: 'on',
        LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
        LATCHKEY_OPERATOR_EMAIL: 'ops@example.com',
        LATCHKEY_OPERATOR_NOTICES: 'mails_failed,digest',
      });
      // Tokens expire on whole seconds, and so do those of the examples.
      app.clock.move(1000 - (app.clock.now() % 1000));
    });
    after(() => app.stop());

    for (const endpoint of endpoints)
      it(`of ${endpoint.path} are answered as they say`, async () => {
        const isRead = endpoint.work.kind === 'read';
        // Reads can be repeated on the same rows; writes need an empty database.
        for (const methods of isRead ? [endpoint.methods] : endpoint.methods.map((method) => [method])) {
          await emptyTables(app.database, IN_MEMORY);
          // The time of day of the examples: tokens expire on whole seconds, and figures are of whole hours and days.
          app.clock.move(DAY_MS - ((app.clock.now() - Date.parse(EXAMPLE_NOW)) % DAY_MS));
          const run = new ExampleRun(app);
          for (const method of methods) await run.check(endpoint, method);
        }
      });

    it('show every value that the service is said to make', () => {
      const shown = new Set(JSON.stringify(endpoints.map(({ example }) => example)).match(/"[^"]*"/g));
      for (const value of MADE) assert.ok(shown.has(`"${value}"`), String(value));
    });
  });
