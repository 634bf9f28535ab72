/** Events of a real service, delivered to real HTTPS receivers, on both engines. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { getPriority, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { DAY_MS, HOUR_MS, MINUTE_MS, systemClock } from '../../../src/ground/base/clock.ts';
import { PUBLIC_ADDRESSES } from '../../../src/webhooks/destinations/address-policy.ts';
import { type ScrapedSample, scrape, scrapedValue, scrapeUntil } from '../../ground/measures/scrape.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { listen } from '../../support/listen.ts';
import { Machine } from '../../support/machine.ts';
import { type NameServer, startNameServer } from '../../support/name-server.ts';
import { certificateOf, type Received, type Receiver, startReceiver } from '../../support/receiver.ts';

const ADDRESS = '127.1.0.2';

for (const engine of engines)
  describe(`sending on ${engine}`, () => {
    let directory: string;
    let app: TestApp;
    let receiver: Receiver;
    let names: NameServer;
    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'latchkey-sending-'));
      const certificate = await certificateOf([], [ADDRESS]);
      const ca = join(directory, 'ca.pem');
      await writeFile(ca, certificate.cert);
      receiver = await startReceiver(ADDRESS, certificate);
      names = await startNameServer();
      app = await startApp(
        engine,
        {
          LATCHKEY_DELIVERY_CA_FILE: ca,
          LATCHKEY_SECRETS_KEY: 'a-secrets-key-of-the-tests',
          LATCHKEY_METRICS_PORT: '0',
          LATCHKEY_DELIVERY_DNS: names.address,
        },
        undefined,
        {
          deliveryAddresses: { ...PUBLIC_ADDRESSES, testAddresses: [ADDRESS] },
          // Too long to find the first destination, of which the service must learn from its own commit.
          sender: { neededIntervalMs: DAY_MS },
        },
      );
    });
    beforeEach(() => {
      receiver.received.length = 0;
      receiver.answer = (_request, response) => response.writeHead(204).end();
    });
    after(async () => {
      await app?.stop();
      await receiver?.close();
      names?.close();
      await rm(directory, { recursive: true, force: true });
    });

    let paths = 0;
    /** Creates a destination with its own path, because a deleted destination may get events for another moment. */
    const destination = async (fields: Readonly<Record<string, unknown>> = {}) => {
      const path = `/hook/${++paths}`;
      const url = new URL(path, receiver.url).href;
      const answer = await app.admin('/createDestination', { url, types: ['*'], ...fields });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return { ...(answer.body as { destinationId: string; secret: string }), path };
    };

    /** Returns the requests at a path once there are `count` of them. */
    const arrived = async (path: string, count: number): Promise<readonly Received[]> => {
      for (;;) {
        const found = receiver.received.filter((each) => each.path === path);
        if (found.length >= count) return found;
        await receiver.hasReceived(receiver.received.length + 1);
      }
    };

    /** Returns the attempts of a destination once there are `count` of them. */
    const attemptsOf = async (destinationId: string, count: number) => {
      for (;;) {
        const { body } = await app.admin('/listDeliveryAttempts', { destinationId });
        if (body.count >= count) return body.attempts as { outcome: string; status: number | null }[];
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };

    /** Resolves once the destination has dealt with every event. */
    const settled = async (destinationId: string) => {
      for (;;) {
        const { body } = await app.admin('/getDestination', { destinationId });
        if (body.destination.behind === 0 && body.destination.waiting === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };

    it('delivers each change once, signed, in the order of its license', async () => {
      const { destinationId, secret, path } = await destination();
      const licenseKey = await app.license({ maxMachines: 5 });
      for (const name of ['one', 'two', 'three']) await new Machine(app, licenseKey, name).activated();
      await app.admin('/revokeLicense', { licenseKey, reason: 'refund' });
      const received = await arrived(path, 5);
      const events = received.slice(0, 5).map(({ body, headers }) => {
        const webhook = new Webhook(secret);
        const event = JSON.parse(body);
        assert.equal(headers['webhook-id'], event.id);
        assert.ok(Math.abs(Number(headers['webhook-timestamp']) * 1000 - systemClock()) < 86_400_000);
        return webhook.verify(body, headers as Record<string, string>) as typeof event;
      });
      assert.deepEqual(
        events.map(({ type, data }) => [type, data.number]),
        [
          ['license.created', 1],
          ['activation.created', 2],
          ['activation.created', 3],
          ['activation.created', 4],
          ['license.revoked', 5],
        ],
      );
      assert.equal(new Set(events.map(({ id }) => id)).size, 5);
      await app.admin('/deleteDestination', { destinationId });
    });

    it('leaves a busy machine to the threads that answer apps', {
      skip: platform() !== 'linux' && 'only Linux has priorities of threads',
    }, async () => {
      const { destinationId, path } = await destination();
      await app.license();
      await arrived(path, 1);
      const isBehind = (thread: string) => getPriority(Number(thread)) === Math.min(19, getPriority() + 10);
      assert.ok((await readdir('/proc/self/task')).some(isBehind));
      await app.admin('/deleteDestination', { destinationId });
    });

    it('goes on where it stopped once a receiver is back, and shows what failed', async () => {
      const { destinationId, path } = await destination({ types: ['license.created'] });
      receiver.answer = (_request, response) => response.writeHead(503).end();
      await app.license();
      // Nothing more is sent until the clock is moved.
      await attemptsOf(destinationId, 1);
      for (let each = 0; each < 5; each++) await app.license();
      const failing = await app.admin('/getDestination', { destinationId });
      assert.deepEqual([failing.body.destination.state, failing.body.destination.lastError], ['failing', 'status 503']);
      receiver.answer = (_request, response) => response.writeHead(204).end();
      app.clock.move(MINUTE_MS);
      const received = await arrived(path, 7);
      const [refused, ...delivered] = received.map(({ headers }) => headers['webhook-id']);
      assert.equal(new Set(delivered).size, 6);
      assert.ok(delivered.includes(refused));
      const attempts = await attemptsOf(destinationId, 7);
      assert.deepEqual(attempts.map(({ outcome, status }) => `${outcome} ${status}`).toSorted(), [
        ...Array(6).fill('delivered 204'),
        'status 503',
      ]);
      const some = async (filter: object) =>
        (await app.admin('/listDeliveryAttempts', { destinationId, ...filter })).body.attempts.map(
          ({ eventId, outcome }: { eventId: string; outcome: string }) => `${eventId} ${outcome}`,
        );
      assert.deepEqual(await some({ failedOnly: true }), [`${refused} status`]);
      assert.deepEqual(await some({ eventId: refused }), [`${refused} delivered`, `${refused} status`]);
      const ofEvent = async (filter: object) =>
        (await app.admin('/listDeliveryAttempts', { eventId: refused, ...filter })).body.attempts.map(
          (attempt: { destinationId: string; outcome: string }) => [attempt.destinationId, attempt.outcome],
        );
      assert.deepEqual(await ofEvent({}), [
        [destinationId, 'delivered'],
        [destinationId, 'status'],
      ]);
      assert.deepEqual(await ofEvent({ failedOnly: true }), [[destinationId, 'status']]);
      const { body } = await app.admin('/getDestination', { destinationId });
      assert.deepEqual([body.destination.state, body.destination.failingSince], ['active', null]);
      assert.deepEqual((await app.admin('/listDeliveries', { destinationId })).body.deliveries, []);
      await app.admin('/deleteDestination', { destinationId });
    });

    it('measures what it sends', async () => {
      const { destinationId, path } = await destination({ types: ['license.created'] });
      const count = (samples: readonly ScrapedSample[], name: string, labels = {}) =>
        scrapedValue(samples, name, labels) ?? 0;
      const before = await scrape(app);
      const delivered = { outcome: 'delivered' };
      await app.license();
      await arrived(path, 1);
      const after = await scrapeUntil(
        app,
        (each) =>
          count(each, 'latchkey_delivery_attempts_total', delivered) >
            count(before, 'latchkey_delivery_attempts_total', delivered) &&
          count(each, 'latchkey_sends_events') === 1 &&
          count(each, 'latchkey_deliveries_under_way') === 0 &&
          count(each, 'latchkey_delivery_oldest_seconds') === 0 &&
          // Another transaction may hold the feed for a moment.
          count(each, 'latchkey_feed_held_back_seconds') === 0,
      );
      for (const name of ['latchkey_delivery_duration_seconds_count', 'latchkey_delivery_delay_seconds_count'])
        assert.ok(count(after, name) > count(before, name), name);
      await app.admin('/deleteDestination', { destinationId });
    });

    it('sends events again that were delivered, given up, or are older than the destination', async () => {
      const old = await app.license();
      const { destinationId, path } = await destination({ types: ['license.created'] });
      const licenseKey = await app.license();
      await arrived(path, 1);
      const { body } = await app.admin('/listEvents', { types: ['license.created'], limit: 1000 });
      const idOf = (key: string) => body.events.find((each: { licenseKey: string }) => each.licenseKey === key).id;
      await settled(destinationId);
      const eventIds = [idOf(licenseKey), idOf(old), idOf(old)];
      assert.equal((await app.admin('/resendEvents', { destinationId, eventIds })).body.queued, 2);
      const received = await arrived(path, 3);
      assert.deepEqual(
        received.map(({ headers }) => headers['webhook-id']).toSorted(),
        [idOf(licenseKey), idOf(licenseKey), idOf(old)].toSorted(),
      );
      await settled(destinationId);
      assert.deepEqual((await app.admin('/listDeliveries', { destinationId })).body.deliveries, []);
      await app.admin('/deleteDestination', { destinationId });
    });

    it('sends nothing again that has yet to be sent, that does not fit, or that another creator owns', async () => {
      const { destinationId, path } = await destination({ types: ['license.created'] });
      await app.admin('/pauseDestination', { destinationId });
      const waiting = await app.license();
      const revoked = await app.license();
      await app.admin('/revokeLicense', { licenseKey: revoked });
      const { body } = await app.admin('/listEvents', { limit: 10 });
      const idOf = (type: string, key: string) =>
        body.events.find((each: Readonly<Record<string, unknown>>) => each.type === type && each.licenseKey === key).id;
      const resend = (eventIds: readonly string[]) => app.admin('/resendEvents', { destinationId, eventIds });
      assert.equal((await resend([idOf('license.created', waiting)])).body.queued, 0);
      const unfit = await resend([idOf('license.revoked', revoked)]);
      assert.deepEqual([unfit.status, unfit.body.error], [400, 'eventIds must name events that fit the destination']);
      assert.equal((await resend([])).status, 400);
      const missing = await resend([idOf('license.created', waiting), 'evt_unknown']);
      assert.deepEqual([missing.status, missing.body.error], [404, 'Event not found']);
      const creator = await Creator.of(app);
      const url = new URL(`/hook/${++paths}`, receiver.url).href;
      const own = await creator.send('/createDestination', { url, types: ['*'] });
      const eventIds = [idOf('license.created', waiting)];
      const foreign = { destinationId: own.body.destinationId, eventIds, eventId: eventIds[0] };
      for (const endpoint of ['/resendEvents', '/previewEvent'])
        assert.equal((await creator.send(endpoint, foreign)).body.error, 'Event not found', endpoint);
      await app.admin('/resumeDestination', { destinationId });
      assert.equal((await arrived(path, 2)).length, 2);
      for (const each of [destinationId, own.body.destinationId])
        await app.admin('/deleteDestination', { destinationId: each });
    });

    it('previews the text that is sent, and counts what is left', async () => {
      const { destinationId, path } = await destination({ types: ['license.created'], includeLicenseKeys: true });
      await app.admin('/pauseDestination', { destinationId });
      const licenseKey = await app.license();
      const { body: listed } = await app.admin('/listEvents', { licenseKey });
      const [{ id: eventId, at }] = listed.events;
      const { body: before } = await app.admin('/getDestination', { destinationId });
      const { waiting, failed, behind } = before.destination;
      assert.deepEqual([waiting, failed, behind >= 2], [0, 0, true]);
      assert.ok(before.destination.oldestUnsentAt <= at);
      const preview = await app.admin('/previewEvent', { destinationId, eventId });
      await app.admin('/resumeDestination', { destinationId });
      const [received] = await arrived(path, 1);
      assert.equal(preview.body.body, received?.body);
      assert.ok(preview.body.body.includes(licenseKey));
      for (const name of ['content-type', 'user-agent', 'webhook-id'])
        assert.equal(preview.body.headers[name], received?.headers[name], name);
      await settled(destinationId);
      const { body } = await app.admin('/getDestination', { destinationId });
      assert.deepEqual(body.lastDay, { delivered: 1, failed: 0 });
      assert.deepEqual([body.destination.behind, body.destination.oldestUnsentAt], [0, null]);
      await app.admin('/deleteDestination', { destinationId });
    });

    it('sends a test of any type, with an example that receivers can verify', async () => {
      const { destinationId, secret, path } = await destination({ types: ['license.created'] });
      const types = ['license.revoked', 'product.updated'];
      for (const type of types)
        assert.equal((await app.admin('/testDestination', { destinationId, type })).status, 200);
      const received = await arrived(path, types.length);
      const events = received.map(({ body, headers }) => {
        const event = new Webhook(secret).verify(body, headers as Record<string, string>);
        return event as { type: string; data: { isTest: boolean; license: object | null } };
      });
      assert.deepEqual(events.map(({ type }) => type).toSorted(), types);
      assert.ok(events.every(({ data }) => data.isTest));
      assert.equal((await app.admin('/testDestination', { destinationId, type: 'license.sold' })).status, 400);
      await app.admin('/deleteDestination', { destinationId });
    });

    it('sends a test, whose success ends a failure, ten times a minute at most', async () => {
      // Tests count at the host, which an earlier test of this file has, too.
      app.clock.move(2 * MINUTE_MS);
      const { destinationId, secret, path } = await destination({ types: ['license.created'] });
      receiver.answer = (_request, response) => response.writeHead(503).end();
      await app.license();
      await attemptsOf(destinationId, 1);
      receiver.answer = (_request, response) => response.writeHead(204).end();
      const { body } = await app.admin('/testDestination', { destinationId });
      const received = await arrived(path, 3);
      const test = received.find(({ headers }) => headers['webhook-id'] === body.eventId);
      const event = new Webhook(secret).verify(test?.body ?? '', test?.headers as Record<string, string>);
      const { type, data } = event as { readonly type: string; readonly data: { readonly isTest: boolean } };
      assert.deepEqual([type, data.isTest], ['ping', true]);
      const answers = await Promise.all(
        Array.from({ length: 15 }, () => app.admin('/testDestination', { destinationId })),
      );
      assert.equal(answers.filter(({ status }) => status === 200).length, 9);
      assert.equal(answers.filter(({ status }) => status === 429).length, 6);
      await app.admin('/pauseDestination', { destinationId });
      assert.equal((await app.admin('/testDestination', { destinationId })).status, 409);
      await app.admin('/deleteDestination', { destinationId });
      assert.equal((await app.admin('/listDeliveryAttempts', { destinationId })).status, 404);
    });

    if (engine === 'sqlite')
      it('lets a creator read the same fields of every address inside, and makes no connection', async (test) => {
        let connections = 0;
        const listener = createServer((socket) => {
          connections += 1;
          socket.destroy();
        });
        const port = await listen(listener, '0.0.0.0');
        test.after(() => listener.close());
        const inside = [
          ...[['127.0.0.1'], ['127.1.0.1'], ['10.0.0.1'], ['169.254.169.254'], ['fd00::1'], ['::ffff:127.0.0.1']],
          ...[
            ['93.184.216.34', '127.0.0.1'],
            ['93.184.216.34', '::1'],
            [ADDRESS, '10.0.0.1'],
          ],
        ];
        for (const [number, addresses] of inside.entries()) names.zone.set(`inside-${number}.example`, [addresses]);
        const creator = await Creator.of(app);
        const productId = await creator.product();
        // A port where something listens, and one where nothing does.
        const hosts = [...[...names.zone.keys()].map((name) => `${name}:${port}`), 'inside-0.example:1024'];
        const made = hosts.map(async (host) => {
          const asked = { url: `https://${host}/`, types: ['license.created'] };
          return (await mustSucceed(creator.send('/createDestination', asked))).destinationId as string;
        });
        const destinationIds = await Promise.all(made);
        await creator.license(productId);
        const seen = new Set<string>();
        for (const destinationId of destinationIds) {
          await attemptsOf(destinationId, 1);
          const { attempts } = await mustSucceed(creator.send('/listDeliveryAttempts', { destinationId }));
          const { destination } = await mustSucceed(creator.send('/getDestination', { destinationId }));
          const {
            attemptId: _id,
            destinationId: _to,
            eventId: _eventId,
            at: _at,
            durationMs: _ms,
            ...attempt
          } = attempts[0];
          const { state, stateReason, lastError, waiting, failed } = destination;
          seen.add(JSON.stringify([attempts.length, attempt, state, stateReason, lastError, waiting, failed]));
          await app.admin('/deleteDestination', { destinationId });
        }
        assert.equal(destinationIds.length, 10);
        const attempt = { type: 'license.created', outcome: 'address_not_allowed', status: null };
        assert.deepEqual([...seen], [JSON.stringify([1, attempt, 'failing', null, 'address_not_allowed', 0, 0])]);
        assert.equal(connections, 0);
      });

    // The last test, because libraries refuse timestamps that are an hour off.
    it('begins again at a moment, and sends what was sent since then once more', async () => {
      const { destinationId, path } = await destination({ types: ['license.created'] });
      await app.license();
      await arrived(path, 1);
      app.clock.move(HOUR_MS);
      const since = app.clock.at(0);
      const again = [await app.license(), await app.license()];
      await arrived(path, 3);
      await settled(destinationId);
      const invalid = await app.admin('/resumeDestination', { destinationId, from: 'yesterday' });
      assert.match(invalid.body.error, /^from must be stopped, now or an ISO 8601 timestamp/);
      assert.equal((await app.admin('/resumeDestination', { destinationId, from: since })).status, 200);
      const received = await arrived(path, 5);
      const ids = received.map(({ headers }) => headers['webhook-id']);
      assert.deepEqual([ids.length, new Set(ids).size, ids.slice(3).includes(ids[0])], [5, 3, false]);
      assert.equal(again.length, 2);
      await app.admin('/deleteDestination', { destinationId });
    });
  });
