/** A shell that a test types the commands of a page into, as a reader does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

/** Result of a command. */
export interface Typed {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** A program that runs until it is stopped. */
interface Running {
  readonly command: string;
  /** Number of its process, which leads a process group. */
  readonly pid: number;
  /** The output so far. */
  said(): string;
}

/** Variables, functions and the folder last from one command to the next. */
export class PageShell {
  readonly #shell: ChildProcess;
  readonly #replies: AsyncIterator<string>;
  readonly #folder: string;
  #count = 0;
  #running: Running | null = null;

  /**
   * @param folder where the shell starts
   * @param outputs a folder for the outputs of the commands; created if missing
   */
  constructor(folder: string, outputs: string, environment: Readonly<NodeJS.ProcessEnv>) {
    mkdirSync(outputs, { recursive: true });
    this.#folder = outputs;
    this.#shell = spawn('bash', ['--noprofile', '--norc'], {
      cwd: folder,
      env: environment,
      stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
    });
    const replies = this.#shell.stdio[3] as NodeJS.ReadableStream;
    this.#replies = createInterface({ input: replies })[Symbol.asyncIterator]();
    // Each background job gets a process group, so that stopping it also ends the processes below it. They also end
    // with the shell, which ends with this process.
    this.#shell.stdin!.write(`set -m\ntrap 'for job in $(jobs -p); do kill -KILL -- "-$job"; done' EXIT\n`);
  }

  /** Runs a command to its end. */
  async run(command: string): Promise<Typed> {
    const place = this.#place();
    const status = await this.#ask(`{ ${command}\n} ${redirected(place)}; printf '%s\\n' "$?" >&3\n`, command);
    return { status, out: readFileSync(`${place}.out`, 'utf8'), err: readFileSync(`${place}.err`, 'utf8') };
  }

  /**
   * Starts a program that serves until it is stopped, and stops the one before.
   *
   * @param ready what the program prints once it serves
   * @returns its output so far
   * @throws if the program ends before
   */
  async start(command: string, ready: RegExp): Promise<string> {
    await this.stop();
    const place = this.#place();
    // The shell makes them only when it runs the job.
    for (const kind of ['out', 'err']) writeFileSync(`${place}.${kind}`, '');
    const pid = await this.#ask(`${command} ${redirected(place)} &\nprintf '%s\\n' "$!" >&3\n`, command);
    const said = () => readFileSync(`${place}.out`, 'utf8') + readFileSync(`${place}.err`, 'utf8');
    this.#running = { command, pid, said };
    return this.untilSaid(ready);
  }

  /** Waits until the program that runs has printed a text. Returns its output so far. @throws if it ends before */
  async untilSaid(text: RegExp): Promise<string> {
    const { command, pid, said } = this.#running!;
    while (!text.test(said())) {
      if (!isThere(pid)) throw new Error(`${command} has ended: ${said()}`);
      await wait(20);
    }
    return said();
  }

  /** Stops the program that runs, if any, as Ctrl-C does. @throws unless it ends with status 0 or by the signal */
  async stop(): Promise<void> {
    if (this.#running === null) return;
    const { command, pid, said } = this.#running;
    this.#running = null;
    const { status } = await this.run(`kill -INT -- -${pid}; wait ${pid}`);
    if (status !== 0 && status !== 130) throw new Error(`${command} ended with ${status}: ${said()}`);
  }

  /** Ends the shell and everything that it has started. */
  async close(): Promise<void> {
    if (this.#shell.exitCode !== null) return;
    const closed = once(this.#shell, 'exit');
    this.#shell.stdin!.end('exit\n');
    await closed;
  }

  #place(): string {
    this.#count += 1;
    return join(this.#folder, String(this.#count));
  }

  async #ask(script: string, command: string): Promise<number> {
    this.#shell.stdin!.write(script);
    const { value, done } = await this.#replies.next();
    if (done) throw new Error(`the shell has ended at ${command}`);
    return Number(value);
  }
}

const redirected = (place: string) => `</dev/null >'${place}.out' 2>'${place}.err' 3>&-`;

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
