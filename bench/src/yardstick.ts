/** The server that Latchkey is measured against: the control, or the Latchkey of another checkout. */
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fillThroughApi } from './api-filling.ts';
import type { Server } from './comparison.ts';
import { type CertificateWithKey, startControl } from './control-server.ts';
import type { Endpoint } from './endpoints.ts';
import type { RequestSource } from './pool.ts';
import { certificateIn } from './program.ts';
import { progressOf } from './progress.ts';
import { requestsTo } from './requests.ts';
import type { FillingPlan, LatchkeySubjectPlan, seededLatchkey } from './subject.ts';

/** A running server to compare with. */
export interface Yardstick {
  /** Name in the report and in orders to the driver. */
  readonly name: string;
  /** Requests of its own; null if it takes those of the subject. */
  requestsTo(endpoint: Endpoint): RequestSource | null;
  /** @param answer the first response of the subject, which the control repeats */
  server(answer: string): Promise<Server>;
}

/** Starts the control; `running` stops it. */
export async function controlYardstick(
  tls: CertificateWithKey | null,
  running: AsyncDisposableStack,
): Promise<Yardstick> {
  const control = running.adopt(await startControl(tls), (server) => server.stop());
  const { address, pid } = control;
  return {
    name: 'control',
    requestsTo: () => null,
    async server(answer) {
      await control.answerWith(answer);
      return { name: 'control', addresses: [address], fixedAnswer: answer, processes: { control: pid } };
    },
  };
}

/**
 * Starts the Latchkey of another checkout on a database that the bench of that checkout fills, because the schema is
 * that version's. `running` stops it.
 *
 * @param checkout a folder with its dependencies installed
 * @param plan as for the subject; the other version gets its own folder below the data directory
 */
export async function latchkeyYardstick(
  checkout: string,
  plan: LatchkeySubjectPlan & FillingPlan,
  running: AsyncDisposableStack,
): Promise<Yardstick> {
  const benchModule = (name: string) => import(pathToFileURL(join(checkout, 'bench', 'src', name)).href);
  const other: { seededLatchkey: typeof seededLatchkey } = await benchModule('subject.ts');
  const { requestsTo: requestsToOther }: { requestsTo: typeof requestsTo } = await benchModule('requests.ts');
  const name = basename(checkout);
  const dataDirectory = join(plan.dataDirectory, 'beside');
  await mkdir(dataDirectory, { mode: 0o700 });
  const certificate = plan.certificate === null ? null : (await certificateIn(dataDirectory)).certificate;
  const ofOther = { ...plan, destinations: null, customers: null, tabs: null, name, dataDirectory, certificate };
  const { server, seeded, secrets } = await other.seededLatchkey(ofOther, running);
  await fillThroughApi(
    { addresses: server.addresses, adminSecret: secrets.admin },
    plan.filled,
    progressOf(`filling ${name} through its API`),
  );
  return {
    name,
    // Older versions know no --machines-per-license; both must get the same mixture of new and known machines.
    requestsTo: (endpoint) =>
      endpoint === 'activate'
        ? requestsTo(endpoint, seeded, plan.machinesPerLicense)
        : requestsToOther(endpoint, seeded),
    // Older versions do not say that they may be paused.
    server: async () => ({ ...server, isPausedBetween: true }),
  };
}
