/** Runs the procedures of docs/operators/operations.md as a program. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../test/support/command.ts';
import { installPackage } from '../test/support/installed-package.ts';
import type { ServerProcess } from '../test/support/server-process.ts';
import { readCommandLine, refuseCommandLine } from './command-line.ts';
import { busyPort } from './journey/busy-port.ts';
import { damagedPage } from './journey/damaged-page.ts';
import { failoverSteps } from './journey/failover-steps.ts';
import {
  elsewhereOf,
  type Journey,
  latchkey,
  type Step,
  servePackage,
  takeSecrets,
  WORKERS,
} from './journey/journey.ts';
import { findAll, Ledger, Lost, listAll, listKeys } from './journey/ledger.ts';
import { packagedPrograms } from './journey/packaged-programs.ts';

/** Licenses acknowledged before the backup begins, and before the service is killed. */
const BEFORE_BACKUP = 300;
const BEFORE_KILL = 900;

const dataOf = ({ place }: Journey) => join(place, 'data');
const backupOf = ({ place }: Journey) => join(place, 'backup.db');

/** Starts the packed service on a data directory with the secrets in it. */
function serve({ installed }: Journey, data: string): Promise<ServerProcess> {
  return servePackage(installed, { engine: 'sqlite', file: join(data, 'latchkey.db') }, data);
}

const steps: readonly Step[] = [
  {
    name: 'start the service that was installed without a network',
    async run(journey) {
      await mkdir(dataOf(journey), { mode: 0o700 });
      journey.service = await serve(journey, dataOf(journey));
      journey.adminSecret = (await readFile(join(dataOf(journey), 'admin-secret'), 'utf8')).trim();
      const [checked = ''] = (await latchkey(journey, dataOf(journey), 'check')).split('\n').slice(-1);
      return `it answers on port ${journey.service.port}; check says: ${checked}`;
    },
  },
  busyPort,
  {
    name: 'fill it with the demo',
    async run(journey) {
      const { port } = journey.service;
      const { code, err } = await runProgram('scripts/demo.ts', [], {
        LATCHKEY_DATA_DIR: dataOf(journey),
        PORT: String(port),
      });
      if (code !== 0) throw new Lost(`the demo ended with ${code}: ${err}`);
      return `${(await listKeys(journey.service, journey.adminSecret)).size} licenses`;
    },
  },
  {
    name: 'make a backup while calls come in',
    async run(journey) {
      journey.ledger = new Ledger(journey.adminSecret);
      journey.ledger.begin([journey.service], WORKERS, 'end');
      await journey.ledger.until(BEFORE_BACKUP);
      journey.beforeBackup = journey.ledger.acknowledged();
      const said = await latchkey(journey, dataOf(journey), 'backup', backupOf(journey));
      const meanwhile = journey.ledger.acknowledged().length - journey.beforeBackup.length;
      return `${said.split('\n')[0]} ${meanwhile} licenses were issued meanwhile.`;
    },
  },
  {
    name: 'kill the service with kill -9 under load, and start it again',
    async run(journey) {
      await journey.ledger.until(BEFORE_KILL);
      await journey.service.kill();
      await journey.ledger.end();
      journey.service = await serve(journey, dataOf(journey));
      const issued = journey.ledger.acknowledged();
      const machines = await findAll(journey.service, issued, journey.adminSecret);
      journey.keysAfterKill = await listKeys(journey.service, journey.adminSecret);
      return `all ${issued.length} licenses and ${machines} machines that were acknowledged are there`;
    },
  },
  {
    name: 'restore the backup elsewhere, and compare',
    async run(journey) {
      const elsewhere = elsewhereOf(journey);
      await mkdir(elsewhere, { mode: 0o700 });
      const said = await latchkey(journey, elsewhere, 'restore', backupOf(journey));
      await takeSecrets(dataOf(journey), elsewhere);
      const restored = await serve(journey, elsewhere);
      try {
        const machines = await findAll(restored, journey.beforeBackup, journey.adminSecret);
        journey.restored = await listAll(restored, journey.adminSecret);
        const unknown = journey.restored.filter(({ licenseKey }) => !journey.keysAfterKill.has(licenseKey));
        if (unknown.length > 0) throw new Lost(`${unknown.length} licenses of the backup were never issued`);
        const found = `all ${journey.beforeBackup.length} licenses and ${machines} machines from before the backup are there`;
        return `${said.split('\n')[0]} ${found}, and ${journey.restored.length} of ${journey.keysAfterKill.size} licenses in all.`;
      } finally {
        await restored.stop();
      }
    },
  },
  damagedPage(dataOf, backupOf),
  {
    name: 'restore an old backup, and keep what was revoked since',
    async run(journey) {
      const later = join(journey.place, 'later');
      await mkdir(later, { mode: 0o700 });
      await latchkey(journey, later, 'restore', backupOf(journey));
      await takeSecrets(dataOf(journey), later);
      const { adminSecret } = journey;
      const [{ licenseKey } = { licenseKey: '' }] = journey.beforeBackup;
      const state = async (use: (service: ServerProcess) => Promise<void>) => {
        const service = await serve(journey, later);
        try {
          await use(service);
          return (await service.send('/getLicense', { adminSecret, licenseKey })).body.license?.status;
        } finally {
          await service.stop();
        }
      };
      await state(async (service) => {
        await service.send('/revokeLicense', { adminSecret, licenseKey, reason: 'fraud' });
        await service.send('/createLicense', { adminSecret, email: 'later@example.com', productId: 'tapehead' });
      });
      const present = join(later, 'latchkey.db');
      const said = await latchkey(journey, later, 'restore', backupOf(journey), '--keep-revoked-from', present);
      const status = await state(async () => {});
      if (status !== 'revoked') throw new Lost(`a license that was revoked is ${status} after the restore`);
      return said.split('\n').find((line) => line.startsWith('Carried over from')) ?? '';
    },
  },
  ...failoverSteps,
  {
    name: 'stop the service and both nodes by SIGTERM',
    async run({ service, nodes }) {
      const statuses = await Promise.all([service, ...nodes].map((each) => each.stop()));
      if (statuses.some((status) => status !== 0)) throw new Lost(`they ended with status ${statuses.join(', ')}`);
      return 'all of them ended in order';
    },
  },
];

const USAGE = `Usage: npm run operator-journey -- [--with patroni]

Runs the procedures of docs/operators/operations.md with the packed service, in a temporary folder that it removes at the end. Exits
with 1 as soon as a check fails.

  --with patroni   adds steps with Patroni, PgBouncer, pgpool, Prometheus and Caddy where they are installed
`;

/** Whether the steps with further programs are asked for. */
function wantsPackagedPrograms(): boolean {
  const { values } = readCommandLine(USAGE, { with: { type: 'string' } });
  if (values.with !== undefined && values.with !== 'patroni') refuseCommandLine("--with takes only 'patroni'");
  return values.with === 'patroni';
}

const say = (line: string) => void process.stdout.write(`${line}\n`);
const chosen = wantsPackagedPrograms() ? [...steps, ...packagedPrograms] : steps;
const place = await mkdtemp(join(tmpdir(), 'latchkey-journey-'));
let journey: Journey | undefined;
try {
  say(`In ${place}:`);
  const installed = await installPackage(place);
  // The steps fill in the other fields, in their order.
  journey = { place, installed, nodes: [], servers: [] } as unknown as Journey;
  for (const [index, { name, run }] of chosen.entries()) {
    say(`${index + 1}. ${name}`);
    say(`   ${(await run(journey)).replaceAll(place, '.')}`);
  }
  say('Everything is as it should be.');
} catch (error) {
  process.stderr.write(`${error instanceof Lost ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await Promise.all([journey?.service, ...(journey?.nodes ?? [])].map((each) => each?.kill()));
  await Promise.all((journey?.servers ?? []).map((server) => server.stop()));
  await rm(place, { recursive: true, force: true });
}
