/**
 * Checks that nothing acknowledged is lost: a real server serves many connections and is killed with SIGKILL at a
 * random moment under load. Restarted on the same data, it must have every license, activation and deactivation that it
 * ever acknowledged, its counts must equal its rows, its events must match the changes exactly, and each event must
 * have been sent. After each kill the licenses that were in use are compared, now and then and at the end all of them.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ADMIN_SECRET, type Answer } from '../support/app.ts';
import { type Engine, freshDatabase } from '../support/databases.ts';
import { SentEvents } from '../support/sent-events.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { assertMachineEvents, checkCreations, eventsOfLicense } from './crash-events.ts';

/** Number of concurrent calls. */
const WORKERS = 32;
/** Number of licenses that a round makes before it only uses existing ones. */
const LICENSES_PER_ROUND = 150;
const MACHINES_PER_LICENSE = 5;
/** Fewer than the machines that want a slot, so that the limit is tested all the time. */
const MACHINE_LIMIT = 3;
/** Activation attempts per license: below the limit of 15 per hour, which other tests cover. */
const ATTEMPTS_PER_LICENSE = 14;
/** A round ends after a random number of acknowledged requests between these, or when its time is up. */
const FEWEST_ACKNOWLEDGED = 200;
const MAX_ACKNOWLEDGED = 800;
const LONGEST_ROUND_MS = 20_000;
/** Every other round ends after at most this many requests at a receiver of events, in the midst of sending. */
const MAX_ARRIVED = 300;
/**
 * Maximum number of events that have arrived but are not saved when a process dies: 500 of a second without a request,
 * 125 of the quarter of a second between two saves, and 16 requests under way. No request begins during a save, so the
 * number does not depend on the speed of the machine.
 */
const MAX_UNSAVED = 500 + 125 + 16;
/** Rounds between two comparisons of everything, which take longer with each round. */
const ROUNDS_PER_WHOLE_CHECK = 20;
/** A short extra delay, so that the kill does not always coincide with a reply. */
const LONGEST_DELAY_MS = 10;
/** Longer than the time between two saves of the sender, so that a kill meets every step of a delivery. */
const LONGEST_DELAY_OF_SENDING_MS = 400;

/**
 * Known state of a machine. `unknown`: a request was in flight when the server died; the machine is left alone from
 * then on.
 */
type MachineState = 'bound' | 'unbound' | 'unknown';

interface Machine {
  readonly fingerprint: string;
  state: MachineState;
  token: string;
  /** The types of the events that its acknowledged changes must have left, oldest first. */
  readonly changes: string[];
  /** Event type of a change that may or may not have been made. */
  unknown: string | null;
  /** A request about this machine is in flight; there is never more than one. */
  isBusy: boolean;
}

interface License {
  readonly key: string;
  readonly isFloating: boolean;
  readonly machines: readonly Machine[];
  attempts: number;
}

/** Extent of a proof. */
export interface CrashReport {
  readonly rounds: number;
  readonly licenses: number;
  /** Acknowledged, and found after the restart. */
  readonly activations: number;
  readonly deactivations: number;
  /** Requests that were in flight when the server died. */
  readonly interrupted: number;
}

/** Extent of a proof with the events that were sent. */
export interface CrashOutcome extends CrashReport {
  /** Events that arrived at the receiver. */
  readonly sent: number;
  /** Those that arrived more than once, because a kill came before they were saved as delivered. */
  readonly sentAgain: number;
  /** The most events at one kill that had arrived and were not saved yet. */
  readonly maxUnsaved: number;
}

/**
 * Kills a server this many times.
 *
 * @param say receives a line for every round that held
 * @throws AssertionError when something acknowledged is gone, or a count is wrong
 */
export async function crashRounds(engine: Engine, rounds: number, say: (line: string) => void): Promise<CrashOutcome> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-crash-'));
  const fresh = engine === 'postgres' ? await freshDatabase(engine) : null;
  const database = fresh?.database ?? { engine: 'sqlite', file: join(directory, 'latchkey.db') };
  // A call may wait for as long as a busy machine needs.
  const sent = await SentEvents.start();
  const environment = {
    LATCHKEY_DATA_DIR: directory,
    LATCHKEY_QUEUE_WAIT: '1m',
    // No session lapses between the two calls that count sessions, however long all rounds take.
    LATCHKEY_FLOATING_TIMEOUT: '1d',
    ...sent.environment,
  };
  const start = () => startServerProcess(database, environment, sent.program);
  const story = new Story();
  let server: ServerProcess | undefined;
  let maxUnsaved = 0;
  try {
    for (let round = 1; round <= rounds; round++) {
      server = await start();
      await sent.createAt(server);
      await story.check(server, round % ROUNDS_PER_WHOLE_CHECK === 0);
      await story.drive(server, round, round % 2 === 0 ? sent : null);
      const unsaved = await sent.noteDeath(database);
      maxUnsaved = Math.max(maxUnsaved, unsaved);
      assert.ok(unsaved <= MAX_UNSAVED, `${unsaved} events had arrived and were not saved`);
      say(`killed ${round}: ${JSON.stringify({ ...story.report(round), unsaved })}`);
    }
    server = await start();
    await story.check(server, true);
    const { events, repeated } = await sent.check(database);
    assert.equal(await server.stop(), 0, 'after all crashes it stops in order');
    return { ...story.report(rounds), sent: events, sentAgain: repeated, maxUnsaved };
  } finally {
    await server?.kill();
    await sent.stop();
    await fresh?.remove();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Everything acknowledged, over all rounds. */
class Story {
  readonly #licenses: License[] = [];
  /** Licenses that were in use since the last comparison. */
  readonly #used = new Set<License>();
  #activations = 0;
  #deactivations = 0;
  #interrupted = 0;
  #onAcknowledged = () => {};

  report(rounds: number): CrashReport {
    return {
      rounds,
      licenses: this.#licenses.length,
      activations: this.#activations,
      deactivations: this.#deactivations,
      interrupted: this.#interrupted,
    };
  }

  /** Keeps a server busy and kills it under load; with `sent`, once events have arrived there. */
  async drive(server: ServerProcess, round: number, sent: SentEvents | null): Promise<void> {
    let made = 0;
    const timer = setTimeout(() => server.kill(), LONGEST_ROUND_MS);
    const enough = FEWEST_ACKNOWLEDGED + randomInt(MAX_ACKNOWLEDGED - FEWEST_ACKNOWLEDGED);
    let acknowledged = 0;
    this.#onAcknowledged = () => {
      if (++acknowledged === enough && sent === null) setTimeout(() => server.kill(), randomInt(LONGEST_DELAY_MS));
    };
    const arrived = sent?.arrive(1 + randomInt(MAX_ARRIVED), server.ended).then(async () => {
      await wait(randomInt(LONGEST_DELAY_OF_SENDING_MS));
      await server.kill();
    });
    const work = async () => {
      for (;;) {
        const isMaking = made < LICENSES_PER_ROUND && randomInt(3) === 0;
        if (isMaking) made++;
        const isAlive = isMaking ? await this.#create(server, round) : await this.#useMachine(server);
        if (!isAlive) return;
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, work)).finally(() => clearTimeout(timer));
    await arrived;
    // Its connections may be gone a moment before the process is.
    await server.kill();
    assert.notEqual(this.#interrupted, 0, 'nothing was under way when the server died');
  }

  async #create(server: ServerProcess, round: number): Promise<boolean> {
    const isFloating = randomInt(3) === 0;
    const answer = await this.#ask(() =>
      server.send('/createLicense', {
        adminSecret: ADMIN_SECRET,
        email: `round-${round}@example.com`,
        productId: 'app',
        maxMachines: MACHINE_LIMIT,
        licenseType: isFloating ? 'floating' : 'per-machine',
      }),
    );
    if (answer === null) return false;
    assert.equal(answer.status, 200);
    const machines = Array.from({ length: MACHINES_PER_LICENSE }, (_, index) => ({
      fingerprint: `machine-${index}`,
      state: 'unbound' as const,
      token: '',
      changes: [],
      unknown: null,
      isBusy: false,
    }));
    const license = { key: answer.body.licenseKey, isFloating, machines, attempts: 0 };
    this.#licenses.push(license);
    this.#used.add(license);
    return true;
  }

  async #useMachine(server: ServerProcess): Promise<boolean> {
    // One of the newest licenses, where many workers meet.
    const license =
      this.#licenses[this.#licenses.length - 1 - randomInt(Math.max(1, Math.min(this.#licenses.length, 40)))];
    const machine = license?.machines[randomInt(MACHINES_PER_LICENSE)];
    if (license === undefined || machine === undefined || machine.isBusy || machine.state === 'unknown') {
      await wait(1);
      return this.#isReachable(server);
    }
    machine.isBusy = true;
    this.#used.add(license);
    const isAlive =
      machine.state === 'bound'
        ? await this.#unbind(server, license, machine)
        : await this.#bind(server, license, machine);
    machine.isBusy = false;
    return isAlive;
  }

  async #isReachable(server: ServerProcess): Promise<boolean> {
    return (await this.#ask(() => server.send('/verify', { licenseKey: 'none', productId: 'app' }))) !== null;
  }

  async #bind(server: ServerProcess, license: License, machine: Machine): Promise<boolean> {
    if (license.attempts >= ATTEMPTS_PER_LICENSE) return this.#isReachable(server);
    license.attempts++;
    const answer = await this.#ask(() =>
      server.send('/activate', {
        licenseKey: license.key,
        machineFingerprint: machine.fingerprint,
        hostname: 'host',
        productId: 'app',
      }),
    );
    if (answer?.status === 200) {
      machine.state = 'bound';
      machine.changes.push('activation.created');
      machine.token = answer.body.token;
      this.#activations++;
      assert.ok(answer.body.machinesUsed <= MACHINE_LIMIT);
    } else if (answer === null) leaveAlone(machine, 'activation.created');
    else assert.equal(answer.body.error, `Machine limit reached (${MACHINE_LIMIT}). Deactivate another machine first.`);
    return answer !== null;
  }

  async #unbind(server: ServerProcess, license: License, machine: Machine): Promise<boolean> {
    const answer = await this.#ask(() => server.send('/deactivate', tokenFields(license, machine)));
    if (answer === null) leaveAlone(machine, 'activation.deleted');
    else {
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      machine.state = 'unbound';
      machine.changes.push('activation.deleted');
      this.#deactivations++;
    }
    return answer !== null;
  }

  /** The reply, or null when the server died before it came. */
  async #ask(send: () => Promise<Answer>): Promise<Answer | null> {
    try {
      const answer = await send();
      this.#onAcknowledged();
      return answer;
    } catch {
      this.#interrupted++;
      return null;
    }
  }

  /**
   * Compares the acknowledged changes with the data of a restarted server.
   *
   * @param isWhole true for every license, false for those in use since the last call
   */
  async check(server: ServerProcess, isWhole: boolean): Promise<void> {
    const licenses = isWhole ? this.#licenses : [...this.#used];
    this.#used.clear();
    let next = 0;
    const work = async () => {
      for (let license = licenses[next++]; license !== undefined; license = licenses[next++])
        await checkLicense(server, license);
    };
    await Promise.all(Array.from({ length: WORKERS }, work));
    if (isWhole) await checkCreations(server);
  }
}

/** The change may or may not have been made, so the machine is not used again. */
function leaveAlone(machine: Machine, change: string): void {
  machine.state = 'unknown';
  machine.unknown = change;
}

const tokenFields = (license: License, { fingerprint, token }: Machine) => ({
  licenseKey: license.key,
  machineFingerprint: fingerprint,
  token,
});

async function checkLicense(server: ServerProcess, license: License): Promise<void> {
  const { key } = license;
  const { status, body } = await server.send('/getLicense', { adminSecret: ADMIN_SECRET, licenseKey: key });
  assert.equal(status, 200, `the license ${key} is gone`);
  const activations: { fingerprint: string; sessionActive: boolean }[] = body.activations;
  const bound = activations.map(({ fingerprint }) => fingerprint);
  for (const { fingerprint, state } of license.machines) {
    const isBound = bound.includes(fingerprint);
    if (state === 'bound') assert.ok(isBound, `the activation of ${fingerprint} of ${key} is gone`);
    if (state === 'unbound')
      assert.ok(!isBound, `${fingerprint} of ${key} was never bound, or its deactivation is undone`);
  }
  const events = await eventsOfLicense(server, key);
  for (const machine of license.machines)
    assertMachineEvents(key, machine, bound.includes(machine.fingerprint), events);
  assert.equal(body.activationCount, bound.length, `machines are miscounted on ${key}`);
  assert.ok(bound.length <= MACHINE_LIMIT, `${bound.length} machines on ${key}`);

  const sessions = activations.filter(({ sessionActive }) => sessionActive).length;
  const verified = await server.send('/verify', { licenseKey: key, productId: 'app' });
  assert.equal(
    verified.body.machinesUsed,
    license.isFloating ? sessions : bound.length,
    `slots are miscounted on ${key}`,
  );
  const machine = license.machines.find(({ state }) => state === 'bound');
  if (machine !== undefined)
    assert.equal(
      (await server.send('/validate', tokenFields(license, machine))).status,
      200,
      `a token of ${key} is dead`,
    );
}
