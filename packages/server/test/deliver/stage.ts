/** A real service with real receivers: its processes, its database, and the calls that make events. */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { SecretsKey } from '../../src/platform/sealing/seal.ts';
import { loadConfig } from '../../src/runtime/config/read-config.ts';
import { openSecretsKey } from '../../src/runtime/config/secrets.ts';
import type { Storage } from '../../src/storage/contract/storage.ts';
import { openStorage } from '../../src/storage/opening/open.ts';
import type { SenderBounds } from '../../src/webhooks/deliveries/sender-bounds.ts';
import { ADMIN_SECRET } from '../support/app.ts';
import { environmentOf } from '../support/command.ts';
import { mustSucceed } from '../support/creator.ts';
import { type Engine, freshDatabase } from '../support/databases.ts';
import type { SendingPlan } from '../support/sending-service.ts';
import { SeparateReceiver } from '../support/separate-receiver.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import type { TestDatabase } from '../support/test-database.ts';

/** The program below src/ that a process of the service runs, with its argument. */
export function sendingProgram(plan: SendingPlan): [string, string] {
  return ['../test/support/sending-service.ts', JSON.stringify(plan)];
}

/** Settings with which every process of the service sends events to a receiver of the tests. */
export function sendingEnvironment(receiver: Pick<SeparateReceiver, 'caFile'>): Readonly<Record<string, string>> {
  return { LATCHKEY_DELIVERY_CA_FILE: receiver.caFile, LATCHKEY_SECRETS_KEY: SECRETS_KEY };
}

const SECRETS_KEY = 'a-secrets-key-of-the-deliveries';
/** One activation attempt less than a license may have in an hour. */
const MACHINES_OF_LICENSE = 14;
/** Events of a license that two nodes change in turn. */
const CHANGES_OF_LICENSE = 10;
const CALLS_AT_ONCE = 16;
/** Calls start in groups at this interval. */
const TICK_MS = 20;
/** Ticks of the processor in a second, by which Linux counts. */
const TICKS_PER_SECOND = 100;

/** How to open a {@link Stage}. */
export interface StageOptions {
  readonly engine: Engine;
  readonly addresses?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly sender?: Partial<SenderBounds>;
  /** A program and its arguments in place of the sources of the service, which may send to `addresses`. */
  readonly program?: readonly [string, ...string[]];
}

/** See the head of this file. */
export class Stage {
  readonly receiver: SeparateReceiver;
  readonly #options: StageOptions;
  readonly #database: TestDatabase;
  readonly #nodes: ServerProcess[] = [];
  #license = '';
  #machines = MACHINES_OF_LICENSE;

  private constructor(options: StageOptions, database: TestDatabase, receiver: SeparateReceiver) {
    this.#options = options;
    this.#database = database;
    this.receiver = receiver;
  }

  /** Opens a stage without a service. */
  static async open(options: StageOptions): Promise<Stage> {
    const receiver = await SeparateReceiver.start(options.addresses ?? ['127.1.0.1']);
    return new Stage(options, await freshDatabase(options.engine), receiver);
  }

  get secretsKey(): SecretsKey {
    return openSecretsKey(loadConfig({ LATCHKEY_SECRETS_KEY: SECRETS_KEY })) as SecretsKey;
  }

  /** Starts a process of the service. */
  async startNode(): Promise<ServerProcess> {
    const { database } = this.#database;
    const { environment = {}, sender = {}, program } = this.#options;
    const node = await startServerProcess(
      database,
      {
        ...environmentOf(database),
        ...sendingEnvironment(this.receiver),
        LATCHKEY_LOG_LEVEL: 'info',
        LATCHKEY_QUEUE_WAIT: '1m',
        ...environment,
      },
      program ?? sendingProgram({ addresses: this.receiver.addresses, sender }),
    );
    this.#nodes.push(node);
    return node;
  }

  /** Opens the database, which no process of the service uses on SQLite. */
  async withStorage<Result>(work: (storage: Storage) => Promise<Result>): Promise<Result> {
    const storage = await openStorage(this.#database.database);
    try {
      return await work(storage);
    } finally {
      await storage.close();
    }
  }

  /** Creates a destination of the operator, and has its signatures checked. */
  async destination(node: ServerProcess, path: string, fields: object = {}): Promise<string> {
    const { destinationId, secret } = await this.admin(node, '/createDestination', {
      url: this.receiver.url(path),
      types: ['*'],
      requestsPerSecond: 500,
      ...fields,
    });
    await this.receiver.check(path, secret);
    return destinationId;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the body depends on the path
  admin(node: ServerProcess, path: string, fields: object): Promise<any> {
    return mustSucceed(node.send(path, { adminSecret: ADMIN_SECRET, ...fields }));
  }

  /** Makes one event: a new license, or a new machine of the last one. */
  async makeEvent(node: ServerProcess): Promise<void> {
    if (this.#machines >= MACHINES_OF_LICENSE) {
      this.#machines = 0;
      const order = { email: 'ada@example.com', productId: 'app', licenseType: 'site', maxMachines: -1 };
      this.#license = (await this.admin(node, '/createLicense', order)).licenseKey;
      return;
    }
    this.#machines += 1;
    const machineFingerprint = `machine-${this.#machines}`;
    const fields = { licenseKey: this.#license, machineFingerprint, hostname: machineFingerprint, productId: 'app' };
    await mustSucceed(node.send('/activate', fields));
  }

  /**
   * Creates `events` events, a multiple of 10, as changes of licenses. Each change of a license is made at the next
   * node.
   */
  async changeInTurn(nodes: readonly ServerProcess[], events: number): Promise<void> {
    let made = 0;
    const work = async () => {
      while (made < events) {
        const number = made / CHANGES_OF_LICENSE;
        made += CHANGES_OF_LICENSE;
        const nodeAt = (turn: number) => nodes[(number + turn) % nodes.length]!;
        const order = { email: 'ada@example.com', productId: 'app', maxMachines: 1 };
        const { licenseKey } = await this.admin(nodeAt(0), '/createLicense', order);
        for (let turn = 1; turn < CHANGES_OF_LICENSE; turn++)
          await this.admin(nodeAt(turn), '/updateLicense', { licenseKey, maxMachines: turn + 1 });
      }
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
  }

  /** Makes one event, a new license of a product. */
  async makeLicense(node: ServerProcess, productId: string): Promise<string> {
    return (await this.admin(node, '/createLicense', { email: 'ada@example.com', productId })).licenseKey;
  }

  /** Makes events at a steady rate, whether or not the earlier ones are answered. */
  async makeEvents(node: ServerProcess, perSecond: number, seconds: number): Promise<number> {
    const total = Math.round(perSecond * seconds);
    const beganAt = performance.now();
    const calls: Promise<void>[] = [];
    while (calls.length < total) {
      const due = Math.min(total, Math.ceil(((performance.now() - beganAt) / 1000) * perSecond));
      while (calls.length < due) {
        const making = this.makeEvent(node);
        calls.push(making);
        // The next events need the key of a new license.
        if (this.#machines === 0) await making;
      }
      await wait(TICK_MS);
    }
    await Promise.all(calls);
    return total;
  }

  async stopNode(node: ServerProcess): Promise<void> {
    this.#nodes.splice(this.#nodes.indexOf(node), 1);
    await node.stop();
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.kill()));
    await this.receiver.stop();
    await this.#database.remove();
  }
}

/** The resident memory of a process in bytes, and its CPU time in seconds; Linux only. */
export function usageOf({ pid }: Pick<ServerProcess, 'pid'>): { readonly bytes: number; readonly cpuSeconds: number } {
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  // The name of the program, in brackets, may hold blanks; the fields are counted from behind it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return { bytes: kilobytes * 1024, cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND };
}
