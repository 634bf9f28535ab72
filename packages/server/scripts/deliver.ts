/** Measures how events and e-mails are sent (test/deliver/deliver-run.ts). */
import { type DeliverExtent, type Figure, FULL_EXTENT, PROOFS, prove } from '../test/deliver/deliver-run.ts';
import { engines } from '../test/support/databases.ts';
import { readCommandLine, refuseCommandLine } from './command-line.ts';

const number = (value: number) => ({ type: 'string', default: String(value) }) as const;
const USAGE = `Usage: npm run deliver -- [options]

Measures how events and e-mails are sent. Exits with 1 if a figure misses its limit.

  --engine ENGINE    ${engines.join(' or ')}; may be repeated (both)
  --only PROOF       ${PROOFS.join(', ')}; may be repeated (all)
  --seconds N        how long the rate and the delay are measured (${FULL_EXTENT.seconds})
  --waiting N        events that waited for their receiver (${FULL_EXTENT.waiting})
  --events N         events of two nodes, a multiple of 10 (${FULL_EXTENT.events})
  --weekly N         events while a receiver is down (${FULL_EXTENT.weekly})
  --destinations N   a multiple of 20 (${FULL_EXTENT.destinations})
  --idle-seconds N   how long an idle service is measured (${FULL_EXTENT.idleSeconds})
  --mails N          e-mails to a mail server that takes ten a second (${FULL_EXTENT.mails})
`;

const { values } = readCommandLine(USAGE, {
  engine: { type: 'string', multiple: true, default: [...engines] },
  only: { type: 'string', multiple: true, default: [...PROOFS] },
  seconds: number(FULL_EXTENT.seconds),
  waiting: number(FULL_EXTENT.waiting),
  events: number(FULL_EXTENT.events),
  weekly: number(FULL_EXTENT.weekly),
  destinations: number(FULL_EXTENT.destinations),
  'idle-seconds': number(FULL_EXTENT.idleSeconds),
  mails: number(FULL_EXTENT.mails),
});
const chosenEngines = engines.filter((each) => values.engine.includes(each));
const proofs = PROOFS.filter((each) => values.only.includes(each));
const extent: DeliverExtent = {
  seconds: Number(values.seconds),
  waiting: Number(values.waiting),
  events: Number(values.events),
  weekly: Number(values.weekly),
  destinations: Number(values.destinations),
  idleSeconds: Number(values['idle-seconds']),
  mails: Number(values.mails),
};
const areNumbers = Object.values(extent).every((each) => Number.isInteger(each) && each > 0);
const areKnown = chosenEngines.length === new Set(values.engine).size && proofs.length === new Set(values.only).size;
if (!areKnown || !areNumbers || extent.destinations % 20 !== 0 || extent.events % 10 !== 0)
  refuseCommandLine(
    `--engine is one of ${engines.join(', ')}; --only is one of ${PROOFS.join(', ')}; --seconds, --waiting, ` +
      '--weekly, --idle-seconds, --mails, --events (a multiple of 10) and --destinations (a multiple of 20) are whole numbers from 1',
  );

function show({ name, value, unit, most, least }: Figure): boolean {
  const hasMissed = (most !== null && value > most) || (least !== null && value < least);
  const limit =
    most !== null ? `at most ${most.toFixed(most < 10 ? 1 : 0)}` : least !== null ? `at least ${least}` : '';
  const shown = `${value.toFixed(1)} ${unit}`.padStart(14);
  process.stdout.write(`  ${name.padEnd(62)}${shown}   ${limit}${hasMissed ? '   MISSED' : ''}\n`);
  return hasMissed;
}

let hasFailed = false;
for (const engine of chosenEngines)
  for (const proof of proofs) {
    // A SQLite file has one node.
    if (proof === 'nodes' && engine === 'sqlite') continue;
    process.stdout.write(`${proof} on ${engine}\n`);
    const { figures, errors } = await prove(proof, engine, extent);
    for (const figure of figures) hasFailed = show(figure) || hasFailed;
    for (const error of errors) process.stdout.write(`  ${error}\n`);
    if (errors.length > 0) hasFailed = true;
  }
process.exit(hasFailed ? 1 : 0);
