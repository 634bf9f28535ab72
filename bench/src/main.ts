/** `npm run bench`: options.ts tells what it measures, README.md how to read what it prints. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@latchkey/server/clock.ts';
import { readConfig } from '@latchkey/server/config.ts';
import { openCertificate } from '@latchkey/server/http/certificate.ts';
import { Child } from './child.ts';
import { type Comparison, compare, type Driver, type Server } from './comparison.ts';
import { type CertificateWithKey, startControl } from './control-server.ts';
import { type Options, OptionsError, readOptions, USAGE } from './options.ts';
import { writePool } from './pool.ts';
import { Progress } from './progress.ts';
import { circumstances, headline, table } from './report.ts';
import { secondControl, seededLatchkey } from './subject.ts';

/** Measures what the options ask for, and prints each endpoint as soon as it is done. `running` stops what it starts. */
async function measure(
  options: Options,
  directory: string,
  running: AsyncDisposableStack,
): Promise<readonly Comparison[]> {
  const tls = options.tls ? await certificateIn(directory) : null;
  const driver: Driver = running.adopt(new Child('./driver.ts'), (child) => child.stop());
  const subject =
    options.subject === 'control'
      ? await secondControl(tls, running)
      : await seededLatchkey(options, directory, tls?.certificate ?? null, running);
  const control = running.adopt(await startControl(tls), (server) => server.stop());

  const comparisons: Comparison[] = [];
  for (const endpoint of options.endpoints) {
    const pool = await writePool(join(directory, `${endpoint}.pool`), endpoint, subject.requestsTo(endpoint));
    await driver.ask({ kind: 'load', pool }, 'loaded');
    const answer = await subject.exampleAnswer(endpoint, driver);
    await control.answerWith(answer);
    const { address, pid } = control;
    const controlServer: Server = { name: 'control', address, fixedAnswer: answer, processes: { control: pid } };
    const progress = new Progress(`measuring ${endpoint}`);
    const comparison = await compare(driver, endpoint, controlServer, subject.server(answer), options, (done, total) =>
      progress.show(done, total),
    );
    process.stdout.write(`${table(comparison)}\n\n`);
    comparisons.push(comparison);
  }
  return comparisons;
}

/** The certificate that Latchkey would make for itself there, and finds there when it starts. */
function certificateIn(directory: string): Promise<CertificateWithKey> {
  return openCertificate(readConfig({ LATCHKEY_DATA_DIR: directory }), systemClock());
}

/** Prints the wrong answers; whether there were any. */
function tellFaults(comparisons: readonly Comparison[]): boolean {
  const faulty = comparisons.filter(({ faults }) => faults.count > 0);
  for (const { endpoint, faults } of faulty) {
    process.stderr.write(`${endpoint}: ${faults.count} wrong answers seen, such as\n`);
    for (const fault of new Set(faults.told)) process.stderr.write(`  ${fault}\n`);
  }
  return faulty.length > 0;
}

/** Rejects when the user has had enough, so that what runs is stopped and what was written is removed. */
function interruption(): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error('Interrupted.')));
  });
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === null) {
    process.stdout.write(USAGE);
    return;
  }
  const machine = circumstances();
  process.stdout.write(`${headline(options, machine)}\n\n`);
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-bench-'));
  try {
    await using running = new AsyncDisposableStack();
    const comparisons = await Promise.race([measure(options, directory, running), interruption()]);
    if (options.jsonFile !== null) {
      await writeFile(options.jsonFile, `${JSON.stringify({ options, machine, comparisons }, null, 2)}\n`);
    }
    if (tellFaults(comparisons)) process.exitCode = 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n${error instanceof OptionsError ? `\n${USAGE}` : ''}`);
  // Not only the exit code: what was interrupted may still be at work.
  process.exit(1);
}
