/** Processes of a driver, kept for the next app. */
import { DriverProcess, type Program } from './driver-process.ts';

/** Drivers that wait for their next app, because to start a process takes longer than most scenarios. */
export class Drivers {
  readonly #program: Program;
  #idle: DriverProcess[] = [];

  constructor(program: Program) {
    this.#program = program;
  }

  async take(): Promise<DriverProcess> {
    return this.#idle.pop() ?? DriverProcess.start(this.#program);
  }

  /** A process with an environment of its own. */
  async startWith(environment: Readonly<Record<string, string>>): Promise<DriverProcess> {
    return DriverProcess.start(this.#program, { ...process.env, ...environment });
  }

  giveBack(driver: DriverProcess): void {
    this.#idle.push(driver);
  }

  async end(): Promise<void> {
    await Promise.all(this.#idle.map((driver) => driver.kill()));
  }
}
