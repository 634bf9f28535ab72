/** One playing of a scenario, or of a random walk: its machines, apps and licenses. */
import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { machineFingerprint } from '../../packages/client/src/node.ts';
import type { DriverAnswer, DriverProcess } from './driver-process.ts';
import type { Drivers } from './drivers.ts';
import { millisecondsOf } from './durations.ts';
import { edit } from './edit.ts';
import { FAULTS } from './faults.ts';
import type { Call, Fault } from './front.ts';
import { Machine } from './machine.ts';
import { isIn, mustMatch } from './matching.ts';
import { requestIn, timesIn, traced } from './normal.ts';
import { passTime } from './passing.ts';
import type { Expectations, OptionsOfScenario, Scenario, Step } from './scenario.ts';
import type { Trust, World } from './world.ts';

/** An app: a driver's process on a machine. */
interface App {
  readonly machine: Machine;
  readonly process: DriverProcess;
  /** Whether it goes back to the pool. */
  readonly isPooled: boolean;
  answer: DriverAnswer;
  /** The time of its next check; Infinity if none is planned. */
  dueAt: number;
}

function fingerprintOf({ id }: Machine): string {
  return `fingerprint of ${id}`;
}

const RIVAL = 'a rival';

export class Play {
  readonly world: World;
  readonly #drivers: Drivers;
  readonly #machines = new Map<string, Machine>();
  readonly #apps = new Map<string, App>();
  /** License keys and other texts by their names in the scenario. */
  readonly names = new Map<string, string>();
  readonly #trusts = new Map<string, Trust>();
  readonly #copies = new Map<string, string>();
  readonly #rivals = new Map<string, { readonly fingerprint: string; readonly token: string }>();
  readonly #startedAt: number;
  #stated: ReadonlySet<number> = new Set();
  #monotonicAt: number;
  readonly #isLenient: boolean;
  #lastCall: Call | undefined;
  #backup = '';
  /** The calls since the last step began. */
  #recent: Call[] = [];
  /** One entry for each answer, in a form that is the same for every client. */
  readonly trace: unknown[] = [];

  /** @param isLenient whether functions may fail, as on a random walk, which compares failures instead */
  constructor(world: World, drivers: Drivers, isLenient = false) {
    this.world = world;
    this.#drivers = drivers;
    // Answers tell the time in whole seconds, so only playings that begin with a second agree.
    world.now = Math.ceil(world.now / 1000) * 1000;
    this.#startedAt = world.now;
    this.#monotonicAt = world.now;
    this.#isLenient = isLenient;
    this.names.set('product', `product-of-${world.nextMachine()}`);
  }

  /** Whether a driver can play a scenario. */
  async canPlay({ needs }: Scenario): Promise<boolean> {
    const driver = await this.#drivers.take();
    this.#drivers.giveBack(driver);
    return needs.every((need) => driver.can.has(need));
  }

  async run({ steps }: Pick<Scenario, 'steps'>): Promise<void> {
    this.#stated = timesIn(steps);
    for (const [index, step] of steps.entries()) {
      try {
        await this.step(step);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        throw new Error(`step ${index + 1}, ${JSON.stringify(step).slice(0, 300)}: ${message}`, { cause: error });
      }
    }
  }

  /** Ends the apps and leaves the world as it was found. */
  async end(): Promise<void> {
    for (const [name, { process, machine, isPooled }] of this.#apps) {
      this.#apps.delete(name);
      if (machine.isFull) await machine.fill(process.processId, false);
      if (isPooled) this.#drivers.giveBack(process);
      else await process.kill();
    }
    for (const machine of this.#machines.values()) {
      this.world.front.faults.delete(machine.id);
      await machine.discard();
    }
    this.world.service.skewMs = 0;
    if (!this.world.service.isUp) await this.world.service.start();
  }

  /** The machine of an app: `a2` runs on the machine `a`. */
  async machineOf(app: string): Promise<Machine> {
    const name = app.replace(/\d+$/, '');
    const known = this.#machines.get(name);
    if (known !== undefined) return known;
    const machine = await Machine.make(name, this.world.nextMachine());
    this.#machines.set(name, machine);
    this.names.set(`fp-${name}`, fingerprintOf(machine));
    return machine;
  }

  /** Replaces `{name}` by its value in all texts, and `{"in": "3d"}` by a time. */
  filled<Value>(value: Value): Value {
    if (typeof value === 'string')
      return value.replace(/\{([\w-]+)\}/g, (whole, name: string) => this.names.get(name) ?? whole) as Value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => this.filled(each)) as Value;
    const entries = Object.entries(value);
    if (entries.length === 1 && entries[0]?.[0] === 'in')
      return new Date(this.world.now + millisecondsOf(entries[0][1])).toISOString() as Value;
    return Object.fromEntries(entries.map(([name, each]) => [name, this.filled(each)])) as Value;
  }

  async step(step: Step): Promise<void> {
    const { world } = this;
    // Steps of the operator may name the fingerprint of a machine that has no app yet.
    for (const [, name = ''] of JSON.stringify(step).matchAll(/\{fp-(\w+)\}/g)) await this.machineOf(name);
    if ('app' in step) return this.#command(step.app, step);
    if ('license' in step) return this.#makeLicense(step.license, step.with ?? {});
    if ('admin' in step) return this.#admin(step);
    if ('trust' in step) return this.#keepTrust(step.trust);
    if ('fingerprint' in step) {
      const awaited = await machineFingerprint('app', (await this.machineOf('a')).directory);
      return mustMatch(this.#lastCall?.body, { machineFingerprint: awaited }, world.now, 'sent');
    }
    if ('open' in step) return this.#open(step.open, step.options ?? {}, step.start ?? true, step);
    if ('kill' in step) return this.#kill(step.kill);
    if ('pass' in step) return this.#pass(step);
    if ('sleep' in step) return this.#sleep(millisecondsOf(step.sleep));
    if ('network' in step) return this.#setNetwork(step.network, step.machine);
    if ('clock' in step) {
      const machine = await this.machineOf(step.machine ?? 'a');
      machine.skewMs = step.clock === 'right' ? 0 : machine.skewMs + millisecondsOf(step.clock);
      return;
    }
    if ('serverClock' in step) {
      world.service.skewMs = step.serverClock === 'right' ? 0 : millisecondsOf(step.serverClock);
      return;
    }
    if ('service' in step) return this.#service(step.service);
    if ('rival' in step) {
      for (let times = 0; times < (step.times ?? 1); times++)
        await this.#rival(step.rival, step.key, step.name ?? 'rival');
      return;
    }
    if ('disk' in step) return this.#disk(step.disk, step.machine ?? 'a');
    if ('edit' in step) return this.#edit(step);
    if ('stored' in step) {
      const text = await (await this.machineOf(step.machine ?? 'a')).text();
      if (step.stored === null) return assert.equal(text, null);
      return mustMatch(JSON.parse(text ?? 'null'), this.#named(step.stored), world.now, 'stored');
    }
    if ('files' in step) return assert.deepEqual(await (await this.machineOf(step.machine ?? 'a')).files(), step.files);
    if ('folder' in step) {
      const machine = await this.machineOf(step.machine ?? 'a');
      const modes = await Promise.all(
        [machine.directory, machine.place('state')].map(async (path) => (await stat(path)).mode & 0o777),
      );
      return assert.deepEqual(modes, [0o700, 0o600]);
    }
    const { activationCount } = await world.service.admin('/getLicense', {
      licenseKey: this.filled(`{${step.key}}`),
    });
    assert.equal(activationCount, step.used, `${step.key} has ${activationCount} activations`);
  }

  /** Keeps the present keys, and their ids as names: `{name-0}` is the first one's. */
  async #keepTrust(name: string): Promise<void> {
    const trust = await this.world.trust();
    this.#trusts.set(name, trust);
    for (const [index, { kid }] of trust.publicKeys.entries()) this.names.set(`${name}-${index}`, kid);
    this.names.set(`${name}-last`, trust.publicKeys.at(-1)?.kid ?? '');
  }

  async #makeLicense(name: string, order: Readonly<Record<string, unknown>>): Promise<void> {
    const whole = { email: 'ada@example.com', productId: 'app', ...this.filled(order) };
    const { licenseKey } = await this.world.service.admin('/createLicense', whole);
    this.names.set(name, licenseKey);
    this.names.set(`${name}-hint`, licenseKey.slice(licenseKey.lastIndexOf('-') + 1));
  }

  async #admin(step: Extract<Step, { readonly admin: string }>): Promise<void> {
    const key = step.key === undefined ? {} : { licenseKey: this.filled(`{${step.key}}`) };
    const called = this.world.service.admin(step.admin, { ...key, ...this.filled(step.with ?? {}) });
    const answer = await (this.#isLenient ? called.catch(() => null) : called);
    if (step.as !== undefined) this.names.set(step.as, String(answer[step.take ?? '']));
  }

  async #service(what: 'kill' | 'start' | 'backup' | 'restore' | 'rotate'): Promise<void> {
    const { service } = this.world;
    if (what === 'kill') await service.kill();
    if (what === 'start') await service.start();
    if (what === 'backup') this.#backup = await this.world.backup();
    if (what === 'rotate') await this.world.rotateKey();
    if (what === 'restore') await this.world.restore(this.#backup);
  }

  async #rival(what: 'takes' | 'leaves', key: string, name: string): Promise<void> {
    const { service } = this.world;
    const licenseKey = this.filled(`{${key}}`);
    const rival = `${key} ${name}`;
    if (what === 'takes') {
      const fingerprint = `${RIVAL} ${this.world.nextMachine()}`;
      const fields = { licenseKey, machineFingerprint: fingerprint, hostname: RIVAL, productId: 'app' };
      const { token } = await service.admin('/activate', fields);
      this.#rivals.set(rival, { fingerprint, token });
      return;
    }
    const { fingerprint, token } = this.#rivals.get(rival)!;
    await service.admin('/deactivate', { licenseKey, machineFingerprint: fingerprint, token });
  }

  #setNetwork(network: string | Fault | readonly Fault[], machine?: string): void {
    const faults =
      typeof network === 'string' ? FAULTS[network] : Array.isArray(network) ? network : [network as Fault];
    if (faults === undefined) throw new Error(`no network is called ${network}`);
    const machines = machine === undefined ? [...this.#machines.values()] : [this.#machines.get(machine)!];
    for (const { id } of machines) this.world.front.faults.set(id, this.filled([...faults]));
  }

  async #disk(what: 'full' | 'free' | 'blocked' | 'unblocked', name: string): Promise<void> {
    const machine = await this.machineOf(name);
    if (what === 'blocked' || what === 'unblocked') return machine.block(what === 'blocked');
    machine.isFull = what === 'full';
    for (const app of this.#apps.values())
      if (app.machine === machine) await machine.fill(app.process.processId, machine.isFull);
  }

  async #edit(step: Extract<Step, { readonly edit: string }>): Promise<void> {
    const machine = await this.machineOf(step.machine ?? 'a');
    const { set = {}, text, ...same } = step;
    const given = { ...same, set: this.#timed(set), ...(text === undefined ? {} : { text: this.filled(text) }) };
    await edit(machine, given, this.#copies, this.world.now);
  }

  /** Fills in names, and `{"in": "3d"}` as milliseconds since 1970. */
  #timed<Value>(value: Value): Value {
    const revived = JSON.parse(JSON.stringify(this.#named(value)), (_, each) =>
      isIn(each) ? this.world.now + millisecondsOf(each.in) : each,
    );
    return revived as Value;
  }

  /** Fills in names only; times stay as they are, to be compared or computed. */
  #named<Value>(value: Value): Value {
    return JSON.parse(
      JSON.stringify(value).replace(/\{([\w-]+)\}/g, (whole, name: string) => this.names.get(name) ?? whole),
    );
  }

  #timesOf(machine: Machine): { readonly now: number; readonly monotonic: number } {
    const monotonic = this.world.now - this.#monotonicAt + 1_000_000 - machine.sleptMs;
    return { now: this.world.now + machine.skewMs, monotonic };
  }

  async #open(name: string, options: OptionsOfScenario, isStarted: boolean, expectations: Expectations): Promise<void> {
    const machine = await this.machineOf(name);
    const known = this.#apps.get(name);
    const isOwn = options.directory === 'default';
    const process =
      known?.process ??
      (isOwn ? await this.#drivers.startWith({ XDG_STATE_HOME: machine.base }) : await this.#drivers.take());
    if (machine.isFull && known === undefined) await machine.fill(process.processId, true);
    const given = await this.#optionsOf(machine, options);
    const answer = await process.send({ do: 'create', options: given, ...this.#timesOf(machine) });
    const app = { machine, process, isPooled: !isOwn, answer, dueAt: Number.POSITIVE_INFINITY };
    this.#apps.set(name, app);
    if (!isStarted || answer.error !== undefined) return this.#answered(name, app, answer, expectations);
    await this.#command(name, { ...expectations, app: name, do: 'start' });
  }

  async #optionsOf(machine: Machine, options: OptionsOfScenario): Promise<object> {
    const { trust, server = ['0'], fingerprint, directory, buildDate, ca, ...same } = options;
    const { world } = this;
    const certificate = join(machine.base, 'ca.pem');
    if (ca !== undefined) await writeFile(certificate, world.tls.certificate);
    const address = (text: string) => {
      if (/^\d\/*$/.test(text)) return `${world.origin}/${machine.id}/${text}`;
      if (text === 'tls') return `${world.tls.origin}/${machine.id}/0`;
      if (text === 'unknown-tls') return `${world.tls.unknownOrigin}/${machine.id}/0`;
      if (text === 'nobody') return 'http://127.0.0.1:9/x';
      return text;
    };
    return {
      productId: 'app',
      hostname: `computer of ${machine.name}`,
      ...(trust === undefined ? {} : trust === true ? await world.trust() : this.#trusts.get(trust as string)),
      ...this.filled(same),
      server: (server as readonly string[]).map(address),
      ...(ca === undefined ? {} : { ca: certificate }),
      ...(directory === 'default' ? {} : { directory: machine.directory }),
      ...(fingerprint === 'default'
        ? {}
        : { fingerprint: fingerprint === undefined ? fingerprintOf(machine) : this.filled(fingerprint) }),
      ...(buildDate === undefined ? {} : { buildDate: this.filled(buildDate) }),
    };
  }

  async #command(name: string, step: Readonly<Record<string, unknown>> & Expectations): Promise<void> {
    const app = this.#apps.get(name);
    if (app === undefined) throw new Error(`no app is called ${name}`);
    const { app: _, expect: _e, error: _r, value, next: _n, calls: _c, sent: _s, keep, ...command } = step;
    const isValueSent = step.do === 'fingerprint';
    const answer = await app.process.send({
      ...(step.do === 'clock' ? this.#timesOf(app.machine) : {}),
      ...this.filled(command),
      ...(isValueSent ? { value: this.filled(value) } : {}),
    });
    if (keep !== undefined) this.names.set(String(keep), String(answer.value));
    const decoded = step.do === 'exportRequest' ? { ...answer, value: requestIn(answer.value) } : answer;
    await this.#answered(name, app, decoded, isValueSent ? { ...step, value: undefined } : step);
  }

  async #kill(name: string): Promise<void> {
    await this.#apps.get(name)?.process.kill();
    this.#apps.delete(name);
  }

  /** Takes an answer: compares it with the expectations, and adds it to the trace. */
  async #answered(name: string, app: App, answer: DriverAnswer, expectations: Expectations): Promise<void> {
    const before = app.answer.state?.status ?? null;
    const status = answer.state?.status ?? null;
    app.answer = answer;
    app.dueAt = this.world.now + (answer.next ?? Number.POSITIVE_INFINITY);
    const calls = this.#callsSince();
    const state = await app.machine.text();
    const surroundings = { names: this.names, startedAt: this.#startedAt, stated: this.#stated };
    this.trace.push(traced({ name, answer, calls, stored: state }, surroundings));
    const { now } = this.world;
    if (status !== before && before !== null)
      assert.equal(answer.notices.at(-1), status, `the last notice is ${answer.notices.at(-1)}, the state ${status}`);
    const { expect, error, value, next, calls: awaited, sent } = expectations;
    const context = JSON.stringify(answer.error ?? answer.state);
    if (!this.#isLenient) assert.equal(answer.error === undefined, error === undefined, `the error: ${context}`);
    if (error !== undefined) mustMatch(answer.error, this.#named(error), now, 'error');
    if (expect !== undefined) mustMatch(answer.state, this.#named(expect), now, 'state');
    if (value !== undefined) mustMatch(answer.value, this.#named(value), now);
    if (next !== undefined)
      assert.equal(answer.next, next === null ? null : millisecondsOf(next), `next: ${answer.next}`);
    if (awaited !== undefined)
      assert.deepEqual(
        calls.map(({ path }) => path),
        awaited,
      );
    if (sent !== undefined) mustMatch(calls.at(-1)?.body, this.#named(sent), now, 'sent');
  }

  #callsSince(): readonly Call[] {
    const calls = this.world.front.take(new Set([...this.#machines.values()].map(({ id }) => id)));
    this.#recent.push(...calls);
    this.#lastCall = calls.at(-1) ?? this.#lastCall;
    return calls;
  }

  /** Moves the time; each check on the way is made at its time. */
  async #pass(step: Extract<Step, { readonly pass: string }>): Promise<void> {
    this.#recent = [];
    await passTime([this], this.world, millisecondsOf(step.pass));
    const paths = this.#recent.map(({ path }) => path);
    if (step.calls !== undefined) assert.deepEqual(paths, step.calls);
    for (const [path, count] of Object.entries(step.counts ?? {}))
      assert.equal(paths.filter((each) => each === path).length, count, `calls of ${path}: ${paths.join()}`);
  }

  /** The time at which the next check of an app is due; Infinity if none is planned. */
  get nextCheckAt(): number {
    return Math.max(this.world.now + 1, Math.min(...[...this.#apps.values()].map(({ dueAt }) => dueAt)));
  }

  /**
   * Lets apps see the present time, and make the checks that are due.
   *
   * @param isWhole whether every app does; otherwise those with a due check, and the other apps of their machines
   */
  async tick(isWhole = true): Promise<void> {
    const apps = [...this.#apps];
    const due = new Set(apps.filter(([, { dueAt }]) => dueAt <= this.world.now).map(([, { machine }]) => machine));
    for (const [name, { machine }] of apps) if (isWhole || due.has(machine)) await this.#command(name, { do: 'clock' });
  }

  /** The machines sleep: nothing is done on the way, and only some clocks go on. */
  async #sleep(milliseconds: number): Promise<void> {
    for (const machine of this.#machines.values()) machine.sleptMs += milliseconds;
    this.world.now += milliseconds;
    await this.tick();
  }
}
