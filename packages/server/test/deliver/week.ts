/** A receiver that is down for a week while events come, with a clock and receivers that the test controls. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/ground/base/clock.ts';
import type { Engine } from '../support/databases.ts';
import { DELIVERED, licensesOf, NO_ANSWER, SendingWorld } from '../support/sending.ts';

/** Undelivered events of a failing destination that are kept in memory, and so may be stored. */
export const MAX_DELIVERY_ROWS = 20;
/** Kept attempts, and those after which old ones are deleted. */
export const MAX_ATTEMPT_ROWS = 550;

/** Peak numbers of rows while the receiver was down, and the outcome. */
export interface WeekReport {
  readonly deliveryRows: number;
  readonly attemptRows: number;
  /** True if the destination was disabled after five days. */
  readonly isDisabled: boolean;
  /** Time in which everything was sent once the receiver was back. */
  readonly seconds: number;
  /** Lost, repeated and disordered events. */
  readonly errors: readonly string[];
}

const LICENSES = 1_000;
const STEP_MS = 2 * HOUR_MS;
const STEPS = (7 * DAY_MS) / STEP_MS;
const EVENTS_PER_TRANSACTION = 1_000;

/** See the head of this file. */
export async function downForAWeek(engine: Engine, events: number): Promise<WeekReport> {
  const world = await SendingWorld.open(engine);
  try {
    const licenses = licensesOf(LICENSES);
    const destinationId = await world.destination();
    world.answer = () => NO_ANSWER;
    const sender = world.sender();
    let [made, deliveryRows, attemptRows] = [0, 0, 0];
    for (let step = 1; step <= STEPS; step++) {
      for (const due = Math.floor((events * step) / STEPS); made < due; ) {
        const total = Math.min(EVENTS_PER_TRANSACTION, due - made);
        await world.record(total, licenses);
        made += total;
      }
      await world.pass(STEP_MS, sender, 15 * MINUTE_MS);
      deliveryRows = Math.max(deliveryRows, (await world.count('waiting')) + (await world.count('failed')));
      attemptRows = Math.max(attemptRows, await world.count('attempts'));
    }
    const isDisabled = (await world.count('disabled')) === 1;
    await world.setState(destinationId, 'active');

    // The numbers of each license rise by one: each event arrives once, in order.
    const latest = new Map<string, number>();
    const wrong: string[] = [];
    let delivered = 0;
    world.answer = ({ licenseKey, number }) => {
      delivered += 1;
      if (number !== (latest.get(licenseKey) ?? 0) + 1) wrong.push(`${licenseKey} ${number}`);
      latest.set(licenseKey, number);
      return DELIVERED;
    };
    world.now += HOUR_MS;
    const startedAt = performance.now();
    for (let quiet = 0; quiet < 20; ) {
      const before = delivered;
      world.elapsed += 100;
      await sender.look();
      while (sender.state.underWay > 0) await sender.requestEnds();
      // A million requests need not stay in memory.
      world.sent.length = 0;
      quiet = delivered === before ? quiet + 1 : 0;
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const left = await world.count('waiting');
    const errors = [
      ...(delivered === events ? [] : [`${delivered} of ${events} events arrived`]),
      ...(wrong.length === 0 ? [] : [`${wrong.length} events came twice or out of order, ${wrong[0]} first`]),
      ...(left === 0 ? [] : [`${left} events wait`]),
    ];
    return { deliveryRows, attemptRows, isDisabled, seconds, errors };
  } finally {
    await world.close();
  }
}
