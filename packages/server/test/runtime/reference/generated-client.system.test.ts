/**
 * Clients that a code generator makes from the two descriptions: their types fit without a cast, and they call the
 * real service. The generator comes with the linter of the descriptions and needs no network.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sections } from '../../../src/app.ts';
import { generatedFiles } from '../../../src/runtime/reference/documents.ts';
import { asOpenApi30 } from '../../../src/runtime/reference/openapi-3.0.ts';
import { ADMIN_SECRET, startApp, type TestApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const QUIET = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Runs a program of the workspace's packages. */
function runTool(name: string, args: readonly string[]) {
  return run(join(ROOT, 'node_modules', '.bin', name), args, { cwd: ROOT, env: QUIET, maxBuffer: 4_000_000 });
}

/** A vendor's program: it issues a license, activates it, and reads fields that may be null. */
const PROGRAM = `
import { ApiError, activate, client, configure, createLicense, explainLicense, getLicense, validate } from './client.ts';
import type { EndpointCheck, License } from './client.ts';

const [serverUrl = '', adminSecret = ''] = process.argv.slice(2);
configure({ serverUrl });
client.auth.apiKey('adminSecret', adminSecret);
const { licenseKey } = await createLicense({ body: { email: 'ada@example.com', productId: 'app' } });
const machine = { licenseKey, machineFingerprint: 'machine-1' };
const asked = { ...machine, hostname: 'desk', productId: 'app' };
const { token } = await activate({ body: asked });
const validated: { daysRemaining: number | null } = await validate({ body: { ...machine, token } });
const { license, activations } = await getLicense({ body: { licenseKey } });
const expiresAt: string | null = license.expiresAt;
const disputeReason: string | null = license.disputeReason;
const [check] = (await explainLicense({ body: { licenseKey } })).checks;
const attempts: number | undefined = check?.because?.attempts;
type Nullable<Field> = null extends Field ? true : never;
const nullable: [
  Nullable<License['expiresAt']>,
  Nullable<License['disputeReason']>,
  Nullable<License['maxConcurrent']>,
  Nullable<EndpointCheck['because']>,
] = [true, true, true, true];
const refused = await activate({ body: { ...asked, licenseKey: 'AAAA-BBBB-CCCC' } }).catch((error: unknown) => error);
console.log(
  JSON.stringify({
    daysRemaining: validated.daysRemaining,
    expiresAt,
    disputeReason,
    attempts: attempts ?? null,
    nullable,
    machines: activations.map(({ hostname }) => hostname),
    refused: refused instanceof ApiError ? refused.status : String(refused),
  }),
);
`;

const FORMS = [
  { file: 'openapi.json', text: generatedFiles(sections).get('openapi.json') ?? '' },
  {
    file: 'openapi-3.0.json',
    text: JSON.stringify(asOpenApi30(JSON.parse(generatedFiles(sections).get('openapi.json') ?? ''))),
  },
];

describe('a generated client', () => {
  let folder: string;
  const apps = new Map<string, TestApp>();
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-generated-'));
    for (const engine of engines) apps.set(engine, await startApp(engine));
  });
  after(async () => {
    for (const app of apps.values()) await app.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const { file, text } of FORMS)
    it(`from ${file} has types for nullable fields, and calls the service`, async () => {
      const place = await mkdtemp(join(folder, 'client-'));
      await writeFile(join(place, 'package.json'), '{ "type": "module" }');
      await writeFile(join(place, file), text);
      await writeFile(join(place, 'program.ts'), PROGRAM);
      await runTool('redocly', [
        'generate-client',
        join(place, file),
        '--output',
        join(place, 'client.ts'),
        '--import-ext',
        'ts',
      ]);
      const nodeTypes = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
      const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext', '--skipLibCheck'];
      await runTool('tsc', [...options, ...nodeTypes, '--allowImportingTsExtensions', join(place, 'program.ts')]);
      for (const [engine, app] of apps) {
        const { stdout } = await run(
          process.execPath,
          [join(place, 'program.ts'), `https://localhost:${app.port}`, ADMIN_SECRET],
          { env: { ...process.env, NODE_EXTRA_CA_CERTS: join(app.directory, 'tls-cert.pem') } },
        );
        const expected = {
          daysRemaining: null,
          expiresAt: null,
          disputeReason: null,
          attempts: null,
          nullable: [true, true, true, true],
          machines: ['desk'],
          refused: 404,
        };
        assert.deepEqual(JSON.parse(stdout), expected, engine);
      }
    });
});

describe('the OpenAPI 3.0 form', () => {
  const [described, earlier] = FORMS.map(({ text }) => JSON.parse(text));

  it('is served, and is the one that the clients are made from', async () => {
    const app = await startApp('sqlite');
    const { status, body } = await app.send('/openapi-3.0.json', undefined, { method: 'GET' });
    await app.stop();
    assert.equal(status, 200);
    assert.equal(body.openapi, '3.0.3');
    assert.deepEqual(body, earlier);
  });

  it('has the operations of the 3.1 description, and a strict linter finds it and its examples in order', async () => {
    const operations = ({ paths }: typeof described) =>
      Object.entries<object>(paths).map(([path, item]) => [path, ...Object.keys(item)]);
    assert.deepEqual(operations(earlier), operations(described));
    const place = await mkdtemp(join(tmpdir(), 'latchkey-openapi-'));
    const file = join(place, 'openapi-3.0.json');
    await writeFile(file, JSON.stringify(earlier));
    await runTool('redocly', ['lint', '--config', join(ROOT, 'redocly.yaml'), file]);
    await rm(place, { recursive: true });
  });

  it('says which fields may be null in the words of 3.0', () => {
    const { License } = earlier.components.schemas;
    assert.deepEqual(License.properties.expiresAt, {
      type: 'string',
      nullable: true,
      format: 'date-time',
      description: 'Null is perpetual.',
    });
    assert.deepEqual(License.properties.disputeReason, {
      type: 'string',
      nullable: true,
      description: 'Set by a refund or chargeback. One of: refund, chargeback.',
    });
    assert.ok(!JSON.stringify(earlier).includes('"const"'));
  });

  it('refuses a keyword whose 3.0 form is not known, so that none is left out in silence', () => {
    const { schemas } = described.components;
    const License = { ...schemas.License, unevaluatedProperties: false };
    const withMore = { ...described, components: { ...described.components, schemas: { ...schemas, License } } };
    assert.throws(() => asOpenApi30(withMore), /unevaluatedProperties/);
  });
});
