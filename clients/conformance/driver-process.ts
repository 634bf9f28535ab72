/** A running driver: a process that takes a command a line, and writes an answer a line. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';

/** A program and its arguments. */
export interface Program {
  readonly command: readonly string[];
  readonly folder: string;
}

/** An answer of a driver. PROTOCOL.md describes the fields. */
export interface DriverAnswer {
  readonly state: Readonly<Record<string, unknown>> | null;
  readonly next: number | null;
  readonly notices: readonly string[];
  readonly value?: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
}

/** The longest wait for an answer. A client waits ten seconds at most for a call. */
const MAX_WAIT_MS = 60_000;

export class DriverProcess {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  #said = '';
  /** Names of PROTOCOL.md for further abilities. */
  can: ReadonlySet<string> = new Set();

  private constructor(program: Program, environment: NodeJS.ProcessEnv) {
    const [file = '', ...args] = program.command;
    this.#child = spawn(file, args, { cwd: program.folder, env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.#said = (this.#said + data).slice(-4000);
    });
    this.#child.stdin?.on('error', () => {});
    this.#reader = createInterface({ input: this.#child.stdout! });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  static async start(program: Program, environment: NodeJS.ProcessEnv = process.env): Promise<DriverProcess> {
    const driver = new DriverProcess(program, environment);
    const failed = once(driver.#child, 'error').then(([error]) => Promise.reject(error));
    const hello = await Promise.race([driver.#line(), failed]);
    failed.catch(() => {});
    const { protocol, can } = hello as { protocol?: unknown; can?: readonly string[] };
    if (protocol !== 1) throw new Error(`${program.command.join(' ')} speaks protocol ${protocol}`);
    driver.can = new Set(can ?? []);
    return driver;
  }

  get processId(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async send(command: object): Promise<DriverAnswer> {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
    return (await this.#line()) as DriverAnswer;
  }

  async #line(): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`the driver gave no answer\n${this.#said}`)), MAX_WAIT_MS);
    });
    try {
      const { done, value } = await Promise.race([this.#lines.next(), late]);
      if (done) throw new Error(`the driver ended\n${this.#said}`);
      return JSON.parse(value);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the process at once. */
  async kill(): Promise<void> {
    if (this.isRunning) {
      const gone = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await gone;
    }
    this.#reader.close();
  }
}
