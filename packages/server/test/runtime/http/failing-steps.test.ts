/** A step of a call that throws costs that call its answer, and nobody else theirs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpointsByPath } from '../../../src/app.ts';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { createAdmission } from '../../../src/runtime/http/admission.ts';
import type { AnsweredRequest } from '../../../src/runtime/http/answered.ts';
import { createCors } from '../../../src/runtime/http/cors.ts';
import { digestSecrets } from '../../../src/runtime/http/credentials.ts';
import { createListener, type ListenerParts } from '../../../src/runtime/http/listener.ts';
import { directPeer } from '../../../src/runtime/http/peer.ts';
import { UnsentAnswers } from '../../../src/runtime/http/unsent-answers.ts';
import { startListening } from './listening.ts';
import { requestBytes, Wire } from './wire.ts';

const SECRETS = { adminSecret: 'admin secret', webhookSecret: 'webhook secret' };
const REQUEST = requestBytes('/listProducts', '{"adminSecret":"admin secret"}');

const fail = (): never => {
  throw new Error('secret reason');
};

/** The steps that run code beside the listener's own, each failing once. */
const FAILING: Readonly<Record<string, (once: <Value>(value: Value) => Value) => Partial<ListenerParts>>> = {
  country: (once) => ({ countryOf: () => once('DE') }),
  clock: (once) => ({ clock: () => once(systemClock()) }),
  dispatch: (once) => ({
    dispatcher: {
      dispatch: (_call, done) => done(once({ status: 200, body: '{}' })),
      close: async () => {},
    },
  }),
};

describe('a call', () => {
  for (const [step, parts] of Object.entries(FAILING))
    it(`whose ${step} fails is answered 500 without the reason, which the log gets, and the next one is served`, async (test) => {
      const observed: AnsweredRequest[] = [];
      let hasFailed = false;
      const once = <Value>(value: Value): Value => {
        if (hasFailed) return value;
        hasFailed = true;
        return fail();
      };
      const listener = createListener({
        endpoints: endpointsByPath,
        sites: [],
        prefix: null,
        takesSessions: false,
        unsent: new UnsentAnswers({ most: 1024 * 1024, maxOfNetwork: null }),
        secrets: digestSecrets(SECRETS, { previousAdminSecret: null, previousWebhookSecret: null }),
        countryOf: () => null,
        clock: systemClock,
        observe: (answered) => observed.push(answered),
        peerOf: directPeer,
        cors: createCors('*'),
        // A call that still counted would leave no room for the next one.
        admission: createAdmission(
          { callsPerNetwork: 1, wrongSecretsPerMinute: null } as Parameters<typeof createAdmission>[0],
          systemClock,
          () => {},
          () => {},
        ),
        dispatcher: { dispatch: (_call, done) => done({ status: 200, body: '{}' }), close: async () => {} },
        readForVisitor: () => assert.fail('no site reads'),
        tellingDispatcher: { dispatch: () => assert.fail('no endpoint reports facts') },
        ...parts(once),
      });
      const { port } = await startListening(test, listener);
      const wire = await Wire.open(port);
      wire.write(REQUEST);
      const failed = await wire.answer();
      assert.equal(failed.status, 500);
      assert.deepEqual(failed.body, { success: false, error: 'Unexpected server failure' });
      wire.write(REQUEST);
      assert.equal((await wire.answer()).status, 200);
      wire.end();
      assert.deepEqual(
        observed.map(({ failure }) => failure?.includes('secret reason') ?? null),
        [true, null],
      );
    });
});
