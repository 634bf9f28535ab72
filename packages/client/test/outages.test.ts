/** Refusals and outages: only a refusal by the service may stop an app. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpointsByPath } from '../../server/src/app.ts';
import { codeOf, statusOf, textOf } from '../../server/src/platform/endpoint/refusals.ts';
import { type ClientEndpoint, flagOf, refusalIn } from '../src/refusals.ts';
import { DAY_MS, DOWN, type Fault, HOUR_MS, MINUTE_MS, startedWorld } from './support/world.ts';

const ENDPOINTS: readonly ClientEndpoint[] = [
  ...(['/activate', '/validate', '/verify', '/heartbeat', '/deactivate'] as const),
  '/issueLicenseFile',
];
const DETAILS = { limit: 3, time: '2027-03-31T09:30:00.000Z' };
const JSON_HEADERS = { 'content-type': 'application/json' };

/**
 * Refusals that the client does not tell apart from no answer: those that do not concern the license, that of asked
 * features, which the client compares itself, and two of license files.
 */
const UNKNOWN = ['bad_json', 'body_not_object', 'feature_missing', 'too_many_license_files', 'license_file_rate'];

describe('a refusal', () => {
  for (const path of ENDPOINTS)
    it(`of ${path} is known by each text that the server has for it, with and without the header`, () => {
      const endpoint = endpointsByPath.get(path)!;
      const codes = [...endpoint.refusals, 'missing_fields'].filter((code) => !UNKNOWN.includes(code));
      assert.ok(codes.length >= 4, codes.join());
      for (const refused of codes as typeof endpoint.refusals) {
        const text = refused === 'missing_fields' ? endpoint.missing! : textOf({ refused, details: DETAILS });
        const body = { [flagOf(path)]: false, error: text };
        for (const headers of [{}, { 'latchkey-code': codeOf(refused) }]) {
          const answer = { status: statusOf(refused), headers, text: JSON.stringify(body) };
          assert.equal(refusalIn(path, answer, body)?.code, codeOf(refused), `${path}: ${text}`);
        }
      }
    });

  for (const path of ENDPOINTS)
    it(`of ${path} is known by its code when the server rewords it`, () => {
      for (const refused of endpointsByPath.get(path)!.refusals.filter((code) => !UNKNOWN.includes(code))) {
        const headers = { 'latchkey-code': codeOf(refused), 'retry-after': '7' };
        for (const error of ['Not today, sorry (5).', '', undefined, { text: 'in parts' }]) {
          const body = { [flagOf(path)]: false, error, more: [1] };
          const known = refusalIn(path, { status: statusOf(refused), headers, text: '' }, body);
          assert.equal(known?.code, codeOf(refused), `${path}: ${error}`);
          assert.equal(known?.limit, undefined, 'a number in words that are new may mean anything');
        }
      }
    });

  it('whose code is new to the client is none', () => {
    for (const code of ['license_paused', 'toString', '__proto__', '']) {
      const body = { valid: false, error: 'License has been revoked' };
      assert.equal(refusalIn('/validate', { status: 403, headers: { 'latchkey-code': code }, text: '' }, body), null);
    }
  });

  it('without a code differs from an answer with another status, text or shape', () => {
    const body = { valid: false, error: 'License has been revoked' };
    const answer = { status: 403, headers: {}, text: '' };
    assert.equal(refusalIn('/validate', answer, body)?.code, 'license_revoked');
    const others: [object, unknown][] = [
      [{ ...answer, status: 200 }, body],
      [{ ...answer, status: 500 }, body],
      [{ ...answer, status: 404 }, body],
      [answer, { ...body, valid: true }],
      [answer, { ...body, valid: 'false' }],
      [answer, { success: false, error: body.error }],
      [answer, { ...body, error: 'License has been revoked.' }],
      [answer, { ...body, error: 'license has been revoked' }],
      [answer, { error: body.error }],
      [answer, [body]],
      [answer, null],
      [answer, body.error],
    ];
    for (const [other, parsed] of others)
      assert.equal(refusalIn('/validate', other as typeof answer, parsed), null, JSON.stringify([other, parsed]));
    assert.equal(refusalIn('/heartbeat', answer, body), null, 'the flag of another endpoint');
    const named = { ...answer, headers: { 'latchkey-code': 'license_revoked' } };
    assert.equal(refusalIn('/validate', { ...named, status: 200 }, body), null, 'a success');
    assert.equal(refusalIn('/validate', { ...named, status: 503 }, body), null, 'a failure of the server');
    assert.equal(refusalIn('/validate', named, '<html>'), null, 'a page');
    const limit = { success: false, error: 'Machine limit reached (2). Deactivate another machine first.' };
    assert.equal(refusalIn('/validate', answer, { ...limit, valid: false }), null, 'a refusal of another endpoint');
  });

  it('does not silence an app for longer than an hour', () => {
    const body = { success: false, error: 'Too many activation attempts. Try again later.' };
    const answer = { status: 429, headers: { 'retry-after': '31536000' }, text: '' };
    assert.equal(refusalIn('/activate', answer, body)?.retryAfterMs, HOUR_MS);
  });
});

const html = '<html><body>Please sign in to the network of this hotel</body></html>';
const says = (status: number, text: string, headers: object = JSON_HEADERS): Fault => {
  return () => ({ status, text, headers: { ...headers } });
};
const refusal = (error: string) => JSON.stringify({ success: false, valid: false, error });

/** Possible answers of a network, a proxy or a broken server in place of the service. */
const OUTAGES: Readonly<Record<string, Fault>> = {
  'nobody there': DOWN,
  'a page of HTML with 200': says(200, html, { 'content-type': 'text/html' }),
  'a page of HTML with 403': says(403, html, { 'content-type': 'text/html' }),
  'a 403 of a firewall': says(403, JSON.stringify({ error: 'Forbidden' })),
  'a bad gateway': says(502, html),
  'an unavailable service': says(503, refusal('The service is overloaded. Try again shortly.')),
  'a failure of the server': says(500, refusal('Unexpected server failure')),
  'a timeout of the server': says(408, refusal('Request took too long to arrive')),
  'a wish for HTTPS': says(426, refusal('HTTPS is required')),
  'too many requests': says(429, html, { 'retry-after': '5' }),
  'another address': says(404, refusal('Not found')),
  'a redirect': says(302, '', { location: 'https://elsewhere.example' }),
  'nothing at all': says(200, ''),
  'an empty object': says(200, '{}'),
  null: says(200, 'null'),
  'half an answer': says(200, '{"valid":true,"expiresAt":"2030-01-0'),
  'success without fields': says(200, '{"valid":true,"success":true}'),
  'a refusal with 200': says(200, refusal('License has been revoked')),
  'a refusal with 500': says(500, refusal('License has been revoked')),
  'a refusal in other words': says(403, refusal('License revoked')),
  'a license that is not known any more': says(404, refusal('License not found')),
  'a credential that is asked for': says(401, refusal('Unauthorized')),
  'fields that are not understood': says(400, refusal('Missing required fields')),
};

describe('an outage', () => {
  const world = startedWorld();

  for (const [name, fault] of Object.entries(OUTAGES))
    it(`stops no app, and is over by itself: ${name}`, async () => {
      const owned = world.machine(`owner, ${name}`);
      const seated = world.machine(`seat, ${name}`);
      await (await owned.start()).activate(await world.server.license());
      const key = await world.server.license({ licenseType: 'floating', maxConcurrent: 1 });
      await (await seated.start()).activate(key);
      for (const machine of [owned, seated]) machine.fault = fault;
      await world.pass(3 * HOUR_MS);
      assert.equal(seated.app.state.status, 'grace');
      await owned.app.check();
      assert.equal(owned.app.state.status, 'grace');
      for (const machine of [owned, seated]) {
        assert.equal((await machine.start()).mayRun, true);
        machine.fault = null;
      }
      await world.pass(HOUR_MS + MINUTE_MS);
      assert.equal(owned.app.state.status, 'licensed');
      assert.equal(seated.app.state.status, 'licensed');
    });

  it('of one address leads to the next one', async () => {
    const servers = ['https://first.example', 'https://second.example/', 'https://third.example'];
    const machine = world.machine('with three addresses', { server: servers });
    const urls: string[] = [];
    machine.fault = (request) => {
      urls.push(request.url);
      if (request.url.startsWith('https://first')) throw new Error('gone');
      return request.url.startsWith('https://second') ? { status: 502, headers: {}, text: html } : null;
    };
    await (await machine.start()).activate(await world.server.license());
    assert.equal(machine.app.state.status, 'licensed');
    assert.deepEqual(
      urls,
      ['https://first.example', 'https://second.example', 'https://third.example'].map((url) => `${url}/activate`),
    );
  });

  it('stops every app of a revoked license once it has the refusal', async () => {
    const machine = world.machine('revoked');
    const key = await world.server.license();
    await (await machine.start()).activate(key);
    await world.server.admin('/revokeLicense', { licenseKey: key });
    await world.pass(2 * DAY_MS);
    for (const fault of Object.values(OUTAGES)) {
      machine.fault = fault;
      assert.equal((await machine.start()).state.status, 'refused');
    }
  });
});
