/**
 * The service of an operator who meets every incident: on its own disk, killed, restored, and with a clock that may be
 * wrong.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN_SECRET, type Answer, sendRequest } from '../../../server/test/support/app.ts';
import { type Ended, runCommandHere } from '../../../server/test/support/command.ts';
import { processEnvironment } from '../../../server/test/support/process-environment.ts';

export class Service {
  readonly #directory: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #now: () => number;
  readonly #believesEveryClock: boolean;
  readonly #agent = new Agent({ keepAlive: false, rejectUnauthorized: false });
  #process: ChildProcess | null = null;
  #lastTime = 0;
  /** Settles when the service knows the last time. */
  #told: Promise<unknown> = Promise.resolve();
  /** The error of its clock in milliseconds. */
  skewMs = 0;
  port = 0;

  private constructor(
    directory: string,
    environment: Readonly<Record<string, string>>,
    now: () => number,
    believesEveryClock: boolean,
  ) {
    this.#believesEveryClock = believesEveryClock;
    this.#directory = directory;
    this.#environment = { ...environment, LATCHKEY_DATA_DIR: directory };
    this.#now = now;
  }

  /**
   * @param now the correct time, milliseconds since 1970
   * @param believesEveryClock whether the service takes any jump of its clock for true, as tests that move it by years
   * @param base the parent of its folder
   */
  static async make(
    environment: Readonly<Record<string, string>>,
    now: () => number,
    believesEveryClock = false,
    base = tmpdir(),
  ): Promise<Service> {
    const directory = await mkdtemp(join(base, 'latchkey-outage-'));
    const service = new Service(directory, environment, now, believesEveryClock);
    await service.start();
    return service;
  }

  /** The time by its own clock. */
  get time(): number {
    return this.#now() + this.skewMs;
  }

  get isUp(): boolean {
    return this.#process !== null;
  }

  async start(): Promise<void> {
    const bare = { HOST: '127.0.0.1', PORT: '0', LATCHKEY_ADMIN_SECRET: ADMIN_SECRET, LATCHKEY_LOG_LEVEL: 'error' };
    this.#lastTime = this.time;
    const child = fork(
      join(import.meta.dirname, 'service-process.ts'),
      [String(this.time), this.#believesEveryClock ? 'believes' : ''],
      {
        env: { ...processEnvironment, ...bare, ...this.#environment },
        execArgv: [],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    );
    const failed = once(child, 'exit').then(() => assert.fail('the service ended'));
    failed.catch(() => {});
    const [{ port }] = (await Promise.race([once(child, 'message'), failed])) as [{ port: number }];
    this.port = port;
    this.#told = Promise.resolve();
    this.#process = child;
  }

  /** Kills it at once, as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Sends it the time. Call this before every request. */
  async tellTime(): Promise<void> {
    const { time } = this;
    if (time !== this.#lastTime && this.#process !== null) {
      this.#lastTime = time;
      this.#told = once(this.#process, 'message');
      this.#process.send(time);
    }
    await this.#told;
  }

  /** Sends a call of the operator, bypassing the proxy in front of the service. */
  async admin(path: string, body: Readonly<Record<string, unknown>>): Promise<Answer['body']> {
    assert.ok(this.isUp, 'the service is down');
    await this.tellTime();
    const whole = { adminSecret: ADMIN_SECRET, ...body };
    const answer = await sendRequest(this.#agent, this.port, path, whole, {});
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Runs a command of the operator. */
  async command(...args: readonly string[]): Promise<Ended> {
    const ended = await runCommandHere(args, this.#environment);
    assert.equal(ended.code, 0, ended.err);
    return ended;
  }

  /** The path for a file of the operator. */
  place(name: string): string {
    return join(this.#directory, name);
  }

  /** Replaces the database with a backup. Returns the path of the previous database. */
  async restore(file: string): Promise<string> {
    assert.equal(this.isUp, false);
    const before = new Set(await readdir(this.#directory));
    await this.command('restore', file);
    const kept = (await readdir(this.#directory)).find((name) => name.includes('.before-') && !before.has(name));
    assert.ok(kept !== undefined, 'the previous database is kept');
    return this.place(kept);
  }

  async remove(): Promise<void> {
    await this.kill();
    this.#agent.destroy();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
