/** The steps of apps, and the checks that they make while time passes. */
import assert from 'node:assert/strict';
import { machineFingerprint } from '../../packages/client/src/node.ts';
import { mustBeAs, mustSucceed, mustTell } from './answers.ts';
import type { DriverAnswer, DriverProcess } from './driver-process.ts';
import type { Drivers } from './drivers.ts';
import { millisecondsOf } from './durations.ts';
import type { Call } from './front.ts';
import type { Machine } from './machine.ts';
import { mustMatch } from './matching.ts';
import { issuedKeyIn, requestIn, timesIn, traced } from './normal.ts';
import { optionsOf } from './options.ts';
import { passTime } from './passing.ts';
import type { Expectations, Step, StepOf } from './scenario.ts';
import type { Stage } from './stage.ts';

/** An app: a driver's process on a machine. */
interface App {
  readonly machine: Machine;
  readonly process: DriverProcess;
  /** Whether it goes back to the pool. */
  readonly isPooled: boolean;
  answer: DriverAnswer;
  /** The time of its next check; Infinity if none is planned. */
  dueAt: number;
  /** The time of its last answer. */
  actedAt: number;
  /** Since when it has to look at the clock, although it plans no check; Infinity if it has not. */
  looksAt: number;
  isClosed: boolean;
}

export class Apps {
  readonly #stage: Stage;
  readonly #drivers: Drivers;
  readonly #isLenient: boolean;
  readonly #apps = new Map<string, App>();
  #stated: ReadonlySet<number> = new Set();
  #lastCall: Call | undefined;
  /** The calls since time began to pass. */
  #recent: Call[] = [];
  /** One entry for each answer, in a form that is the same for every client. */
  readonly trace: unknown[] = [];

  /** @param isLenient whether functions may fail */
  constructor(stage: Stage, drivers: Drivers, isLenient: boolean) {
    this.#stage = stage;
    this.#drivers = drivers;
    this.#isLenient = isLenient;
  }

  /** The times that these steps mention are the same in every playing, and stay as they are in the trace. */
  mention(steps: readonly Step[]): void {
    this.#stated = timesIn(steps);
  }

  async open({ open: name, options = {}, start = true, ...expectations }: StepOf<'open'>): Promise<void> {
    const machine = await this.#stage.machineOf(name);
    const isPooled = options.directory !== 'default';
    const known = this.#apps.get(name);
    const process = await this.#processFor(machine, known, isPooled);
    const given = await optionsOf(this.#stage, machine, options);
    const answer = await process.send({ do: 'create', options: given, ...this.#stage.timesOf(machine) });
    const never = Number.POSITIVE_INFINITY;
    const app = { machine, process, isPooled, answer, dueAt: never, actedAt: 0, looksAt: never, isClosed: false };
    this.#apps.set(name, app);
    if (!start || answer.error !== undefined) return this.#take(name, app, answer, expectations);
    await this.command({ ...expectations, app: name, do: 'start' });
  }

  /** The process of an app, which may have had a client before. One whose client was closed takes another process. */
  async #processFor(machine: Machine, known: App | undefined, isPooled: boolean): Promise<DriverProcess> {
    if (known !== undefined && !(known.isClosed && known.isPooled)) return known.process;
    if (known !== undefined) {
      if (machine.isFull) await machine.fill(known.process.processId, false);
      // A client that was dropped, or used after its end, counts as running for as long as its process lives.
      if (await machine.hasClientOf(known.process.processId)) await known.process.kill();
      else this.#drivers.giveBack(known.process);
    }
    const process = isPooled
      ? await this.#drivers.take()
      : await this.#drivers.startWith({ XDG_STATE_HOME: machine.base });
    if (machine.isFull) await machine.fill(process.processId, true);
    return process;
  }

  async command(step: StepOf<'app'>): Promise<void> {
    const { app: name, expect: _e, error: _r, value, next: _n, calls: _c, sent: _s, keep, ...command } = step;
    const { names } = this.#stage;
    const app = this.#apps.get(name);
    if (app === undefined) throw new Error(`no app is called ${name}`);
    const isValueSent = step.do === 'fingerprint';
    const answer = await app.process.send({
      ...(step.do === 'clock' ? this.#stage.timesOf(app.machine) : {}),
      ...names.filled(command),
      ...(isValueSent ? { value: names.filled(value) } : {}),
    });
    if (step.do === 'close' || step.do === 'start') app.isClosed = step.do === 'close';
    if (keep !== undefined) names.set(String(keep), String(answer.value));
    const decoded = step.do === 'exportRequest' ? { ...answer, value: requestIn(answer.value) } : answer;
    await this.#take(name, app, decoded, isValueSent ? { ...step, value: undefined } : step);
  }

  /** Takes an answer: compares it with the expectations, and adds it to the trace. */
  async #take(name: string, app: App, answer: DriverAnswer, expectations: Expectations): Promise<void> {
    const { names, startedAt, world } = this.#stage;
    const before = app.answer;
    app.answer = answer;
    app.dueAt = world.now + (answer.next ?? Number.POSITIVE_INFINITY);
    app.actedAt = world.now;
    app.looksAt = Number.POSITIVE_INFINITY;
    const calls = this.#takeCalls();
    const surroundings = { names: names.all, startedAt, stated: this.#stated };
    this.trace.push(traced({ name, answer, calls, stored: await app.machine.text() }, surroundings));
    mustTell(answer, before);
    if (!this.#isLenient) mustSucceed(answer, expectations.error);
    mustBeAs(expectations, answer, calls, names, world.now);
  }

  #takeCalls(): readonly Call[] {
    const { names, machines, world } = this.#stage;
    const calls = world.front.take(new Set(machines.map(({ id }) => id)));
    this.#recent.push(...calls);
    this.#lastCall = calls.at(-1) ?? this.#lastCall;
    for (const call of calls) {
      // The service makes the key of a trial, which no step has named.
      const key = issuedKeyIn(call);
      if (key !== null && ![...names.all.values()].includes(key)) names.setKey('own-key', key);
    }
    return calls;
  }

  /** The last call told the fingerprint that the reference finds on this machine. */
  async mustHaveSentFingerprint(): Promise<void> {
    const { directory } = await this.#stage.machineOf('a');
    const awaited = { machineFingerprint: await machineFingerprint('app', directory) };
    mustMatch(this.#lastCall?.body, awaited, this.#stage.world.now, 'sent');
  }

  async kill(name: string): Promise<void> {
    await this.#apps.get(name)?.process.kill();
    this.#apps.delete(name);
  }

  async setDisk({ disk, machine: name = 'a' }: StepOf<'disk'>): Promise<void> {
    const machine = await this.#stage.machineOf(name);
    if (disk === 'blocked' || disk === 'unblocked') return machine.block(disk === 'blocked');
    machine.isFull = disk === 'full';
    for (const app of this.#apps.values())
      if (app.machine === machine) await machine.fill(app.process.processId, machine.isFull);
  }

  /** Moves the time; each check on the way is made at its time. */
  async pass({ pass, calls, counts = {} }: StepOf<'pass'>): Promise<void> {
    this.#recent = [];
    const [error] = await passTime([this], this.#stage.world, millisecondsOf(pass));
    if (error != null) throw new Error(error);
    const paths = this.#recent.map(({ path }) => path);
    if (calls !== undefined) assert.deepEqual(paths, calls);
    for (const [path, count] of Object.entries(counts))
      assert.equal(paths.filter((each) => each === path).length, count, `calls of ${path}: ${paths.join()}`);
  }

  /** See passing.ts. */
  get nextMomentAt(): number {
    const moments = [...this.#apps.values()].map(({ dueAt, looksAt }) => Math.min(dueAt, looksAt));
    return Math.max(this.#stage.world.now + 1, Math.min(...moments));
  }

  /** See passing.ts. After a check, the other apps of the machine look at the clock, and so at the stored state. */
  async act(): Promise<void> {
    const { now } = this.#stage.world;
    const acting = new Map<Machine, string>();
    for (const [name, { machine, dueAt, looksAt }] of this.#apps)
      if (Math.min(dueAt, looksAt) <= now && !acting.has(machine)) acting.set(machine, name);
    for (const [machine, name] of acting) {
      const isCheck = this.#apps.get(name)!.dueAt <= now;
      await this.command({ app: name, do: 'clock' });
      if (!isCheck) continue;
      for (const app of this.#apps.values())
        if (app.machine === machine && app.actedAt < now) app.looksAt = Math.min(app.looksAt, now);
    }
  }

  lookFrom(time: number): void {
    for (const app of this.#apps.values()) if (app.actedAt < time) app.looksAt = time;
  }

  get isLooking(): boolean {
    return [...this.#apps.values()].some(({ looksAt }) => looksAt !== Number.POSITIVE_INFINITY);
  }

  /** The machines sleep: nothing is done on the way, and only some clocks go on. */
  async sleep(milliseconds: number): Promise<void> {
    const { world } = this.#stage;
    this.sleepFor(milliseconds);
    world.now += milliseconds - 1;
    const [error] = await passTime([this], world, 1);
    if (error != null) throw new Error(error);
  }

  /** Tells the clocks of the machines about a sleep, whose time the caller lets pass. */
  sleepFor(milliseconds: number): void {
    for (const machine of this.#stage.machines) machine.sleptMs += milliseconds;
  }

  async end(): Promise<void> {
    for (const [name, { process, machine, isPooled }] of this.#apps) {
      this.#apps.delete(name);
      if (machine.isFull && process.isRunning) await machine.fill(process.processId, false);
      if (isPooled && process.isRunning) this.#drivers.giveBack(process);
      else await process.kill();
    }
  }
}
