import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { ConfigError } from '../src/runtime/config/config.ts';
import { checkFiles } from '../src/runtime/config/named-files.ts';
import type { Environment } from '../src/runtime/config/names.ts';
import { loadConfig, readConfig } from '../src/runtime/config/read-config.ts';
import { DEFAULTS } from '../src/runtime/config/variables.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const directory = temporaryFolder();

/** The errors that reading `environment` names; none when it is accepted. */
function errorsOf(environment: Environment, read = readConfig): readonly string[] {
  try {
    read(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    assert.equal(error.message, error.errors.join('\n'));
    return error.errors;
  }
}

describe('an environment that says nothing', () => {
  test('gives the documented defaults', () => {
    assert.deepEqual(readConfig({ INIT_CWD: '/srv' }), {
      host: 'localhost',
      port: 8443,
      dataDirectory: '/srv/data',
      backupMark: '/srv/data/last-backup',
      database: { engine: 'sqlite', file: '/srv/data/latchkey.db' },
      adminSecret: null,
      webhookSecret: null,
      previousAdminSecret: null,
      previousWebhookSecret: null,
      tlsFiles: null,
      trustedProxies: null,
      addressHeader: null,
      tokenLifetimeMs: 30 * 86_400_000,
      floatingTimeoutMs: 15 * 60_000,
      licenseFiles: { lifetimeMs: 30 * 86_400_000, floatingLifetimeMs: 86_400_000, leewayMs: 3 * 86_400_000 },
      signingKeyFile: null,
      corsOrigins: null,
      eventRetentionMs: 400 * 86_400_000,
      requestTimeoutMs: 30_000,
      drainTimeMs: 0,
      limits: {
        callsPerConnection: 64,
        callsPerNetwork: 64,
        connections: null,
        connectionsPerNetwork: 2000,
        unsentBytes: 64 * 1024 ** 2,
        queueWaitMs: 2_000,
        trialsPerHour: 60,
        keylessTrials: { ofNetwork: 20, ofProduct: 1000 },
        wrongSecretsPerMinute: 20,
      },
      creatorQuotas: { saves: 50_000, products: 1_000, variants: 2_000, codes: 10_000, licenses: 20_000, notes: 50 },
      creatorsMayCreateProducts: true,
      creatorsMayCreateDestinations: true,
      secretsKey: null,
      deliveries: {
        isOn: true,
        perSecond: 500,
        expiryNoticesMs: [7 * 86_400_000, 86_400_000],
        giveUpMs: 432_000_000,
        networks: [],
        deniedNetworks: [],
        caFile: null,
        nameServers: null,
      },
      mail: null,
      mailsStorefront: false,
      operatorNotices: null,
      publicUrl: null,
      selfService: null,
      console: { label: null, takesAdminSecret: true },
      oidc: null,
      countryHeader: null,
      geoipFile: null,
      logLevel: 'info',
      metrics: null,
    });
  });

  test('and one full of empty strings are the same', () => {
    const empty = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, '']));
    assert.deepEqual(readConfig({ ...empty, LATCHKEY_TYPO: '' }), readConfig({}));
  });

  test('starts relative paths at the working directory where npm names no other', () => {
    assert.equal(readConfig({}).dataDirectory, resolve('data'));
  });
});

describe('an environment that says everything', () => {
  test('is read whole', () => {
    const config = readConfig({
      HOST: '::',
      PORT: '0',
      DATABASE_URL: 'postgresql://latchkey:hidden@database/latchkey?sslmode=require',
      LATCHKEY_DATABASE_WAIT: '5m',
      LATCHKEY_DATA_DIR: '/var/lib/latchkey',
      LATCHKEY_ADMIN_SECRET: 'a secret of the administrator',
      LATCHKEY_ADMIN_SECRET_PREVIOUS: 'an older admin secret',
      LATCHKEY_WEBHOOK_SECRET: 'sixteen-letters!',
      LATCHKEY_WEBHOOK_SECRET_PREVIOUS: 'an older webhook secret',
      LATCHKEY_TLS_CERT_FILE: '/etc/tls/cert.pem',
      LATCHKEY_TLS_KEY_FILE: 'key.pem',
      LATCHKEY_TOKEN_LIFETIME: '12h',
      LATCHKEY_FLOATING_TIMEOUT: '90s',
      LATCHKEY_LICENSE_FILE_LIFETIME: '7d',
      LATCHKEY_FLOATING_FILE_LIFETIME: 'off',
      LATCHKEY_LICENSE_FILE_LEEWAY: '0s',
      LATCHKEY_SIGNING_KEY_FILE: 'signing.pem',
      LATCHKEY_CORS_ORIGINS: 'https://app.example.com, tauri://localhost',
      LATCHKEY_EVENT_RETENTION: '30d',
      LATCHKEY_EXPIRY_NOTICES: '1d, 365d',
      LATCHKEY_REQUEST_TIMEOUT: '5s',
      LATCHKEY_DRAIN_TIME: '20s',
      LATCHKEY_CONNECTION_CALLS: 'off',
      LATCHKEY_NETWORK_CALLS: '8',
      LATCHKEY_CONNECTIONS: '500',
      LATCHKEY_NETWORK_CONNECTIONS: 'off',
      LATCHKEY_UNSENT_BYTES: '16M',
      LATCHKEY_QUEUE_WAIT: '5s',
      LATCHKEY_TRIAL_RATE: '9',
      LATCHKEY_KEYLESS_TRIAL_RATE: '8',
      LATCHKEY_PRODUCT_TRIAL_RATE: '80',
      LATCHKEY_WRONG_SECRET_RATE: 'off',
      LATCHKEY_CREATOR_SAVES: '6',
      LATCHKEY_CREATOR_PRODUCTS: '1',
      LATCHKEY_CREATOR_VARIANTS: '2',
      LATCHKEY_CREATOR_CODES: '3',
      LATCHKEY_CREATOR_LICENSES: '4',
      LATCHKEY_CREATOR_NOTES: 'off',
      LATCHKEY_CREATORS_MAY_CREATE_PRODUCTS: 'off',
      LATCHKEY_CREATORS_MAY_CREATE_DESTINATIONS: 'off',
      LATCHKEY_SECRETS_KEY: 'a key that seals secrets',
      LATCHKEY_DELIVERIES: 'off',
      LATCHKEY_DELIVERY_RATE: 'off',
      LATCHKEY_DELIVERY_GIVE_UP: '12h',
      LATCHKEY_DELIVERY_NETWORKS: '10.2.0.0/16, fd00::/8,192.168.1.7',
      LATCHKEY_DELIVERY_DENY_NETWORKS: '203.0.113.0/24',
      LATCHKEY_DELIVERY_CA_FILE: '/ca.pem',
      LATCHKEY_DELIVERY_DNS: '192.0.2.53, 192.0.2.54:5353,[2001:db8::53]:53,2001:db8::54',
      LATCHKEY_SMTP_URL: 'smtps://mailer%40shop.example:p%40ss%3Aword%2F%25@[2001:db8::25]:2465',
      LATCHKEY_SMTP_CA_FILE: '/mail-ca.pem',
      LATCHKEY_MAIL_FROM: 'Müller & Söhne <licenses@shop.example>',
      LATCHKEY_MAIL_RATE: '50',
      LATCHKEY_MAIL_STOREFRONT: 'on',
      LATCHKEY_OPERATOR_EMAIL: 'ops@example.com, you@example.com',
      LATCHKEY_OPERATOR_NOTICES: 'digest, mails_failed',
      LATCHKEY_PUBLIC_URL: 'https://Licenses.example.com/',
      LATCHKEY_SELF_SERVICE: 'shops',
      LATCHKEY_SELF_SERVICE_RELEASES: 'off',
      LATCHKEY_SELF_SERVICE_FILES: 'on',
      LATCHKEY_CONSOLE: 'on',
      LATCHKEY_CONSOLE_LABEL: 'staging',
      LATCHKEY_CONSOLE_SECRET_SIGN_IN: 'off',
      LATCHKEY_OIDC_ISSUER: 'https://login.example.com/realms/shop',
      LATCHKEY_OIDC_CLIENT_ID: 'latchkey',
      LATCHKEY_OIDC_CLIENT_SECRET: 'hidden',
      LATCHKEY_OIDC_ROLES: 'owner:groups=admins, creator/a%3Ada:email=ada@example.com',
      LATCHKEY_OIDC_SCOPES: 'openid  email groups',
      LATCHKEY_OIDC_NAME: 'Example',
      LATCHKEY_OIDC_CA_FILE: '/login-ca.pem',
      LATCHKEY_COUNTRY_HEADER: 'CF-IPCountry',
      LATCHKEY_GEOIP_FILE: '../countries.mmdb',
      LATCHKEY_BACKUP_MARK: '/backups/mark',
      LATCHKEY_LOG_LEVEL: 'trace',
      LATCHKEY_METRICS_PORT: '9464',
      LATCHKEY_METRICS_HOST: '::',
      LATCHKEY_METRICS_NAMES: 'node-1, node-1.example',
      LATCHKEY_POSTGRES_POOL: '25',
      LATCHKEY_POSTGRES_RESERVED: '6',
      INIT_CWD: '/srv/latchkey',
    });
    assert.deepEqual(config, {
      host: '::',
      port: 0,
      dataDirectory: '/var/lib/latchkey',
      backupMark: '/backups/mark',
      database: {
        engine: 'postgres',
        url: 'postgresql://latchkey:hidden@database/latchkey?sslmode=require',
        poolSize: 25,
        reservedConnections: 6,
        waitMs: 300_000,
      },
      adminSecret: 'a secret of the administrator',
      webhookSecret: 'sixteen-letters!',
      previousAdminSecret: 'an older admin secret',
      previousWebhookSecret: 'an older webhook secret',
      tlsFiles: { certificateFile: '/etc/tls/cert.pem', keyFile: '/srv/latchkey/key.pem' },
      trustedProxies: null,
      addressHeader: null,
      tokenLifetimeMs: 43_200_000,
      floatingTimeoutMs: 90_000,
      licenseFiles: { lifetimeMs: 7 * 86_400_000, floatingLifetimeMs: null, leewayMs: 0 },
      signingKeyFile: '/srv/latchkey/signing.pem',
      corsOrigins: new Set(['https://app.example.com', 'tauri://localhost']),
      eventRetentionMs: 30 * 86_400_000,
      requestTimeoutMs: 5_000,
      drainTimeMs: 20_000,
      limits: {
        callsPerConnection: null,
        callsPerNetwork: 8,
        connections: 500,
        connectionsPerNetwork: null,
        unsentBytes: 16 * 1024 ** 2,
        queueWaitMs: 5_000,
        trialsPerHour: 9,
        keylessTrials: { ofNetwork: 8, ofProduct: 80 },
        wrongSecretsPerMinute: null,
      },
      creatorQuotas: { saves: 6, products: 1, variants: 2, codes: 3, licenses: 4, notes: null },
      creatorsMayCreateProducts: false,
      creatorsMayCreateDestinations: false,
      secretsKey: 'a key that seals secrets',
      deliveries: {
        isOn: false,
        perSecond: null,
        expiryNoticesMs: [86_400_000, 365 * 86_400_000],
        giveUpMs: 43_200_000,
        networks: ['10.2.0.0/16', 'fd00::/8', '192.168.1.7/32'],
        deniedNetworks: ['203.0.113.0/24'],
        caFile: '/ca.pem',
        nameServers: ['192.0.2.53', '192.0.2.54:5353', '[2001:db8::53]:53', '2001:db8::54'],
      },
      mail: {
        server: {
          host: '2001:db8::25',
          port: 2465,
          isSecure: true,
          login: { user: 'mailer@shop.example', password: 'p@ss:word/%' },
        },
        ownName: 'licenses.example.com',
        isPlain: false,
        caFile: '/mail-ca.pem',
        from: { name: 'Müller & Söhne', address: 'licenses@shop.example' },
        perHour: 50,
      },
      mailsStorefront: true,
      operatorNotices: { addresses: ['ops@example.com', 'you@example.com'], kinds: ['mails_failed', 'digest'] },
      publicUrl: 'https://licenses.example.com',
      selfService: {
        mode: 'shops',
        maxReleases: null,
        makesFiles: true,
        publicUrl: 'https://licenses.example.com',
      },
      console: { label: 'staging', takesAdminSecret: false },
      oidc: {
        issuer: 'https://login.example.com/realms/shop',
        clientId: 'latchkey',
        clientSecret: 'hidden',
        scopes: 'openid email groups',
        grants: [
          { claim: 'groups', value: 'admins', rights: { kind: 'operator', role: 'owner' } },
          { claim: 'email', value: 'ada@example.com', rights: { kind: 'creator', creatorId: 'a:da' } },
        ],
        name: 'Example',
        caFile: '/login-ca.pem',
        publicUrl: 'https://licenses.example.com',
      },
      countryHeader: 'cf-ipcountry',
      geoipFile: '/srv/countries.mmdb',
      logLevel: 'trace',
      metrics: { host: '::', port: 9464, names: ['node-1', 'node-1.example'] },
    });
  });

  test('cannot be changed once read', () => {
    const config = readConfig({ LATCHKEY_TLS_CERT_FILE: '/c', LATCHKEY_TLS_KEY_FILE: '/k' });
    assert.ok(Object.isFrozen(config) && Object.isFrozen(config.database) && Object.isFrozen(config.tlsFiles));
  });

  test('trusts the proxies it names, in both families, and nobody else', () => {
    const { trustedProxies } = readConfig({ LATCHKEY_TRUST_PROXY: '192.0.2.7, 10.0.0.0/8,fd00::/8 ,2001:db8::1' });
    for (const address of ['192.0.2.7', '10.255.0.1']) assert.ok(trustedProxies?.check(address, 'ipv4'), address);
    for (const address of ['fd12::9', '2001:db8::1', '::ffff:10.1.2.3']) {
      assert.ok(trustedProxies?.check(address, 'ipv6'), address);
    }
    for (const address of ['192.0.2.8', '11.0.0.1'])
      assert.equal(trustedProxies?.check(address, 'ipv4'), false, address);
    assert.equal(trustedProxies?.check('2001:db8::2', 'ipv6'), false);
  });

  test('takes the least and the most bytes of unsent answers', () => {
    for (const mebibytes of [4, 4096])
      assert.equal(readConfig({ LATCHKEY_UNSENT_BYTES: `${mebibytes}M` }).limits.unsentBytes, mebibytes * 1024 ** 2);
  });

  test('recognises IPv4 proxies that are written as IPv6', () => {
    const { trustedProxies } = readConfig({ LATCHKEY_TRUST_PROXY: '::ffff:192.0.2.7,::ffff:a00:0/104' });
    for (const address of ['192.0.2.7', '10.255.0.1']) assert.ok(trustedProxies?.check(address, 'ipv4'), address);
    for (const address of ['192.0.2.8', '11.0.0.1'])
      assert.equal(trustedProxies?.check(address, 'ipv4'), false, address);
    assert.match(errorsOf({ LATCHKEY_TRUST_PROXY: '::ffff:0.0.0.0/96' }).join(), /no \/0/);
  });
});

describe('self-service', () => {
  test('is refused by name without what it needs', () => {
    assert.deepEqual(errorsOf({ LATCHKEY_SELF_SERVICE: 'on' }), [
      'LATCHKEY_PUBLIC_URL must be set too when LATCHKEY_SELF_SERVICE is on',
    ]);
    const onPostgres = { DATABASE_URL: 'postgres://db/latchkey', LATCHKEY_PUBLIC_URL: 'https://example.com' };
    assert.deepEqual(errorsOf({ LATCHKEY_SELF_SERVICE: 'shops', ...onPostgres }), [
      'LATCHKEY_SECRETS_KEY must be set too when LATCHKEY_SELF_SERVICE is shops on PostgreSQL',
    ]);
  });
});

describe('a value of the wrong form', () => {
  const wrong: Partial<Record<keyof typeof DEFAULTS, readonly string[]>> = {
    HOST: ['[::1]', 'localhost:8443', 'https://localhost', '300.1.1.1', '-a.example', ' localhost'],
    PORT: ['-1', '65536', '80a', '8443.5', '0x50', ' 8443'],
    DATABASE_URL: ['mysql://database/latchkey', 'latchkey.db', 'postgres:latchkey', 'postgres://a:b:c'],
    LATCHKEY_DATA_DIR: [' /data', '/data\n'],
    LATCHKEY_PUBLIC_URL: [
      'http://example.com',
      'https://example.com/my/licenses',
      'https://example.com/a/../b',
      'https://example.com/a?b',
      'https://a:b@example.com',
      'example.com',
    ],
    LATCHKEY_SELF_SERVICE: ['yes', 'ON'],
    LATCHKEY_SELF_SERVICE_RELEASES: ['0', '1001', 'none'],
    LATCHKEY_ADMIN_SECRET: [
      'fifteen-letters',
      ' sixteen-letters',
      'sixteen-letters\t',
      'fünfzehn-und-mehr',
      'x'.repeat(257),
    ],
    LATCHKEY_WEBHOOK_SECRET: ['fifteen-letters', 'line\nbreak within it'],
    LATCHKEY_TRUST_PROXY: [
      'proxy.example',
      '10.0.0.0/33',
      'fd00::/129',
      '0.0.0.0/0',
      '::/0',
      '10.0.0.1,',
      '10.0.0.1/',
      'fe80::1%1',
    ],
    LATCHKEY_TOKEN_LIFETIME: ['30', '30 d', '1w', '59s', '367d', '0d', '-1d', '1.5h', 'd'],
    LATCHKEY_FLOATING_TIMEOUT: ['9s', '25h', '15min'],
    LATCHKEY_LICENSE_FILE_LIFETIME: ['59m', '367d', 'never'],
    LATCHKEY_FLOATING_FILE_LIFETIME: ['59s', '31d', '1'],
    LATCHKEY_LICENSE_FILE_LEEWAY: ['31d', 'off', '-1d'],
    LATCHKEY_SIGNING_KEY_FILE: ['-----BEGIN PRIVATE KEY-----'],
    LATCHKEY_CORS_ORIGINS: [
      'app.example.com',
      'https://app.example.com/',
      'https://App.example.com',
      'https://a,',
      '*,https://a',
    ],
    LATCHKEY_EXPIRY_NOTICES: ['7', '0d', '366d', '12h', '7d,7d', '7d,', '1d,2d,3d,4d,5d,6d', 'on', '7d,off'],
    LATCHKEY_REQUEST_TIMEOUT: ['0s', '11m', '30'],
    LATCHKEY_DRAIN_TIME: ['0', '11m', '-1s'],
    LATCHKEY_COUNTRY_HEADER: ['cf ipcountry', 'country:'],
    LATCHKEY_LOG_LEVEL: ['verbose', 'INFO', 'silent'],
    LATCHKEY_METRICS_PORT: ['on', '65536', '-1', 'localhost:9464'],
    LATCHKEY_DATABASE_WAIT: ['60', '61m', 'on', '-1s'],
    LATCHKEY_POSTGRES_POOL: ['0', '1001', 'ten'],
    LATCHKEY_POSTGRES_RESERVED: ['0', '1000', 'none'],
    LATCHKEY_CONNECTION_CALLS: ['0', 'OFF'],
    LATCHKEY_NETWORK_CALLS: ['-1', 'unlimited'],
    LATCHKEY_CONNECTIONS: ['0', 'off'],
    LATCHKEY_NETWORK_CONNECTIONS: ['0', 'all'],
    LATCHKEY_UNSENT_BYTES: ['3M', '4097M', '64', '64m', 'off'],
    LATCHKEY_QUEUE_WAIT: ['999', '0s', '2m'],
    LATCHKEY_TRIAL_RATE: ['0', 'on'],
    LATCHKEY_KEYLESS_TRIAL_RATE: ['0', 'on'],
    LATCHKEY_PRODUCT_TRIAL_RATE: ['0', 'on'],
    LATCHKEY_WRONG_SECRET_RATE: ['1.5', '100001'],
    LATCHKEY_CREATOR_SAVES: ['0'],
    LATCHKEY_CREATOR_PRODUCTS: ['0'],
    LATCHKEY_CREATOR_VARIANTS: ['0'],
    LATCHKEY_CREATOR_CODES: ['0'],
    LATCHKEY_CREATOR_LICENSES: ['0'],
    LATCHKEY_CREATOR_NOTES: ['0'],
    LATCHKEY_CREATORS_MAY_CREATE_PRODUCTS: ['yes', '1', 'ON'],
    LATCHKEY_CREATORS_MAY_CREATE_DESTINATIONS: ['yes'],
    LATCHKEY_SECRETS_KEY: ['short'],
    LATCHKEY_DELIVERIES: ['yes'],
    LATCHKEY_DELIVERY_RATE: ['0', '10001', 'none'],
    LATCHKEY_DELIVERY_GIVE_UP: ['5', '59m', '31d'],
    LATCHKEY_MAIL_RATE: ['0', '1000001', 'many'],
    LATCHKEY_DELIVERY_NETWORKS: ['internal', '10.0.0.0/0', '10.0.0.0/33', '10.0.0/8', '10.0.0.0/8,'],
    LATCHKEY_DELIVERY_DENY_NETWORKS: ['example.com'],
    LATCHKEY_DELIVERY_CA_FILE: ['-----BEGIN CERTIFICATE-----'],
    LATCHKEY_DELIVERY_DNS: ['dns.example', '192.0.2.53:x', '[192.0.2.53'],
    LATCHKEY_CONSOLE: ['no', '0', 'OFF'],
    LATCHKEY_CONSOLE_LABEL: [' staging', 'x'.repeat(41), 'two\nlines'],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      test(`${name}=${JSON.stringify(value.slice(0, 40))} is one error, which names the variable`, () => {
        const errors = errorsOf({ [name]: value });
        assert.equal(errors.length, 1);
        assert.ok(errors.join().startsWith(`${name} `), errors.join());
        assert.doesNotMatch(errors.join(), /\n/);
      });
    }
  }

  test('is shown, with the accepted values', () => {
    assert.deepEqual(errorsOf({ PORT: '80a', LATCHKEY_TRUST_PROXY: '10.0.0.1,all' }), [
      'PORT is "80a"; it must be a whole number from 0 to 65535',
      'LATCHKEY_TRUST_PROXY has the entry "all"; each must be an address or a network such as 10.0.0.0/8 or fd00::/8 (no /0)',
    ]);
  });

  test('is never shown if it is or may contain a secret', () => {
    const errors = errorsOf({
      DATABASE_URL: 'mysql://latchkey:s3cr3t@database',
      LATCHKEY_ADMIN_SECRET: 's3cr3t',
      LATCHKEY_WEBHOOK_SECRET: ' s3cr3t',
      LATCHKEY_TLS_CERT_FILE: '/cert.pem',
      LATCHKEY_TLS_KEY_FILE: '-----BEGIN PRIVATE KEY-----\ns3cr3t',
      LATCHKEY_ADMIN_SECRT: 's3cr3t',
    });
    assert.equal(errors.length, 5);
    assert.doesNotMatch(errors.join('\n'), /s3cr3t/);
  });

  test('does not hide another: every error is named at once', () => {
    const errors = errorsOf({ PORT: 'x', LATCHKEY_LOG_LEVEL: 'x', LATCHKEY_TOKEN_LIFETIME: 'x', LATCHKEY_X: 'x' });
    assert.deepEqual(errors.map((error) => error.split(' ')[0]).sort(), [
      'LATCHKEY_LOG_LEVEL',
      'LATCHKEY_TOKEN_LIFETIME',
      'LATCHKEY_X',
      'PORT',
    ]);
  });
});

describe('the mail server', () => {
  const from = { LATCHKEY_MAIL_FROM: 'licenses@shop.example' };
  const errorsOfUrl = (url: string) => errorsOf({ ...from, LATCHKEY_SMTP_URL: url });

  test('has the usual port of its protocol unless the URL names another', () => {
    const serverOf = (url: string) => readConfig({ ...from, LATCHKEY_SMTP_URL: url }).mail?.server;
    assert.deepEqual(serverOf('smtp://mail.example'), {
      ...{ host: 'mail.example', port: 587, isSecure: false, login: null },
    });
    assert.equal(serverOf('smtps://mail.example/')?.port, 465);
    assert.equal(serverOf('smtp://localhost:25')?.port, 25);
  });

  test('is never shown if its URL is wrong, because it holds a password', () => {
    for (const url of [
      'mailer:s3cr3t@mail.example',
      'https://mailer:s3cr3t@mail.example',
      'smtp://mailer:s3cr3t/x@mail.example',
      'smtp://mailer:s3cr3t%@mail.example',
      'smtp://mailer:s3cr3t@mail.example/path',
      'smtp://mailer:s3cr3t@mail.example?tls=off',
      'smtp://:s3cr3t@mail.example',
      'smtp://s3cr3t@mail.example',
      'smtp://mailer:s3cr3t@mail.example:0',
    ]) {
      const errors = errorsOfUrl(url);
      assert.equal(errors.length, 1, url);
      assert.match(errors.join(), /^LATCHKEY_SMTP_URL /);
      assert.doesNotMatch(errors.join(), /s3cr3t|mailer/, url);
    }
  });

  test('needs one sender with one address, and a name of at most 100 characters if any', () => {
    const url = { LATCHKEY_SMTP_URL: 'smtp://mail.example' };
    for (const wrong of [
      'shop',
      'a@b.example, c@d.example',
      'Shop <a@b.example',
      'Shop "x" <a@b.example>',
      'A\nB <a@b.example>',
    ])
      assert.match(
        errorsOf({ ...url, LATCHKEY_MAIL_FROM: wrong }).join(),
        /^LATCHKEY_MAIL_FROM must be an address/,
        wrong,
      );
    const named = (length: number) => ({ ...url, LATCHKEY_MAIL_FROM: `${'n'.repeat(length)} <a@b.example>` });
    assert.equal(readConfig(named(100)).mail?.from.name?.length, 100);
    assert.match(errorsOf(named(101)).join(), /^LATCHKEY_MAIL_FROM must be .* a name of at most 100 characters/);
    assert.match(errorsOf(url).join(), /^LATCHKEY_MAIL_FROM must be set too/);
    assert.match(errorsOf(from).join(), /^LATCHKEY_SMTP_URL must be set too/);
    assert.match(errorsOf({ LATCHKEY_SMTP_CA_FILE: '/ca.pem' }).join(), /^LATCHKEY_SMTP_URL must be set too/);
  });

  test('to the operator have up to five addresses, each for one mailbox, and known kinds', () => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@example.com`);
    const told = readConfig({ LATCHKEY_OPERATOR_EMAIL: five.join(' , ') }).operatorNotices;
    assert.deepEqual([told?.addresses, told?.kinds.length], [five, 7]);
    for (const wrong of [
      'ops',
      [...five, 'f@example.com'].join(),
      'a@b.example,A@b.example',
      'a@b.example,',
      '<a@b.example>',
    ])
      assert.match(
        errorsOf({ LATCHKEY_OPERATOR_EMAIL: wrong }).join(),
        /^LATCHKEY_OPERATOR_EMAIL must be 1 to 5 different addresses/,
        wrong,
      );
    const kinds = (text: string) => ({ LATCHKEY_OPERATOR_EMAIL: five[0]!, LATCHKEY_OPERATOR_NOTICES: text });
    for (const wrong of ['digests', 'digest,digest', 'digest,'])
      assert.match(errorsOf(kinds(wrong)).join(), /^LATCHKEY_OPERATOR_NOTICES has the entry "\w*"; it must be/, wrong);
    assert.deepEqual(errorsOf({ LATCHKEY_OPERATOR_NOTICES: 'digest' }), [
      'LATCHKEY_OPERATOR_EMAIL must be set too when LATCHKEY_OPERATOR_NOTICES is',
    ]);
  });
});

describe('values that do not go together', () => {
  test('a certificate without a key, and a key without a certificate', () => {
    assert.match(errorsOf({ LATCHKEY_TLS_CERT_FILE: '/c' }).join(), /^LATCHKEY_TLS_KEY_FILE must be set too/);
    assert.match(errorsOf({ LATCHKEY_TLS_KEY_FILE: '/k' }).join(), /^LATCHKEY_TLS_CERT_FILE must be set too/);
  });

  test('a certificate where a proxy does the HTTPS', () => {
    const errors = errorsOf({
      LATCHKEY_TRUST_PROXY: '10.0.0.1',
      LATCHKEY_TLS_CERT_FILE: '/c',
      LATCHKEY_TLS_KEY_FILE: '/k',
    });
    assert.match(errors.join(), /^LATCHKEY_TRUST_PROXY leaves HTTPS to the proxy/);
  });

  test('one secret for both purposes', () => {
    const errors = errorsOf({ LATCHKEY_ADMIN_SECRET: 'sixteen-letters!', LATCHKEY_WEBHOOK_SECRET: 'sixteen-letters!' });
    assert.deepEqual(errors, ['LATCHKEY_WEBHOOK_SECRET must differ from LATCHKEY_ADMIN_SECRET']);
  });

  test('a previous secret for one purpose that is one of the other', () => {
    const secret = 'sixteen-letters!';
    for (const [admin, webhook] of [
      ['LATCHKEY_ADMIN_SECRET', 'LATCHKEY_WEBHOOK_SECRET_PREVIOUS'],
      ['LATCHKEY_ADMIN_SECRET_PREVIOUS', 'LATCHKEY_WEBHOOK_SECRET'],
      ['LATCHKEY_ADMIN_SECRET_PREVIOUS', 'LATCHKEY_WEBHOOK_SECRET_PREVIOUS'],
    ] as const)
      assert.deepEqual(errorsOf({ [admin]: secret, [webhook]: secret }), [`${webhook} must differ from ${admin}`]);
  });
});

describe('the port of the metrics', () => {
  test('is on this machine alone unless a host is given', () => {
    assert.deepEqual(readConfig({ LATCHKEY_METRICS_PORT: '9464' }).metrics, {
      host: 'localhost',
      port: 9464,
      names: [],
    });
  });

  test('has a host only if there is one', () => {
    assert.deepEqual(errorsOf({ LATCHKEY_METRICS_HOST: '::', LATCHKEY_METRICS_NAMES: 'node-1' }), [
      'LATCHKEY_METRICS_PORT must be set too when LATCHKEY_METRICS_HOST is',
      'LATCHKEY_METRICS_PORT must be set too when LATCHKEY_METRICS_NAMES is',
    ]);
    const wrong = errorsOf({ LATCHKEY_METRICS_PORT: '9464', LATCHKEY_METRICS_HOST: 'localhost:9464' });
    assert.match(wrong.join('\n'), /^LATCHKEY_METRICS_HOST is "localhost:9464"; it must be a host name or an address/);
  });

  test('is not the port of the service, unless the system chooses both', () => {
    const errors = errorsOf({ PORT: '9464', LATCHKEY_METRICS_PORT: '9464' });
    assert.deepEqual(errors, ['LATCHKEY_METRICS_PORT must differ from PORT']);
    assert.deepEqual(errorsOf({ PORT: '0', LATCHKEY_METRICS_PORT: '0' }), []);
  });

  test('is not set by what Kubernetes sets for a service of that name', () => {
    assert.equal(readConfig({ LATCHKEY_METRICS_PORT: 'tcp://10.0.0.1:9464' }).metrics, null);
  });
});

describe('a LATCHKEY_ variable that does not exist', () => {
  const meant: Record<string, string> = {
    LATCHKEY_LOGLEVEL: 'LATCHKEY_LOG_LEVEL',
    LATCHKEY_ADMIN_SECRT: 'LATCHKEY_ADMIN_SECRET',
    LATCHKEY_DATABASE_URL: 'DATABASE_URL',
    LATCHKEY_PORT: 'PORT',
    latchkey_data_dir: 'LATCHKEY_DATA_DIR',
  };
  for (const [name, known] of Object.entries(meant)) {
    test(`${name} is an error that suggests ${known}`, () => {
      assert.deepEqual(errorsOf({ [name]: '8443' }), [`${name} is not a variable of Latchkey; did you mean ${known}?`]);
    });
  }

  test('is an error without a suggestion if no name is similar', () => {
    assert.deepEqual(errorsOf({ LATCHKEY_COLOUR_SCHEME: 'dark' }), [
      'LATCHKEY_COLOUR_SCHEME is not a variable of Latchkey',
    ]);
  });

  test('is no error if it belongs to the test suite', () => {
    assert.deepEqual(errorsOf({ LATCHKEY_TEST_POSTGRES_URL: 'postgres://database/latchkey' }), []);
  });

  for (const name of ['LATCHKEY_KEYS', 'LATCHKEY_SERVER', 'LATCHKEY_CA', 'LATCHKEY_STATE', 'LATCHKEY_URL'])
    test(`is no error if the examples or the demo read it: ${name}`, () => {
      assert.deepEqual(errorsOf({ [name]: 'https://localhost:8443' }), []);
    });

  test('is no error where Kubernetes sets it for a service of that name', () => {
    const links = {
      LATCHKEY_SERVICE_HOST: '10.0.0.1',
      LATCHKEY_SERVICE_PORT_HTTPS: '8443',
      LATCHKEY_PORT: 'tcp://10.0.0.1:8443',
      LATCHKEY_PORT_8443_TCP_ADDR: '10.0.0.1',
      LATCHKEY_POSTGRES_PORT: 'tcp://10.0.0.2:5432',
    };
    assert.deepEqual(errorsOf(links), []);
  });
});

describe('files', () => {
  const present = join(directory, 'present.pem');
  writeFileSync(present, 'anything');

  test('that exist are accepted, with any values', () => {
    const environment = {
      LATCHKEY_DATA_DIR: directory,
      LATCHKEY_TLS_CERT_FILE: present,
      LATCHKEY_TLS_KEY_FILE: present,
      LATCHKEY_GEOIP_FILE: present,
      LATCHKEY_SIGNING_KEY_FILE: present,
    };
    assert.deepEqual(loadConfig(environment), readConfig(environment));
  });

  test('that are missing or directories are named, together with every other error', () => {
    const missing = join(directory, 'missing.pem');
    const environment = {
      LATCHKEY_DATA_DIR: present,
      LATCHKEY_TLS_CERT_FILE: missing,
      LATCHKEY_TLS_KEY_FILE: present,
      LATCHKEY_GEOIP_FILE: directory,
      LATCHKEY_SIGNING_KEY_FILE: missing,
      LATCHKEY_DELIVERY_CA_FILE: missing,
    };
    const errors = [
      `LATCHKEY_TLS_CERT_FILE names ${missing}, which does not exist`,
      `LATCHKEY_GEOIP_FILE names ${directory}, which is a directory; it must be a file`,
      `LATCHKEY_SIGNING_KEY_FILE names ${missing}, which does not exist`,
      `LATCHKEY_DELIVERY_CA_FILE names ${missing}, which does not exist`,
      `LATCHKEY_DATA_DIR names ${present}, which is not a directory`,
    ];
    assert.deepEqual(checkFiles(readConfig(environment)), errors);
    assert.deepEqual(errorsOf({ ...environment, PORT: 'x' }, loadConfig), [
      'PORT is "x"; it must be a whole number from 0 to 65535',
      ...errors,
    ]);
  });
});

test('docs/operators/configuration.md lists every variable with its default, and no other', () => {
  const page = readFileSync(new URL('../../../docs/operators/configuration.md', import.meta.url), 'utf8');
  const rows = page.matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]+)`|none) \|/gm);
  const listed = [...rows].map(([, name = '', standard]) => [name, standard ?? null] as const);
  assert.equal(new Set(listed.map(([name]) => name)).size, listed.length, 'a variable is listed twice');
  assert.deepEqual(Object.fromEntries(listed), DEFAULTS);
});
