/** Processes of drivers, kept for the next app. */
import { DriverProcess, type Program } from './driver-process.ts';

/** The processes of the apps of a playing. */
export interface Drivers {
  /** A process for the next app. */
  take(): Promise<DriverProcess>;
  /** A process with an environment of its own. */
  startWith(environment: Readonly<Record<string, string>>): Promise<DriverProcess>;
  /** Keeps a process that was taken. */
  giveBack(driver: DriverProcess): void;
  /** Whether every app will have these abilities of PROTOCOL.md. */
  can(abilities: readonly string[]): Promise<boolean>;
}

/** Drivers of one language, which wait for their next app: to start a process takes longer than most scenarios. */
export class DriverPool implements Drivers {
  readonly #program: Program;
  #idle: DriverProcess[] = [];

  constructor(program: Program) {
    this.#program = program;
  }

  async take(): Promise<DriverProcess> {
    return this.#idle.pop() ?? DriverProcess.start(this.#program);
  }

  async startWith(environment: Readonly<Record<string, string>>): Promise<DriverProcess> {
    return DriverProcess.start(this.#program, { ...process.env, ...environment });
  }

  giveBack(driver: DriverProcess): void {
    this.#idle.push(driver);
  }

  async can(abilities: readonly string[]): Promise<boolean> {
    const driver = await this.take();
    this.giveBack(driver);
    return abilities.every((ability) => driver.can.has(ability));
  }

  async end(): Promise<void> {
    await Promise.all(this.#idle.map((driver) => driver.kill()));
  }
}

/** Drivers of several languages: each app that opens is written in the next language. */
export class DriversByTurns implements Drivers {
  readonly #pools: readonly DriverPool[];
  readonly #poolOf = new Map<DriverProcess, DriverPool>();
  readonly #stride: number;
  #next: number;

  /**
   * @param pools at least two
   * @param number of the playing: successive ones begin with each language in turn, and then go on with other pairs
   */
  constructor(pools: readonly DriverPool[], number: number) {
    this.#pools = pools;
    this.#next = number % pools.length;
    this.#stride = 1 + (Math.floor(number / pools.length) % (pools.length - 1));
  }

  async take(): Promise<DriverProcess> {
    const pool = this.#turn();
    const driver = await pool.take();
    this.#poolOf.set(driver, pool);
    return driver;
  }

  startWith(environment: Readonly<Record<string, string>>): Promise<DriverProcess> {
    return this.#turn().startWith(environment);
  }

  giveBack(driver: DriverProcess): void {
    this.#poolOf.get(driver)?.giveBack(driver);
  }

  async can(abilities: readonly string[]): Promise<boolean> {
    return (await Promise.all(this.#pools.map((pool) => pool.can(abilities)))).every(Boolean);
  }

  #turn(): DriverPool {
    const pool = this.#pools[this.#next]!;
    this.#next = (this.#next + this.#stride) % this.#pools.length;
    return pool;
  }
}
