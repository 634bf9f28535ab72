import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { ConfigError } from '../../../src/runtime/config/config.ts';
import type { Environment } from '../../../src/runtime/config/names.ts';
import { readConfig } from '../../../src/runtime/config/read-config.ts';
import { openSecrets } from '../../../src/runtime/config/secrets.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = temporaryFolder();

/** The settings of a node that keeps nothing on its disk. */
const KEEPS_NOTHING = {
  DATABASE_URL: 'postgres://database/latchkey',
  LATCHKEY_TRUST_PROXY: '10.0.0.1',
  LATCHKEY_ADMIN_SECRET: 'given-to-the-administrator',
  LATCHKEY_WEBHOOK_SECRET: 'given-to-the-storefront',
};

/** A data directory that does not exist yet, and its configuration. */
function fresh(name: string, environment: Environment = {}) {
  const directory = join(root, name, 'data');
  return { directory, config: readConfig({ LATCHKEY_DATA_DIR: directory, ...environment }) };
}

const mode = (file: string) => statSync(file).mode & 0o777;

test('the first start makes the data directory and two secrets, for the owner alone', () => {
  const { directory, config } = fresh('first');
  const secrets = openSecrets(config);
  assert.match(secrets.adminSecret, /^lka_[\w-]{43}$/);
  assert.match(secrets.webhookSecret, /^lkw_[\w-]{43}$/);
  assert.equal(secrets.adminSecretFile, join(directory, 'admin-secret'));
  assert.equal(secrets.webhookSecretFile, join(directory, 'webhook-secret'));
  assert.deepEqual(secrets.warnings, []);
  assert.deepEqual(readdirSync(directory).sort(), ['admin-secret', 'webhook-secret']);
  assert.deepEqual([mode(directory), mode(join(directory, 'admin-secret'))], [0o700, 0o600]);
  assert.equal(mode(join(directory, 'webhook-secret')), 0o600);
});

test('later starts find the same secrets', () => {
  const { config } = fresh('later');
  assert.deepEqual(openSecrets(config), openSecrets(config));
});

test('a secret that the operator wrote into the file is used, without the line break at its end', () => {
  const { directory, config } = fresh('written');
  openSecrets(config);
  writeFileSync(join(directory, 'admin-secret'), 'chosen by the operator\r\n');
  assert.equal(openSecrets(config).adminSecret, 'chosen by the operator');
});

test('given secrets are used, and no file is made for them', () => {
  const { directory, config } = fresh('given', {
    LATCHKEY_ADMIN_SECRET: 'given-to-the-administrator',
    LATCHKEY_WEBHOOK_SECRET: 'given-to-the-storefront',
  });
  assert.deepEqual(openSecrets(config), {
    adminSecret: 'given-to-the-administrator',
    webhookSecret: 'given-to-the-storefront',
    adminSecretFile: null,
    webhookSecretFile: null,
    warnings: [],
  });
  assert.deepEqual(readdirSync(directory), []);
});

test('a node that keeps nothing makes no data directory', () => {
  const { directory, config } = fresh('nothing', KEEPS_NOTHING);
  assert.deepEqual(openSecrets(config).warnings, []);
  assert.equal(existsSync(directory), false);
});

for (const [kept, environment] of [
  ['its database', { DATABASE_URL: undefined }],
  ['its certificate', { LATCHKEY_TRUST_PROXY: undefined }],
  ['the admin secret', { LATCHKEY_ADMIN_SECRET: undefined }],
  ['the webhook secret', { LATCHKEY_WEBHOOK_SECRET: undefined }],
] as const)
  test(`a node that keeps nothing but ${kept} makes the data directory`, () => {
    const { directory, config } = fresh(`only ${kept}`, { ...KEEPS_NOTHING, ...environment });
    openSecrets(config);
    assert.equal(mode(directory), 0o700);
  });

test('a node on PostgreSQL is warned about secrets that other nodes do not have', () => {
  const { config } = fresh('node', { DATABASE_URL: 'postgres://database/latchkey' });
  const { warnings } = openSecrets(config);
  assert.equal(warnings.length, 2);
  for (const warning of warnings) assert.match(warning, /only this node knows the secret in /);
});

test('a file that others can read causes a warning and is left unchanged', () => {
  const { directory, config } = fresh('open');
  openSecrets(config);
  chmodSync(directory, 0o755);
  chmodSync(join(directory, 'webhook-secret'), 0o640);
  const { warnings } = openSecrets(config);
  assert.equal(warnings.length, 2);
  assert.ok(warnings[0]?.startsWith(`${directory} is open to other users of this machine (mode 0755)`));
  assert.ok(warnings[1]?.startsWith(`${join(directory, 'webhook-secret')} is open to other users`));
  assert.deepEqual([mode(directory), mode(join(directory, 'webhook-secret'))], [0o755, 0o640]);
});

test('files without a usable secret are errors, all named at once and not shown', () => {
  const { directory, config } = fresh('unusable');
  openSecrets(config);
  writeFileSync(join(directory, 'admin-secret'), 'too short');
  writeFileSync(join(directory, 'webhook-secret'), '');
  assert.throws(
    () => openSecrets(config),
    (error) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual(error.errors, [
        `the secret in ${join(directory, 'admin-secret')} must have 16 to 256 characters`,
        `the secret in ${join(directory, 'webhook-secret')} must have 16 to 256 characters`,
      ]);
      return true;
    },
  );
});

test('a given secret that is the same as the kept one is an error', () => {
  const { directory, config } = fresh('same');
  const { adminSecret } = openSecrets(config);
  const same = readConfig({ LATCHKEY_DATA_DIR: directory, LATCHKEY_WEBHOOK_SECRET: adminSecret });
  assert.throws(() => openSecrets(same), /the webhook secret must differ from the admin secret/);
});

test('a previous secret that is the kept one of the other kind is an error', () => {
  const { directory, config } = fresh('previous');
  const { adminSecret, webhookSecret } = openSecrets(config);
  const read = (environment: Environment) => () =>
    openSecrets(readConfig({ LATCHKEY_DATA_DIR: directory, ...environment }));
  assert.throws(read({ LATCHKEY_ADMIN_SECRET_PREVIOUS: webhookSecret }), /must differ from LATCHKEY_ADMIN_SECRET_PRE/);
  assert.throws(
    read({ LATCHKEY_WEBHOOK_SECRET_PREVIOUS: adminSecret }),
    /must differ from LATCHKEY_WEBHOOK_SECRET_PRE/,
  );
});

test('a previous secret that is still accepted is reported, but not shown', () => {
  const { config } = fresh('reminded', {
    LATCHKEY_ADMIN_SECRET_PREVIOUS: 'the admin secret of last year',
    LATCHKEY_WEBHOOK_SECRET_PREVIOUS: 'the webhook secret of last year',
  });
  assert.deepEqual(
    openSecrets(config).warnings,
    ['LATCHKEY_ADMIN_SECRET_PREVIOUS', 'LATCHKEY_WEBHOOK_SECRET_PREVIOUS'].map(
      (name) => `the secret in ${name} is still accepted; remove it when nobody uses it any more`,
    ),
  );
});

test('a data directory that cannot be made is an error that names the variable', () => {
  const file = join(root, 'a-file');
  writeFileSync(file, '');
  const config = readConfig({ LATCHKEY_DATA_DIR: join(file, 'data') });
  assert.throws(
    () => openSecrets(config),
    /^ConfigError: LATCHKEY_DATA_DIR names .*, which cannot be created \(ENOTDIR\)$/,
  );
});

test('processes that start together agree on the secrets', async () => {
  const { directory, config } = fresh('together');
  const program = `
    const { readConfig } = await import(${JSON.stringify(import.meta.resolve('../../../src/runtime/config/read-config.ts'))});
    const { openSecrets } = await import(${JSON.stringify(import.meta.resolve('../../../src/runtime/config/secrets.ts'))});
    const { adminSecret, webhookSecret } = openSecrets(readConfig({ LATCHKEY_DATA_DIR: process.argv[1] }));
    console.log(adminSecret, webhookSecret);
  `;
  const run = promisify(execFile);
  const starts = Array.from({ length: 4 }, () =>
    run(process.execPath, ['--input-type=module', '-e', program, directory]),
  );
  const seen = new Set((await Promise.all(starts)).map(({ stdout }) => stdout.trim()));
  const { adminSecret, webhookSecret } = openSecrets(config);
  assert.deepEqual([...seen], [`${adminSecret} ${webhookSecret}`]);
  assert.equal(readFileSync(join(directory, 'admin-secret'), 'utf8'), `${adminSecret}\n`);
  assert.deepEqual(readdirSync(directory).sort(), ['admin-secret', 'webhook-secret']);
});
