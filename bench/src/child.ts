/** Child processes of the bench, started from its own modules and controlled by messages: both ends. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A message in either direction. */
interface Message {
  readonly kind: string;
}

/** A child process that executes orders and answers each with a report. */
export class Child<Order extends Message, Report extends Message> {
  readonly #process: ChildProcess;

  /** @param module a module of this directory, such as `./control.ts` */
  constructor(module: `./${string}.ts`) {
    this.#process = fork(fileURLToPath(new URL(module, import.meta.url)), { stdio: 'inherit' });
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /**
   * Sends an order and waits for the report of the given kind.
   *
   * @param onOther receives every other report that arrives before it
   * @throws if the process ends or reports `failed`
   */
  ask<Kind extends Report['kind']>(
    order: Order,
    kind: Kind,
    onOther: (report: Report) => void = () => {},
  ): Promise<Extract<Report, { kind: Kind }>> {
    const child = this.#process;
    return new Promise((resolve, reject) => {
      const onExit = () => settle(() => reject(new Error(`a process of the bench ended while asked for: ${kind}`)));
      const onMessage = (message: unknown) => {
        const report = message as Report;
        if (report.kind === kind) settle(() => resolve(report as Extract<Report, { kind: Kind }>));
        else if (report.kind === 'failed') settle(() => reject(new Error(String(Reflect.get(report, 'reason')))));
        else onOther(report);
      };
      function settle(outcome: () => void) {
        child.off('exit', onExit);
        child.off('message', onMessage);
        outcome();
      }
      child.on('exit', onExit);
      child.on('message', onMessage);
      child.send(order);
    });
  }

  /** Disconnects; the process then ends by itself. */
  stop(): void {
    if (this.#process.connected) this.#process.disconnect();
  }
}

/**
 * Carries out the orders of the parent process until it disconnects, and reports the result of each.
 *
 * @param work may send further reports; its error is reported as `failed`
 */
export function carryOut<Order extends Message, Report extends Message>(
  work: (order: Order, report: (message: Report) => void) => Promise<Report>,
): void {
  const report = (message: Message) => void process.send?.(message);
  process.on('message', async (order: Order) => {
    try {
      report(await work(order, report));
    } catch (error) {
      const failed = { kind: 'failed', reason: (error as Error).message };
      report(failed);
    }
  });
  process.on('disconnect', () => process.exit());
}
