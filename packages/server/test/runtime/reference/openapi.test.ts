/** The OpenAPI description: complete, consistent in itself, and true of the service. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { endpoints, sections } from '../../../src/app.ts';
import type { Method } from '../../../src/platform/endpoint/endpoint.ts';
import { codeOf, publishedCodes, refusalCodes, statusesOf, statusOf } from '../../../src/platform/endpoint/refusals.ts';
import { answerableBy, IMPLIED } from '../../../src/runtime/reference/answerable.ts';
import { generatedFiles } from '../../../src/runtime/reference/documents.ts';
import { healthSection } from '../../../src/runtime/reference/health-section.ts';
import { keysSection } from '../../../src/runtime/reference/keys-section.ts';
import { sources } from '../../architecture/sources.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

// biome-ignore lint/suspicious/noExplicitAny: the test reads any part of the description
type Anything = any;

const text = generatedFiles(sections).get('openapi.json') ?? '';
const api: Anything = JSON.parse(text);

/** Every value inside the description, with its key. */
function* parts(value: Anything, key = ''): Generator<{ key: string; value: Anything }> {
  yield { key, value };
  if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) yield* parts(inner, name);
}

const resolve = (value: Anything): Anything =>
  typeof value?.$ref === 'string'
    ? value.$ref
        .slice(2)
        .split('/')
        .reduce((at: Anything, name: string) => at?.[name], api)
    : value;

/** The codes of an operation, each after its status; those of `default` have their own. */
function codesOf(operation: Anything): Set<string> {
  const found = new Set<string>();
  for (const [status, response] of Object.entries(operation.responses)) {
    const codes: string[] = resolve(response).headers['Latchkey-Code']?.schema.enum ?? [];
    assert.equal(new Set(codes).size, codes.length);
    for (const code of codes) {
      const known: number[] = status === 'default' ? api['x-refusals'][code] : [Number(status)];
      for (const each of known) found.add(`${each} ${code}`);
    }
  }
  return found;
}

describe('the OpenAPI description', () => {
  it('has an operation for every method of every endpoint, and of the health addresses', () => {
    const reported = Object.entries<Anything>(api.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const known = [...endpoints, ...keysSection.endpoints, ...healthSection.endpoints].flatMap(({ path, methods }) =>
      methods.map((method) => `${method} ${path}`),
    );
    assert.deepEqual(reported, known);
    const ids = Object.values<Anything>(api.paths).flatMap((item) =>
      Object.values<Anything>(item).map(({ operationId }) => operationId),
    );
    assert.equal(new Set(ids).size, ids.length);
  });

  it('names the things that answers are made of, and refers to them', () => {
    const names = ['License', 'Activation', 'Violation', 'Product', 'Variant', 'DiscountCode', 'ApiKey'];
    for (const name of [...names, 'StudioOrder', 'Seat', 'LicenseSummary', 'Error', 'CheckError'])
      assert.equal(api.components.schemas[name]?.type, 'object', name);
    for (const { key, value } of parts(api))
      if (key === '$ref') assert.ok(resolve({ $ref: value }) !== undefined, `nothing is at ${value}`);
    assert.deepEqual(api.paths['/getLicense'].post.responses['200'], api.paths['/getLicense'].get.responses['200']);
    const { license, activations } = api.components.schemas.GetLicenseReply.properties;
    assert.deepEqual(license, { $ref: '#/components/schemas/License' });
    assert.deepEqual(activations.items, { $ref: '#/components/schemas/Activation' });
  });

  it('says which fields are times and which are one of a few words', () => {
    const { License, Activation, Violation, VerifyReply, CreateLicenseRequest } = api.components.schemas;
    assert.equal(License.properties.createdAt.format, 'date-time');
    assert.deepEqual(License.properties.expiresAt.type, ['string', 'null']);
    assert.equal(License.properties.expiresAt.format, 'date-time');
    assert.equal(Activation.properties.lastSeen.format, 'date-time');
    for (const status of [License.properties.status, VerifyReply.properties.status])
      assert.deepEqual(resolve(status).enum, ['active', 'revoked', 'expired']);
    for (const type of [License.properties.licenseType, CreateLicenseRequest.properties.licenseType])
      assert.equal(type.$ref, '#/components/schemas/LicenseType');
    assert.ok(resolve(Violation.properties.type).enum.includes('machine_limit'));
  });

  it('says that the severity of a violation is from 1 to 4', () => {
    const { Violation, ListViolationsRequest } = api.components.schemas;
    for (const { minimum, maximum } of [
      Violation.properties.severity,
      ListViolationsRequest.properties.minimumSeverity,
    ])
      assert.deepEqual([minimum, maximum], [1, 4]);
  });

  it('says which codes each operation can be refused with, each under its status', () => {
    for (const endpoint of [...endpoints, ...keysSection.endpoints, ...healthSection.endpoints])
      for (const method of endpoint.methods) {
        const codes = codesOf(api.paths[endpoint.path][method.toLowerCase()]);
        const known = answerableBy(endpoint, method as Method);
        assert.deepEqual(codes, new Set(known.map(({ code, status }) => `${status} ${code}`)), endpoint.path);
        for (const each of endpoint.refusals)
          assert.ok(codes.has(`${statusOf(each)} ${codeOf(each)}`), `${endpoint.path} ${each}`);
      }
    assert.deepEqual(api['x-refusals'], Object.fromEntries(publishedCodes.map((code) => [code, statusesOf(code)])));
    assert.ok(codesOf(api.paths['/activate'].post).has('431 headers_too_large'));
    assert.ok(codesOf(api.paths['/heartbeat'].post).has('404 machine_not_activated'));
    assert.ok(codesOf(api.paths['/heartbeat'].post).has('401 invalid_token'));
    assert.ok(!codesOf(api.paths['/activate'].post).has('401 unauthorized'));
  });

  it('knows where each refusal can be met that no endpoint declares but the transport makes', () => {
    const declared = new Set(endpoints.flatMap(({ refusals }) => refusals as readonly string[]));
    const transport = sources.filter(({ room }) =>
      ['runtime/http', 'runtime/dispatch', 'platform/endpoint'].includes(room),
    );
    const unplaced = refusalCodes.filter(
      (code) =>
        !declared.has(code) &&
        !(code in IMPLIED) &&
        !['not_found', 'not_ready', 'metrics_host'].includes(code) &&
        transport.some((source) => source.code.includes(`'${code}'`)),
    );
    assert.deepEqual(unplaced, []);
    assert.equal(statusOf('not_ready'), 503);
  });

  it('says which credentials each operation takes', () => {
    const schemesOf = ({ security = api.security }: Anything) =>
      security.flatMap((each: Anything) => Object.keys(each));
    assert.deepEqual(schemesOf(api.paths['/createLicense'].post), [
      'adminSecret',
      'apiKey',
      'bearer',
      'consoleSession',
    ]);
    assert.deepEqual(schemesOf(api.paths['/createApiKey'].post), ['adminSecret', 'consoleSession']);
    assert.deepEqual(schemesOf(api.paths['/getConsoleSession'].post), ['consoleSession']);
    assert.deepEqual(schemesOf(api.paths['/createConsoleSession'].post), []);
    assert.deepEqual(schemesOf(api.paths['/storefrontWebhook'].post), ['webhookSecret']);
    assert.deepEqual(schemesOf(api.paths['/activate'].post), []);
    assert.deepEqual(schemesOf(api.paths['/healthz'].get), []);
  });

  it('documents the headers that answers carry', () => {
    for (const item of Object.values<Anything>(api.paths))
      for (const operation of Object.values<Anything>(item))
        for (const [status, response] of Object.entries(operation.responses)) {
          const { headers } = resolve(response);
          assert.ok('X-Request-Id' in headers);
          assert.equal('Latchkey-Code' in headers, !['200', '201'].includes(status));
          assert.equal('Retry-After' in headers, ['429', '503', 'default'].includes(status));
        }
  });

  it('describes the further fields that a refusal has', () => {
    const { schema } = api.paths['/redeemSeatCode'].post.responses['409'].content['application/json'];
    const [fuller, plain] = schema.anyOf;
    assert.deepEqual(plain, { $ref: '#/components/schemas/Error' });
    assert.deepEqual(Object.keys(resolve(fuller.allOf[1]).properties), ['redeemedBy', 'redeemedAt']);
  });

  it('shows a request and an answer of every operation', () => {
    for (const { path } of endpoints)
      for (const operation of Object.values<Anything>(api.paths[path])) {
        const [response] = Object.values(operation.responses);
        assert.ok(resolve(response).content['application/json'].example, path);
        if (operation.requestBody) assert.ok(operation.requestBody.content['application/json'].example, path);
      }
  });

  it('names no schema twice and keeps to what JSON Schema knows', () => {
    const known = new Set(['errorText', 'moment', 'component', 'patternProperties']);
    assert.deepEqual(
      [...parts(api)].filter(({ key }) => known.has(key)).map(({ key }) => key),
      [],
    );
  });
});

for (const engine of engines)
  describe(`the description, ${engine}`, () => {
    const app = startedApp(engine);

    it('is served as it is committed, in at most 5 KiB an endpoint and 1 KiB an event', async () => {
      const { status, headers, body } = await app.send('/openapi.json', undefined, { method: 'GET' });
      assert.equal(status, 200);
      assert.match(String(headers['content-type']), /^application\/json/);
      assert.deepEqual(body, api);
      const most = 5120 * (endpoints.length + 6) + 1024 * Object.keys(api.webhooks).length;
      assert.ok(Number(headers['content-length']) < most, `${headers['content-length']}`);
    });

    it('is true of the health addresses', async () => {
      for (const { path, reply, example } of healthSection.endpoints) {
        const { status, body } = await app.send(path, undefined, { method: 'GET' });
        assert.equal(status, 200);
        assert.ok(Compile(reply).Check(body), path);
        assert.deepEqual(body, example.reply);
      }
    });
  });
