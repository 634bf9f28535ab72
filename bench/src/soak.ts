/**
 * `npm run soak`: checks if the memory of a busy server grows. Machines activate, use all client endpoints and
 * deactivate, so the database keeps its size.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalogue } from './catalogue.ts';
import { Client } from './client.ts';
import { liveOnce, REQUESTS_PER_LIFE } from './machine-life.ts';
import { memoryTable, type Sample, verdictOn, verdictText } from './memory-watch.ts';
import { readMemoryBytes } from './processes.ts';
import { certificateIn, runProgram } from './program.ts';
import { progressOf } from './progress.ts';
import { runConditions } from './report.ts';
import { readSoakOptions, SOAK_USAGE, type SoakOptions } from './soak-options.ts';
import { type SeededLatchkey, seededLatchkey } from './subject.ts';

/** The server's name in the readings of its processes. */
const NAME = 'latchkey';
const SAMPLE_INTERVAL_MS = 2000;
/** Number of lives per license and hour: one below the limit of 15 activations. */
const LIVES_PER_LICENSE = 14;
/**
 * Step through the licenses, so that all parts of the tables are used early. It is prime, so that no license is left
 * out.
 */
const STRIDE = 7919;

/** Progress of all connections together. */
interface Tally {
  lives: number;
}

/** Runs lives on one license after another until the time is up. */
async function keepBusy(client: Client, catalogue: Catalogue, tally: Tally, isOver: () => boolean): Promise<void> {
  const usable = catalogue.size - catalogue.firstActive;
  while (!isOver()) {
    const life = tally.lives;
    tally.lives += 1;
    if (life >= usable * LIVES_PER_LICENSE) throw new Error('the licenses are used up; take more of them');
    const license = catalogue.license(catalogue.firstActive + ((life * STRIDE) % usable));
    await liveOnce(client, license, `soaking-${life}`);
  }
}

/** Keeps the server busy and samples its memory. */
async function soak(
  { server, seeded }: SeededLatchkey,
  { minutes, connections }: SoakOptions,
): Promise<readonly Sample[]> {
  const [address] = server.addresses;
  const clients = await Promise.all(Array.from({ length: connections }, () => Client.connect(address!)));
  const progress = progressOf('soaking');
  const beganMs = performance.now();
  const endMs = beganMs + minutes * 60_000;
  const tally: Tally = { lives: 0 };
  let hasEnded = false;
  const isOver = () => hasEnded || performance.now() >= endMs;
  const busy = Promise.all(clients.map((client) => keepBusy(client, seeded.catalogue, tally, isOver))).finally(() => {
    hasEnded = true;
  });
  const samples: Sample[] = [];
  while (!isOver()) {
    await Promise.race([sleep(Math.min(SAMPLE_INTERVAL_MS, endMs - performance.now())), busy]);
    const seconds = (performance.now() - beganMs) / 1000;
    const memoryBytes = readMemoryBytes(server.processes)[NAME];
    if (memoryBytes === undefined) throw new Error('the memory of a process can be read on Linux only');
    samples.push({ seconds, requests: tally.lives * REQUESTS_PER_LIFE, memoryBytes });
    progress(Math.min(seconds, minutes * 60), minutes * 60);
  }
  await busy;
  for (const client of clients) client.close();
  return samples;
}

await runProgram({
  usage: SOAK_USAGE,
  readOptions: readSoakOptions,
  async run(options, directory, running) {
    const { engine, licenses, minutes, connections, tls } = options;
    const { node, cores, processor } = runConditions();
    const how = `${connections} connections, ${minutes} minutes, ${tls ? 'HTTPS' : 'plain HTTP'}`;
    process.stdout.write(`Latchkey, ${engine}, ${licenses.toLocaleString('en')} licenses, ${how}\n`);
    process.stdout.write(`Node ${node}, ${cores} cores, ${processor}\n\n`);
    const certificate = tls ? (await certificateIn(directory)).certificate : null;
    const contents = { licenses };
    const plan = { name: NAME, engine, nodes: 1, contents, dataDirectory: directory, certificate };
    const samples = await soak(await seededLatchkey(plan, running), options);
    const verdict = verdictOn(samples);
    process.stdout.write(`${memoryTable(samples)}\n\n${verdictText(verdict)}\n`);
    return verdict.isFlat;
  },
});
