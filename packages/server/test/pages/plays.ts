/** The preparations of a reader of each page, the values that replace its examples, and the output. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { duplicateDatabase, emptyDatabase, freshDatabase } from '../support/databases.ts';
import { ROOT } from './page-commands.ts';
import type { Stage } from './stage.ts';

/** Texts of a page and their values here. */
type Replaced = Readonly<Record<string, string>>;

/** The keys of the records are parts of commands; each must be in some command of the page. */
export interface Play {
  /** The page assumes a running service: all such pages share one, which is started before. */
  readonly usesService?: true;
  /** After the page git shows no new file in the checkout. */
  readonly leavesNothing?: true;
  /** Creates the state that the page assumes. */
  prepare?(stage: Stage): Promise<Replaced | undefined>;
  /** Actions right before a command, where the prose of the page describes them. */
  readonly before?: Readonly<Record<string, (stage: Stage) => Promise<Replaced | undefined>>>;
  /** The output of a command, where its page shows or says it. */
  readonly prints?: Readonly<Record<string, RegExp>>;
}

const KEY = '[A-Z2-9]{5}(?:-[A-Z2-9]{5}){4}';
const stopped = async (stage: Stage): Promise<undefined> => stage.shell.stop().then(() => undefined);

/** The text that a machine without a connection shows, by the fields of docs/apps/offline.md. */
function requestFor(licenseKey: string): string {
  const fields = { v: 1, productId: 'app', licenseKey, fingerprint: 'a machine', hostname: "Ada's laptop" };
  const text = Buffer.from(JSON.stringify(fields)).toString('base64url');
  return `-----BEGIN LATCHKEY REQUEST-----\n${text}\n-----END LATCHKEY REQUEST-----\n`;
}

/** The only block of a page in a language. */
function blockOf(page: string, language: string): string {
  const [, block = ''] =
    new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(readFileSync(join(ROOT, page), 'utf8')) ?? [];
  return block;
}

export const PLAYS: Readonly<Record<string, Play>> = {
  'README.md': {
    leavesNothing: true,
    before: {
      'DATABASE_URL=': async (stage) => ({
        'postgres://latchkey:secret@localhost:5432/latchkey': stage.keep(await emptyDatabase('postgres')),
      }),
      'npm install --global': async (stage) => {
        await stage.run(`mkdir ../server && cp ${await stage.have('npm run package -- .')} ../server/ && cd ../server`);
        return undefined;
      },
    },
    prints: {
      // The console of the copy is not built, so the greeting does not name it.
      'npm start': /^(?![\s\S]*\/console\/)/,
      'echo "$LICENSE_KEY"': new RegExp(`^${KEY}$`, 'm'),
      'post verify': /"valid":true/,
      'machine-2\\",\\"hostname': /"Machine limit reached \(1\)\. Deactivate another machine first\."/,
      'post validate': /"valid":true/,
      'post heartbeat': /"success":true/,
      'post explainLicense': /"outcome":"machine_limit"/,
      'post deactivate': /"success":true,"machinesUsed":0,"maxMachines":1/,
    },
  },
  'CONTRIBUTING.md': {
    prints: { '--dry-run': /latchkey-server-1\.0\.0\.tgz|latchkey-client/ },
  },
  'docs/shops/abuse.md': {
    usesService: true,
    prepare: async (stage) => ({ $ADMIN_SECRET: stage.adminSecret }),
    prints: { '/listViolations': /"violations":\[/ },
  },
  'docs/shops/api-keys.md': {
    usesService: true,
    before: {
      'HASH=': async (stage) => ({
        $LEAKED_KEY: /lk_[\w-]+/.exec([...stage.typed.values()].at(-1)!.out)![0],
      }),
    },
    prints: {
      '/createApiKey': /"apiKey":"lk_[A-Za-z0-9_-]{49}"/,
      '/listApiKeys': /"creatorId":"ada"/,
      '/createProduct': /"productId":"photo"/,
    },
  },
  'docs/apps/client.md': {
    usesService: true,
    prepare: async (stage) => {
      return { $LICENSE_KEY: await stage.license('my-app') };
    },
    prints: {
      'latchkey-client try': /the server cannot be reached: grace, the app runs\n/,
      '--for-app': /"publicKeys"/,
    },
  },
  'docs/operators/configuration.md': {
    before: {
      '--rehearse-on': async (stage) => {
        copyFileSync(join(stage.root, 'data/latchkey.db'), join(stage.root, 'copy.db'));
        return { '--rehearse-on COPY': '--rehearse-on copy.db' };
      },
      'backup FILE': async () => ({
        'backup FILE': 'backup backup.db',
        'restore FILE': 'restore backup.db',
        '--from URL --to URL': '--from data/latchkey.db --to elsewhere.db',
        'export FILE': 'export licenses.jsonl',
        'import FILE': 'import licenses.jsonl',
        'import --dry-run FILE': 'import --dry-run licenses.jsonl',
      }),
      'restore FILE': stopped,
      'drop-token-key': async (stage) => {
        const { out } = stage.typed.get('npm run latchkey -- list-token-keys')!;
        return { 'KEY-ID': /^(\S+)\s+signs/m.exec(out)![1]! };
      },
    },
    prints: {
      '--help': /^Usage: npm run latchkey -- <command>$/m,
      'list-signing-keys': /urn:latchkey:/,
      'sign-in-link': /https:\/\/localhost:\d+\/console\//,
    },
  },
  'docs/shops/console.md': {
    usesService: true,
    prints: { 'sign-in-link': /https:\/\/localhost:\d+\/console\// },
  },
  'docs/operators/import-export.md': {
    prepare: async (stage) => {
      stage.write('licenses.jsonl', blockOf('docs/operators/import-export.md', 'json'));
      stage.write('licenses.csv', blockOf('docs/operators/import-export.md', 'csv').replaceAll('Tape-', 'Reel-'));
      await stage.run('npm run latchkey -- serve');
      await stopped(stage);
      return {
        'postgres://latchkey@db.example.com/latchkey': stage.keep(await emptyDatabase('postgres')),
      };
    },
  },
  'docs/apps/integrating.md': {
    usesService: true,
    prepare: async (stage) => {
      return { 'K7QWM-...': await stage.license('tapehead') };
    },
    before: {
      'call validate': async (stage) => ({
        '<token of the first answer>': JSON.parse([...stage.typed.values()].at(-1)!.out).token,
      }),
    },
    prints: { 'call activate': /"success":true/, 'call validate': /"valid":true/ },
  },
  'docs/apps/license-files.md': {
    usesService: true,
    prints: { 'list-signing-keys': /urn:latchkey:/ },
  },
  'docs/operators/logs.md': {
    usesService: true,
    prepare: async (stage) => {
      const { apiKey } = await stage.admin('/createApiKey', { creatorId: 'ada', name: 'shop' });
      await stage.admin('/createProduct', { name: 'Film', slug: 'film', creatorId: 'ada' });
      const body = { email: 'ada@example.com', productId: 'film' };
      await stage.run(
        `curl -sS https://localhost:8443/createLicense -H 'X-API-Key: ${apiKey}' --json '${JSON.stringify(body)}'`,
      );
      const key = await stage.license();
      await stage.run(
        `curl -sS https://localhost:8443/getLicense -H 'X-Admin-Secret: ${stage.adminSecret}' -H 'X-Request-Id: 0d6f' --json '{"licenseKey":"${key}"}'`,
      );
      const log = await stage.shell.untilSaid(/"callerRequestId":"0d6f".*\n/);
      stage.write('latchkey.log', log.replace(/^[^{].*\n/gm, ''));
      return { '0d6f…': '0d6f', 'K7QWM…6WFGJ': `${key.slice(0, 5)}…${key.slice(-5)}` };
    },
    prints: {
      'keyName == "shop"': /"keyName":"shop"/,
      '.license ==': /"license":"/,
      '.requestId ==': /"callerRequestId":"0d6f"/,
    },
  },
  'docs/shops/mail.md': {
    prepare: async () => ({ 'smtps://licenses%40example.com:PASSWORD@mail.example.com': 'smtp://127.0.0.1:9' }),
  },
  'docs/operators/metrics.md': { prints: { curl: /^latchkey_info\{version="[\d.]+",engine="sqlite"\} 1$/m } },
  'docs/apps/offline.md': {
    prepare: async (stage) => {
      await stage.run('npm start');
      const request = requestFor(await stage.license());
      stage.write('request.txt', request);
      return {
        $ADMIN_SECRET: stage.adminSecret,
        '-----BEGIN LATCHKEY REQUEST----- ...': request.replaceAll('\n', ' ').trim(),
      };
    },
    before: { 'license-file': stopped },
    prints: { '/createLicenseFile': /BEGIN LATCHKEY LICENSE/, 'license-file': /Ada's laptop, valid until/ },
  },
  'docs/operators/operations.md': {
    prepare: async (stage) => {
      await stage.run(`npm install --global --offline ./${await stage.have('npm run package -- .')}`);
      copyFileSync(join(stage.root, 'latchkey-server-1.0.0.tgz'), join(stage.root, 'latchkey-server-1.1.0.tgz'));
      const data = stage.system('/var/lib/latchkey');
      await stage.run(`export LATCHKEY_DATA_DIR=${data} CURL_CA_BUNDLE=${data}/tls-cert.pem`);
      return undefined;
    },
    before: {
      '--rehearse-on': async (stage) => {
        const backups = stage.system('/var/backups/latchkey');
        copyFileSync(join(backups, 'before-1.1.0.db'), join(backups, 'copy.db'));
        return undefined;
      },
      'latchkey-run restore': async (stage) => {
        await stage.shell.stop();
        const backups = stage.system('/var/backups/latchkey');
        copyFileSync(join(backups, 'before-1.1.0.db'), join(backups, '2027-01-31.db'));
        return undefined;
      },
      // The variables of a service on PostgreSQL.
      'latchkey-run migrate': async (stage) => {
        if (![...stage.typed.keys()].some((text) => text.startsWith('touch'))) return undefined;
        const database = await freshDatabase('postgres');
        const before = await duplicateDatabase(database.database);
        const url = stage.keep(database);
        writeFileSync(stage.system('/etc/latchkey/latchkey.env'), `DATABASE_URL=${url}\n`);
        return {
          'postgres://latchkey@db.example.com/latchkey': url,
          'postgres://latchkey@db.example.com/before_restore': stage.keep(before),
        };
      },
      'latchkey copy': async (stage) => ({
        'postgres://latchkey@db.example.com/latchkey': stage.keep(await emptyDatabase('postgres')),
      }),
    },
  },
  'docs/shops/support.md': {
    usesService: true,
    prepare: async (stage) => {
      return { $ADMIN_SECRET: stage.adminSecret, 'K7QWM-2MNPR-9XHTB-V4CDE-6WFGJ': await stage.license() };
    },
    prints: { '/searchEverything': /"kind":"license"/, '/explainLicense': /"checks":\[/ },
  },
  'examples/README.md': {
    usesService: true,
    prepare: async (stage) => {
      const { port } = JSON.parse(
        /^\{.*"service\.started".*$/m.exec(await stage.shell.untilSaid(/"service\.started".*\n/))![0],
      );
      await stage.run(`export LATCHKEY_SERVER=https://localhost:${port}`);
      return { 'THE-LICENSE-KEY': await stage.license() };
    },
    prints: { 'tool.js license': /^Licensed, key ending in \w{5}\.$/m, 'tool.js work': /^The work is done\.$/m },
  },
  'packages/client/README.md': {
    usesService: true,
    prepare: async (stage) => {
      await stage.run(
        `mkdir my-tool && cd my-tool && npm init --yes && npm install ../${await stage.have('npm pack --workspace packages/client')}`,
      );
      await stage.run('export NODE_EXTRA_CA_CERTS=$CURL_CA_BUNDLE');
      stage.write('my-tool/FILE', `whsec_${Buffer.alloc(32, 7).toString('base64')}\n`);
      return { '--key KEY': `--key ${await stage.license()}` };
    },
    prints: { 'latchkey-client try': /^check: licensed, the app runs$/m },
  },
  'packages/server/package-readme.md': {
    prepare: async (stage) => {
      await stage.have('npm run package -- .');
      return { VERSION: '1.0.0' };
    },
    prints: { '--help': /^Usage: latchkey <command>$/m },
  },
};
