/** The subject of a measurement: Latchkey on a full database, or a second control. */
import type { Database } from '@latchkey/server/storage/contract/database.ts';
import { fillThroughApi } from './api-filling.ts';
import { SESSION_LIFETIME_MS } from './catalogue.ts';
import type { Driver, Server } from './comparison.ts';
import { type CertificateWithKey, startControl } from './control-server.ts';
import type { Customers } from './customers.ts';
import { startDatabase } from './database.ts';
import { createDestinations, type DestinationsPlan, startReceiver } from './destinations.ts';
import type { Endpoint } from './endpoints.ts';
import { type LatchkeyServer, startLatchkey } from './latchkey.ts';
import type { RequestSource } from './pool.ts';
import type { ProcessRoots } from './processes.ts';
import { progressOf } from './progress.ts';
import { rehearsedAnswer, rehearsedRequests } from './rehearsal.ts';
import { requestsTo } from './requests.ts';
import { type Contents, type Seeded, seed } from './seed.ts';
import { recordRound } from './tab-round.ts';
import type { Tabs } from './tabs.ts';

/** A running server with suitable requests. */
export interface Subject {
  /** Name in the report and in orders to the driver. */
  readonly name: string;
  requestsTo(endpoint: Endpoint): RequestSource;
  /** A response of the subject, for the control to send too. The driver must have loaded the endpoint's requests. */
  exampleAnswer(endpoint: Endpoint, driver: Driver): Promise<string>;
  /** @param answer the control's response */
  server(answer: string): Server;
}

/** Starts a second control; `running` stops it. */
export async function secondControl(tls: CertificateWithKey | null, running: AsyncDisposableStack): Promise<Subject> {
  const control = running.adopt(await startControl(tls), (server) => server.stop());
  const { address, pid } = control;
  const name = 'control 2';
  return {
    name,
    requestsTo: rehearsedRequests,
    exampleAnswer: async (endpoint) => {
      await control.answerWith(rehearsedAnswer(endpoint));
      return rehearsedAnswer(endpoint);
    },
    server: (answer) => ({ name, addresses: [address], fixedAnswer: answer, processes: { [name]: pid } }),
  };
}

/** Fills a database and starts Latchkey on it, for comparison with the control; `running` stops it. */
export async function latchkeySubject(
  plan: LatchkeySubjectPlan & FillingPlan,
  running: AsyncDisposableStack,
): Promise<Subject> {
  const { server, seeded, secrets } = await seededLatchkey(plan, running);
  await fillThroughApi(
    { addresses: server.addresses, adminSecret: secrets.admin },
    plan.filled,
    progressOf(`filling ${server.name} through its API`),
  );
  const [address] = server.addresses;
  return {
    name: server.name,
    requestsTo: (endpoint) => requestsTo(endpoint, seeded, plan.machinesPerLicense),
    exampleAnswer: async (endpoint, driver) => {
      const { body, error } = await driver.ask({ kind: 'probe', server: server.name, address: address! }, 'probed');
      if (error !== null) throw new Error(`the first answer of /${endpoint} is wrong: ${error}`);
      return body;
    },
    server: () => server,
  };
}

/** Configuration of the subject. */
export interface LatchkeySubjectPlan {
  /** Name in the report. */
  readonly name: string;
  readonly engine: Database['engine'];
  /** Number of processes on one database. */
  readonly nodes: number;
  readonly contents: Contents;
  /** As in `Options`; null by default. */
  readonly machinesPerLicense?: number | null;
  /** As in `Options`; none by default. */
  readonly destinations?: DestinationsPlan | null;
  /** None by default. They sign in once the service is ready. */
  readonly customers?: Customers | null;
  /** None by default. They are opened once the service is ready. */
  readonly tabs?: Tabs | null;
  /** Directory of this run alone, which contains a certificate for TLS. */
  readonly dataDirectory: string;
  /** That certificate as PEM text; null for plain HTTP. */
  readonly certificate: string | null;
}

/** What a service has done before it is measured. */
export interface FillingPlan {
  /** Licenses that are created through its API. */
  readonly filled: number;
}

/** Latchkey on a full database. */
export interface SeededLatchkey {
  readonly server: Server;
  readonly seeded: Seeded;
  /** Secrets of the first node. */
  readonly secrets: LatchkeyServer['secrets'];
}

/** Fills a database and starts Latchkey on it; `running` stops it. */
export async function seededLatchkey(
  plan: LatchkeySubjectPlan,
  running: AsyncDisposableStack,
): Promise<SeededLatchkey> {
  const { name, engine, nodes, contents, dataDirectory, certificate } = plan;
  const { destinations = null, customers = null, tabs = null } = plan;
  const { database, processes } = await startDatabase(engine, dataDirectory, running);
  const progress = progressOf(`seeding ${contents.licenses.toLocaleString('en')} licenses`);
  const seeded = await seed(database, contents, progress);
  const receiver = destinations === null ? null : await startReceiver(dataDirectory, running);
  const floatingTimeout = `${SESSION_LIFETIME_MS / 1000}s`;
  const environment = { ...receiver?.environment, ...customers?.environment };
  const started: LatchkeyServer[] = [];
  while (started.length < nodes) {
    const latchkey = await startLatchkey({ database, dataDirectory, certificate, floatingTimeout, environment });
    started.push(running.adopt(latchkey, (server) => server.stop()));
  }
  if (destinations !== null && receiver !== null) await createDestinations(destinations, receiver, started[0]!);
  const nodeProcesses: ProcessRoots = Object.fromEntries(
    started.map(({ pid }, index) => [nodes === 1 ? name : `node ${index + 1}`, pid]),
  );
  const addresses = started.map(({ address }) => address);
  await customers?.signIn(addresses, seeded.catalogue);
  await tabs?.open(addresses, await recordRound(started[0]!, seeded.catalogue));
  return {
    server: {
      ...{ name, addresses, fixedAnswer: null, processes: { ...nodeProcesses, ...processes } },
      ...{ sideLoads: [customers, tabs].filter((each) => each !== null), isPausedBetween: true },
    },
    seeded,
    secrets: started[0]!.secrets,
  };
}
