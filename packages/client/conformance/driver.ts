/** The driver of this client, see clients/conformance/PROTOCOL.md. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import {
  BadLicenseFile,
  createLatchkey,
  fileStorage,
  type Latchkey,
  machineFingerprint,
  type NodeOptions,
  Refused,
  type StateStorage,
  stateDirectory,
  Unreachable,
} from '../src/node.ts';
import { CommandClock } from './command-clock.ts';

/** The options of the command `create`. */
interface CreateOptions {
  readonly server: readonly string[];
  readonly productId: string;
  readonly issuer?: string;
  readonly publicKeys?: readonly { readonly kid: string; readonly x: string }[];
  readonly stolenKeys?: readonly string[];
  readonly directory?: string;
  readonly fingerprint?: string | null;
  readonly hostname?: string;
  readonly user?: string;
  readonly version?: string;
  readonly buildDate?: string;
  readonly heartbeatMs?: number;
  readonly requestTimeoutMs?: number;
  readonly release?: 'small-pools' | 'always' | 'never';
  readonly reactivate?: 'auto' | 'ask';
  readonly offlineUses?: number;
  readonly graceDays?: number;
  readonly graceFloatingHours?: number;
  readonly ca?: string;
  readonly random?: number;
  readonly countsSleep?: boolean;
}

interface Command {
  readonly do: string;
  readonly options?: CreateOptions;
  readonly now?: number;
  readonly monotonic?: number;
  readonly key?: string;
  readonly times?: number;
  readonly name?: string;
  readonly text?: string;
  readonly value?: string | null;
  readonly meter?: string;
  readonly units?: number;
  readonly requestId?: string;
  readonly order?: { readonly variant?: string; readonly email?: string };
}

/** The client of one `create`, with its clock and the ends of its storage. */
class Driven {
  readonly clock: CommandClock;
  readonly client: Latchkey;
  notices: string[] = [];
  #fingerprint: string | null | undefined;
  #onStored: () => void = () => {};

  constructor(options: CreateOptions, clock: CommandClock) {
    this.clock = clock;
    this.#fingerprint = options.fingerprint;
    this.client = createLatchkey(this.#options(options));
    this.client.on('state', ({ new: state }) => this.notices.push(state.status));
  }

  #options(options: CreateOptions): NodeOptions {
    const { fingerprint: _, graceDays, graceFloatingHours, ca, random = 0.5, countsSleep: __, ...same } = options;
    const directory = options.directory ?? stateDirectory(options.productId);
    const grace = {
      ...(graceDays === undefined ? {} : { days: graceDays }),
      ...(graceFloatingHours === undefined ? {} : { floatingHours: graceFloatingHours }),
    };
    return {
      ...same,
      grace,
      ...(ca === undefined ? {} : { ca: readFileSync(ca, 'utf8') }),
      fingerprint: () => this.#findFingerprint(options.productId, directory),
      storage: this.#watched(fileStorage(directory)),
      clock: this.clock,
      random: () => random,
    } as NodeOptions;
  }

  async #findFingerprint(productId: string, directory: string): Promise<string> {
    if (this.#fingerprint === undefined) return machineFingerprint(productId, directory);
    if (this.#fingerprint === null) throw new Error('the fingerprint cannot be found');
    return this.#fingerprint;
  }

  /** The command `clock` takes the place of looking every two seconds. */
  #watched(storage: StateStorage): StateStorage {
    return {
      ...storage,
      watch: (onChange) => {
        this.#onStored = onChange;
        return () => {
          this.#onStored = () => {};
        };
      },
    };
  }

  set fingerprint(text: string | null) {
    this.#fingerprint = text;
  }

  /** Notices a changed file, and makes the checks that are due. */
  async tick(): Promise<void> {
    this.#onStored();
    await this.settled();
    if (!this.clock.countsSleep) this.clock.wake();
    await this.fire();
  }

  /** Makes the checks that are due. */
  async fire(): Promise<void> {
    await this.settled();
    while (this.clock.fire()) await this.settled();
  }

  async settled(): Promise<void> {
    await this.client.idle();
    await turn();
    await this.client.idle();
  }

  async run(command: Command): Promise<unknown> {
    const { client } = this;
    switch (command.do) {
      case 'start': {
        const { status } = await client.start();
        await this.tick();
        return status;
      }
      case 'clock':
        this.clock.set(command.now ?? 0, command.monotonic ?? 0);
        return this.tick();
      case 'state':
        return undefined;
      case 'activate':
        return void (await client.activate(command.key));
      case 'startTrial':
        return void (await client.startTrial(command.order));
      case 'check':
        return void (await Promise.all(Array.from({ length: command.times ?? 1 }, () => client.check())));
      case 'feature':
        return client.feature(command.name ?? '') ?? null;
      case 'consume': {
        const { meter = '', units, requestId } = command;
        return client.consume(meter, units, requestId === undefined ? {} : { requestId });
      }
      case 'importFile':
        return void (await client.importFile(command.text ?? ''));
      case 'exportRequest':
        return client.exportRequest(command.key ?? '');
      case 'deactivate':
        return client.deactivate();
      case 'close':
        return client.close();
      case 'fingerprint':
        this.fingerprint = command.value ?? null;
        return undefined;
      default:
        throw new UnknownCommand();
    }
  }
}

class UnknownCommand extends Error {
  override readonly name = 'UnknownCommand';
}

function errorOf(error: unknown, command: Command): object {
  if (error instanceof Refused) {
    const { code, limit, retryAfterMs, resetsAt } = error;
    return {
      name: 'Refused',
      code,
      ...(limit === undefined ? {} : { limit }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(resetsAt === undefined ? {} : { resetsAt }),
    };
  }
  if (error instanceof Unreachable) return { name: 'Unreachable', kind: error.problem.kind };
  if (error instanceof BadLicenseFile) return { name: 'BadLicenseFile', reason: error.reason };
  if (error instanceof UnknownCommand) return { name: 'UnknownCommand' };
  if (error instanceof TypeError) return { name: command.do === 'create' ? 'InvalidOption' : 'NoKey' };
  return { name: 'NoFingerprint' };
}

let driven: Driven | null = null;

async function answer(command: Command): Promise<object> {
  let value: unknown;
  let failure: object | null = null;
  try {
    if (command.do === 'create') {
      driven = null;
      const { options, now = 0, monotonic = 0 } = command;
      if (options === undefined) throw new TypeError('no options');
      driven = new Driven(options, new CommandClock(now, monotonic, options.countsSleep ?? true));
    } else value = await driven?.run(command);
  } catch (error) {
    failure = errorOf(error, command);
  }
  await driven?.settled();
  const state = driven?.client.state ?? null;
  const notices = driven?.notices ?? [];
  if (driven !== null) driven.notices = [];
  const next = driven?.client.nextCheckMs ?? null;
  return {
    state,
    next: next === null ? null : Math.floor(next),
    notices,
    ...(value === undefined ? {} : { value }),
    ...(failure === null ? {} : { error: failure }),
  };
}

const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

print({
  driver: 'javascript',
  protocol: 1,
  can: [
    'tls',
    'default-fingerprint',
    'default-directory',
    'fingerprint-function',
    'uncounted-sleep',
    'features',
    'trials',
    'meters',
    'users',
  ],
});
for await (const line of createInterface({ input: process.stdin })) print(await answer(JSON.parse(line)));
// The app has crashed: its client is not closed.
process.exit(0);
