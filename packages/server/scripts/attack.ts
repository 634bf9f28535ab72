/**
 * Attacks a separate service and shows the effect on a paying customer (test/attack). The service is the package that
 * operators install, because sources take 100 MB more: Node.js keeps its compiler of types in memory.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareAddresses } from '../test/attack/address-times.ts';
import type { AttackReport } from '../test/attack/attack-report.ts';
import { maxConnections, runAttacks } from '../test/attack/attack-run.ts';
import { attackNames } from '../test/attack/attacks.ts';
import type { Latencies } from '../test/attack/customer.ts';
import { engines } from '../test/support/databases.ts';
import { buildPackage } from './build-package.ts';
import { readCommandLine, refuseCommandLine } from './command-line.ts';

const USAGE = `Usage: npm run attack -- [options]

Attacks a service of its own in several ways, and shows the effect on a customer. Exits with 1 after a forbidden answer.

  --engine ENGINE      ${engines.join(' or ')} (sqlite)
  --seconds N          how long each attack lasts (15)
  --connections N      the most connections of an attack (10000)
  --only ATTACK        may be repeated; all of them unless given:
${attackNames.map((name) => `                         ${JSON.stringify(name)}`).join('\n')}
  --memory N           the most megabytes that the service may take (600)
  --addresses N        addresses whose answers are compared, customers and others; 0 leaves them out (2000)
`;

const { values } = readCommandLine(USAGE, {
  engine: { type: 'string', default: 'sqlite' },
  seconds: { type: 'string', default: '15' },
  connections: { type: 'string', default: '10000' },
  only: { type: 'string', multiple: true, default: [...attackNames] },
  memory: { type: 'string', default: '600' },
  addresses: { type: 'string', default: '2000' },
});
const engine = engines.find((each) => each === values.engine);
const [seconds, wanted, megabytes] = [values.seconds, values.connections, values.memory].map(Number) as [
  number,
  number,
  number,
];
const addresses = Number(values.addresses);
const attacks = attackNames.filter((name) => values.only.includes(name));
const areNumbers = [seconds, wanted, megabytes].every((each) => Number.isInteger(each) && each > 0);
const isCount = Number.isInteger(addresses) && addresses >= 0;
if (engine === undefined || !areNumbers || !isCount || attacks.length !== new Set(values.only).size)
  refuseCommandLine(
    `--engine is one of ${engines.join(', ')}; --seconds, --connections and --memory (megabytes) are whole ` +
      `numbers from 1, --addresses one from 0; --only is one of ${attackNames.map((name) => JSON.stringify(name)).join(', ')}`,
  );
const idleConnections = Math.min(wanted, maxConnections());
if (idleConnections < wanted)
  process.stdout.write(`${idleConnections} idle connections instead of ${wanted}: more files may not be open here.\n`);

const inMs = ({ p50Ms, p99Ms }: Latencies) => `${p50Ms.toFixed(1).padStart(8)} ${p99Ms.toFixed(1).padStart(8)}`;
const row = (cells: readonly [string, string, string, string, string]) =>
  process.stdout.write(`${cells[0].padEnd(30)} ${cells[1]} ${cells[2]} ${cells[3].padStart(9)}  ${cells[4]}\n`);

function show({
  attack,
  customer,
  meanwhile,
  statuses,
  cut,
  peakMemoryBytes,
  writtenBytes,
  growthBytes,
  ended,
}: AttackReport): void {
  const answered = Object.entries(statuses).map(([status, count]) => `${count}x${status}`);
  const served = Object.entries(meanwhile).map(([name, { asked, served }]) => `${name} ${served} of ${asked}`);
  const notes = [
    ...answered,
    ...(cut > 0 ? [`${cut} connections ended`] : []),
    ...(ended === undefined
      ? []
      : [
          `${ended.code === null ? 'the service had not ended after' : 'the service ended after'} ${(ended.tookMs / 1000).toFixed(1)} s`,
        ]),
  ];
  notes.push(`the database grew by ${(growthBytes / 1024 ** 2).toFixed(1)} MB`);
  notes.push(`served meanwhile: ${served.join(', ')}`);
  if (engine === 'sqlite') notes.push(`${Math.round(writtenBytes / 1024 ** 2)} MB written`);
  const memory = `${Math.round(peakMemoryBytes / 1024 ** 2)} MB`;
  row([attack ?? 'quiet', inMs(customer.verify), inMs(customer.validate), memory, notes.join(', ')]);
}

process.stdout.write(`${engine}, ${seconds} seconds each; the customer's /verify and /validate in milliseconds\n\n`);
row(['', '  p50 /v.  p99 /v.', ' p50 /va. p99 /va.', 'memory', 'what the attacker was answered']);
const folder = mkdtempSync(join(tmpdir(), 'latchkey-attacked-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
await buildPackage(folder);
const options = {
  engine,
  attacks,
  durationMs: seconds * 1000,
  idleConnections,
  maxMemoryBytes: megabytes * 1024 ** 2,
  program: [join(folder, 'bin', 'latchkey.cjs'), 'serve'] as const,
};
const reports = await runAttacks(options, show);
const errors = reports.flatMap(({ attack, errors }) => errors.map((failure) => `${attack ?? 'quiet'}: ${failure}`));
if (addresses > 0) {
  const compared = await compareAddresses(engine, addresses, randomInt, options.program);
  const medians = Object.entries(compared.mediansMs).map(([kind, ms]) => `${kind} ${ms.toFixed(2)}`);
  const ranks = Object.entries(compared.differences).map(([pair, ranked]) => `${pair} ${ranked.toFixed(2)}`);
  process.stdout.write(`\n${addresses} addresses each, median in milliseconds: ${medians.join(', ')}\n`);
  process.stdout.write(`Differences by ranks, in standard deviations: ${ranks.join('; ')}\n`);
  errors.push(...compared.errors);
}
process.stdout.write(errors.length === 0 ? '\nNothing gave way.\n' : `\n${errors.join('\n')}\n`);
process.exit(errors.length === 0 ? 0 : 1);
