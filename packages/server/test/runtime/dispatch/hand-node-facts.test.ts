/** Facts of the node are read for the calls that report them, and for no others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpointsByPath } from '../../../src/app.ts';
import type { NodeFacts } from '../../../src/platform/endpoint/node-facts.ts';
import type { Call, Dispatcher } from '../../../src/runtime/dispatch/call.ts';
import { handNodeFacts } from '../../../src/runtime/dispatch/hand-node-facts.ts';
import { fieldNamesOf, packCall, unpackCall } from '../../../src/runtime/dispatch/messages.ts';
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
  let isClosed = false;
  const inner: Dispatcher = {
    dispatch(call, answer) {
      assert.ok(!isClosed, 'a call came after the closing');
      taken.push(call);
      answer({ status: 200, body: '{}' });
    },
    async close() {
      isClosed = true;
    },
  };
  return { taken, inner };
}

describe('facts of the node', () => {
  it('are not looked for when anything else is called, which is handed on at once', () => {
    const { taken, inner } = keeping();
    const dispatcher = handNodeFacts(inner, endpointsByPath, () => assert.fail('looked for facts'));
    const others = [...endpointsByPath.keys()].filter((path) => path !== '/getSystem');
    const calls = others.map(callOf);
    for (const call of calls) dispatcher.dispatch(call, () => {});
    assert.equal(taken.length, calls.length);
    for (const [index, call] of taken.entries()) assert.equal(call, calls[index]);
  });

  it('are found once for all simultaneous calls, and again for later ones', async () => {
    const { taken, inner } = keeping();
    let looks = 0;
    const dispatcher = handNodeFacts(inner, endpointsByPath, async () => {
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
    const dispatcher = handNodeFacts(inner, endpointsByPath, () => Promise.reject(new Error('no facts')));
    const outcome = await new Promise<{ status: number; failure?: string }>((answer) =>
      dispatcher.dispatch(callOf('/getSystem'), answer),
    );
    assert.deepEqual([outcome.status, taken.length], [500, 0]);
    assert.match(String(outcome.failure), /no facts/);
  });

  it('are waited for when the dispatcher closes', async () => {
    const { taken, inner } = keeping();
    let find = (_facts: NodeFacts) => {};
    const dispatcher = handNodeFacts(inner, endpointsByPath, () => new Promise((resolve) => (find = resolve)));
    dispatcher.dispatch(callOf('/getSystem'), () => {});
    const closing = dispatcher.close();
    find(FACTS);
    await closing;
    assert.equal(taken.length, 1);
  });

  it('travel with their call, and lengthen no other', () => {
    const plain = callOf('/getLicense');
    assert.deepEqual(unpackCall(packCall(1, plain, NAMES), NAMES), plain);
    const telling = { ...plain, requestContext: { ...plain.requestContext, node: FACTS } };
    assert.deepEqual(unpackCall(packCall(1, telling, NAMES), NAMES), telling);
    assert.equal(packCall(1, telling, NAMES).length, packCall(1, plain, NAMES).length + 1);
  });
});
