/** Facts of the node are read for the calls that report them, and for no others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpointsByPath } from '../../../src/app.ts';
import type { NodeFacts } from '../../../src/platform/endpoint/node-facts.ts';
import type { Call, Dispatcher } from '../../../src/runtime/dispatch/call.ts';
import { handNodeFacts } from '../../../src/runtime/dispatch/hand-node-facts.ts';
import { fieldNamesOf, packCall, unpackCall } from '../../../src/runtime/dispatch/messages.ts';
import { routesOf } from '../../../src/runtime/http/route.ts';
import { requestContextAt } from '../../support/contexts.ts';

const NAMES = fieldNamesOf(endpointsByPath);

const callOf = (path: string): Call => ({
  path,
  credential: { kind: 'admin' },
  read: { fields: {} },
  requestContext: requestContextAt(0),
  idempotency: null,
});

const FACTS = { hostname: 'a-machine' } as NodeFacts;

/** A dispatcher that keeps the calls it takes. */
function keeping() {
  const taken: Call[] = [];
  const inner: Pick<Dispatcher, 'dispatch'> = {
    dispatch(call, answer) {
      taken.push(call);
      answer({ status: 200, body: '{}' });
    },
  };
  return { taken, inner };
}

describe('facts of the node', () => {
  it('are handed to the endpoint that reports them, and to no other', () => {
    const told = [...routesOf(endpointsByPath, true)].filter(([, { tellsOfNode }]) => tellsOfNode);
    assert.deepEqual(
      told.map(([path]) => path),
      ['/getSystem'],
    );
  });

  it('are found once for all simultaneous calls, and again for later ones', async () => {
    const { taken, inner } = keeping();
    let looks = 0;
    const dispatcher = handNodeFacts(inner, async () => {
      looks++;
      return FACTS;
    });
    const call = () => new Promise((answer) => dispatcher.dispatch(callOf('/getSystem'), answer));
    await Promise.all([call(), call(), call()]);
    assert.deepEqual([looks, taken.map(({ requestContext }) => requestContext.node)], [1, [FACTS, FACTS, FACTS]]);
    await call();
    assert.equal(looks, 2);
  });

  it('that cannot be had are a failure of the call alone', async () => {
    const { taken, inner } = keeping();
    const dispatcher = handNodeFacts(inner, () => Promise.reject(new Error('no facts')));
    const outcome = await new Promise<{ status: number; failure?: string }>((answer) =>
      dispatcher.dispatch(callOf('/getSystem'), answer),
    );
    assert.deepEqual([outcome.status, taken.length], [500, 0]);
    assert.match(String(outcome.failure), /no facts/);
  });

  it('travel with their call, and lengthen no other', () => {
    const plain = callOf('/getLicense');
    assert.deepEqual(unpackCall(packCall(1, plain, NAMES), NAMES), plain);
    const telling = { ...plain, requestContext: { ...plain.requestContext, node: FACTS } };
    assert.deepEqual(unpackCall(packCall(1, telling, NAMES), NAMES), telling);
    assert.equal(packCall(1, telling, NAMES).length, packCall(1, plain, NAMES).length + 1);
  });
});
