/** E-mails of the service as operators run it: killed at the worst moment, with a wrong password, by another server. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { layOut } from '../../../src/customers/mail/layout.ts';
import { Smtp } from '../../../src/customers/mail/smtp.ts';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { environmentOf } from '../../support/command.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { fixedPort } from '../../support/fixed-port.ts';
import { MailServer, type Reaction } from '../../support/mail-server.ts';
import { execute } from '../../support/own-connection.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';

const PASSWORD = 'the-password-of-the-mailer';

/** Queues the key of a new license, and returns the license key. */
async function mailKey(server: ServerProcess): Promise<string> {
  const order = { adminSecret: ADMIN_SECRET, email: 'ada@shop.example', productId: 'app' };
  const { licenseKey } = (await server.send('/createLicense', order)).body;
  const { status, body } = await server.send('/mailLicense', { adminSecret: ADMIN_SECRET, licenseKey });
  assert.equal(status, 200, JSON.stringify(body));
  return licenseKey;
}

const listed = async (server: ServerProcess, licenseKey: string) =>
  (await server.send('/listMails', { adminSecret: ADMIN_SECRET, licenseKey })).body.mails[0];

for (const engine of engines)
  describe(`a service that sends mail, ${engine}`, () => {
    it('repeats a mail once, with the same Message-ID, if it is killed before it marks the mail as sent', async () => {
      const { database, remove } = await freshDatabase(engine);
      const mails = await MailServer.start();
      const environment = { ...mails.environment, ...environmentOf(database) };
      let server = await startServerProcess(database, environment);
      try {
        mails.reactToMail = async (): Promise<Reaction> => {
          mails.reactToMail = () => 'accept';
          await server.kill();
          return 'accept';
        };
        const licenseKey = await mailKey(server);
        await mails.hasReceived(1);
        await server.ended;
        // The next attempt is due after a minute, and the lease of the dead node ends before.
        await execute(database, "update mail set due_at = '2020-01-01T00:00:00.000Z'; delete from job_lease");
        server = await startServerProcess(database, environment);
        const received = await mails.hasReceived(2);
        assert.equal(received[0]?.mail.messageId, received[1]?.mail.messageId);
        while ((await listed(server, licenseKey)).state !== 'sent') await wait(20);
        await server.stop();
        assert.equal(mails.received.length, 2);
      } finally {
        await server.kill();
        await mails.close();
        await remove();
      }
    });
  });

describe('a service with a wrong password of its mail server', () => {
  it('shows neither the password nor the user anywhere', async () => {
    const { database, remove } = await freshDatabase('sqlite');
    const mails = await MailServer.start({ login: { user: 'mailer', password: PASSWORD } });
    const wrong = `not-${PASSWORD}`;
    const server = await startServerProcess(database, {
      ...mails.environment,
      LATCHKEY_SMTP_URL: `smtp://mailer:${wrong}@127.0.0.1:${mails.port}`,
      LATCHKEY_LOG_LEVEL: 'trace',
      ...environmentOf(database),
    });
    try {
      const licenseKey = await mailKey(server);
      let mail = await listed(server, licenseKey);
      for (; mail.lastError === null; mail = await listed(server, licenseKey)) await wait(20);
      assert.deepEqual([mail.state, mail.lastError], ['waiting', 'login refused']);
      const system = await server.send('/getSystem', { adminSecret: ADMIN_SECRET });
      await server.stop();
      for (const shown of [JSON.stringify(system.body), JSON.stringify(server.log)])
        assert.doesNotMatch(shown, new RegExp(`${PASSWORD}|mailer`));
    } finally {
      await server.kill();
      await mails.close();
      await remove();
    }
  });
});

/** A mail server of another kind, which stores e-mails in a folder before it accepts them. */
interface OtherServer {
  readonly name: string;
  readonly isInstalled: boolean;
  /** Its command line; may write its settings into the folder. */
  commandOf(folder: string, port: number): Promise<readonly [string, ...string[]]>;
  /** The files of a stored mail, envelope included. */
  readonly stored: string;
}

const OTHER_SERVERS: readonly OtherServer[] = [
  {
    name: 'aiosmtpd of Python',
    isInstalled: spawnSync('python3', ['-m', 'aiosmtpd', '--version']).status === 0,
    commandOf: async (folder, port) => [
      ...(['python3', '-m', 'aiosmtpd', '-n', '-l', `127.0.0.1:${port}`] as const),
      ...['-c', 'aiosmtpd.handlers.Mailbox', join(folder, 'mails')],
    ],
    stored: 'mails/new/*',
  },
  {
    name: 'Exim',
    isInstalled: spawnSync('exim4', ['-bV']).error === undefined,
    async commandOf(folder, port) {
      const settings = [
        ...[`spool_directory = ${folder}/spool`, `log_file_path = ${folder}/log-%s`, `pid_file_path = ${folder}/pid`],
        ...[`daemon_smtp_ports = ${port}`, 'local_interfaces = 127.0.0.1', 'primary_hostname = mail.shop.example'],
        ...['tls_advertise_hosts =', 'host_lookup =', 'keep_environment =', 'acl_smtp_rcpt = accept'],
        // An e-mail stays in the spool: delivering it would need a recipient.
        'queue_only = true',
      ];
      await writeFile(join(folder, 'exim.conf'), `${settings.join('\n')}\n`);
      // Exim leaves the user who started it for its own.
      await chmod(folder, 0o777);
      return ['exim4', '-C', join(folder, 'exim.conf'), '-bdf'];
    },
    stored: 'spool/input/*',
  },
];

describe('mails', () => {
  for (const { name, isInstalled, commandOf, stored } of OTHER_SERVERS)
    it(`reach ${name}`, { skip: isInstalled ? false : `${name} is not installed` }, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'latchkey-other-mail-'));
      const port = await fixedPort();
      const [command, ...args] = await commandOf(folder, port);
      const server = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
      const ended = once(server, 'exit');
      try {
        await listens(server, port);
        const from = { name: 'Müller', address: 'licenses@shop.example' };
        const smtp = new Smtp({
          ownName: null,
          host: '127.0.0.1',
          port,
          tls: 'offered',
          isPrivate: false,
          login: null,
          additionalCa: null,
          from,
        });
        const text = layOut('de', 'Ihr Lizenzschlüssel', ['Guten Tag,', { label: 'Paint', value: 'AAAAA-BBBBB' }]);
        const mail = { ...text, to: 'ada@shop.example', messageId: '<one@shop.example>', at: systemClock() };
        assert.deepEqual(await smtp.send({ ...mail, replyTo: null, fromName: null }), { outcome: 'sent' });
        const files = globSync(join(folder, stored)).toSorted();
        const said = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('');
        for (const part of [
          'To: ada@shop.example',
          'Message-ID: <one@shop.example>',
          'Auto-Submitted: auto-generated',
          'AAAAA-BBBBB',
        ])
          assert.ok(said.includes(part), `${part} in ${said}`);
      } finally {
        server.kill();
        await ended;
        await rm(folder, { recursive: true, force: true });
      }
    });
});

/** Resolves once a server takes connections. @throws if it has ended instead */
async function listens(server: ChildProcess, port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) return;
    assert.equal(server.exitCode, null, 'it ended before it listened');
    await wait(50);
  }
}
