/**
 * Two server processes on one PostgreSQL act as one service: limits are exact across both, and each sees the other's
 * changes at once.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_SECRET, type Answer, WEBHOOK_SECRET } from '../support/app.ts';
import { emptyDatabase } from '../support/databases.ts';
import { fillPool } from '../support/full-pool.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import type { TestDatabase } from '../support/test-database.ts';

describe('two nodes on one PostgreSQL', () => {
  let database: TestDatabase;
  let nodes: readonly [ServerProcess, ServerProcess];

  before(async () => {
    database = await emptyDatabase('postgres');
    // At the same moment, on a database without tables or keys.
    nodes = await Promise.all([startServerProcess(database.database), startServerProcess(database.database)]);
  });
  after(async () => {
    const codes = await Promise.all(nodes.map((node) => node.stop()));
    await database.remove();
    assert.deepEqual(codes, [0, 0]);
  });

  function admin(node: ServerProcess, path: string, fields: Readonly<Record<string, unknown>>): Promise<Answer> {
    return node.send(path, { adminSecret: ADMIN_SECRET, ...fields });
  }

  async function issue(order: Readonly<Record<string, unknown>>): Promise<string> {
    const { status, body } = await admin(nodes[0], '/createLicense', {
      email: 'ada@example.com',
      productId: 'app',
      ...order,
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body.licenseKey;
  }

  function activate(node: ServerProcess, licenseKey: string, machine: string): Promise<Answer> {
    return node.send('/activate', { licenseKey, machineFingerprint: machine, hostname: machine, productId: 'app' });
  }

  /** Sends this many machines for each license, all at once, alternating between the nodes. */
  function rush(keys: readonly string[], machines: number): Promise<{ key: string; answer: Answer }[]> {
    return Promise.all(
      Array.from({ length: machines }, (_, index) =>
        keys.map(async (key) => ({ key, answer: await activate(nodes[index % 2]!, key, `machine-${index}`) })),
      ).flat(),
    );
  }

  for (const [name, order] of [
    ['machines', { maxMachines: 5 }],
    ['floating sessions', { licenseType: 'floating', maxConcurrent: 5 }],
  ] as const)
    it(`let exactly 5 of 10 ${name} in on each of five licenses, all 50 at once`, async () => {
      const keys = await Promise.all(Array.from({ length: 5 }, () => issue(order)));
      await fillPool(...nodes);
      const answers = await rush(keys, 10);
      for (const key of keys) {
        const statuses = answers.filter((each) => each.key === key).map(({ answer }) => answer.status);
        assert.equal(statuses.filter((status) => status === 200).length, 5);
        assert.equal(statuses.filter((status) => status === 403).length, 5);
        for (const node of nodes) {
          assert.equal((await node.send('/verify', { licenseKey: key, productId: 'app' })).body.machinesUsed, 5);
          assert.equal((await admin(node, '/getLicense', { licenseKey: key })).body.activations.length, 5);
        }
      }
    });

  it('let exactly 15 of 40 activation attempts through in an hour', async () => {
    const key = await issue({ licenseType: 'site', maxMachines: -1 });
    await fillPool(...nodes);
    const statuses = (await rush([key], 40)).map(({ answer }) => answer.status);
    assert.equal(statuses.filter((status) => status === 200).length, 15);
    assert.equal(statuses.filter((status) => status === 429).length, 25);
  });

  it('accept the tokens that the other one issued', async () => {
    const key = await issue({ licenseType: 'floating', maxMachines: 4 });
    for (const [index, node] of nodes.entries()) {
      const other = nodes[1 - index]!;
      const { token } = (await activate(node, key, `machine-${index}`)).body;
      const fields = { licenseKey: key, machineFingerprint: `machine-${index}`, token };
      for (const path of ['/validate', '/heartbeat', '/deactivate'])
        assert.equal((await other.send(path, fields)).status, 200, path);
      assert.equal((await node.send('/validate', fields)).status, 403);
    }
  });

  it("see each other's revocations and reinstatements at once", async () => {
    const key = await issue({});
    const { token } = (await activate(nodes[0], key, 'machine')).body;
    for (let round = 0; round < 10; round++) {
      const [node, other] = round % 2 === 0 ? nodes : [nodes[1], nodes[0]];
      const look = async () => {
        const verified = await other.send('/verify', { licenseKey: key, productId: 'app' });
        const validated = await other.send('/validate', { licenseKey: key, machineFingerprint: 'machine', token });
        return [verified.status, validated.status];
      };
      assert.deepEqual(await look(), [200, 200]);
      await admin(node, '/revokeLicense', { licenseKey: key });
      assert.deepEqual(await look(), [403, 403]);
      await admin(node, '/reinstateLicense', { licenseKey: key });
    }
  });

  it('make one license of one purchase, however many deliveries arrive at both', async () => {
    const event = { type: 'purchase.completed', email: 'ada@example.com', productId: 'app', purchaseId: 'order-1' };
    await fillPool(...nodes);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        nodes[index % 2]!.send('/storefrontWebhook', { webhookSecret: WEBHOOK_SECRET, ...event }),
      ),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ body }) => body.licenseKey)).size, 1);
    assert.equal(answers.filter(({ body }) => !body.duplicate).length, 1);
  });
});
