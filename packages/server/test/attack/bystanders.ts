/** People and programs that call the service for themselves while it is attacked: who of them is served meanwhile. */
import { setTimeout as wait } from 'node:timers/promises';
import { ADMIN_SECRET, WEBHOOK_SECRET } from '../support/app.ts';
import type { ServerProcess } from '../support/server-process.ts';

/** Pause between the rounds of calls, so that their own load is negligible. */
const PAUSE_MS = 20;
/** The part of its calls that a bystander must get answered. */
const LEAST_SERVED = 0.9;

/** The calls of a bystander, and those that were answered in full. */
export interface Served {
  readonly asked: number;
  readonly served: number;
}

/** The bystanders by name. */
export type ServedMeanwhile = Readonly<Record<string, Served>>;

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Calls that bystanders make in turn. Each answers true if it was served. */
type Calls = Readonly<Record<string, () => Promise<boolean>>>;

/**
 * The calls of the operator, of the storefront and of a creator who attacks nobody.
 *
 * @param apiKey of that creator
 */
export function callsOfBystanders(server: ServerProcess, apiKey: string): Calls {
  const isServed = async (path: string, fields: object, headers: object = {}) => {
    const answer = await server.send(path, fields, { headers: headers as never }).catch(() => null);
    return answer?.status === 200;
  };
  const sold = { type: 'purchase.completed', email: 'ada@example.com', productId: 'app' };
  return {
    operator: () => isServed('/listLicenses', { adminSecret: ADMIN_SECRET, limit: 1 }),
    storefront: () => isServed('/storefrontWebhook', sold, { 'x-webhook-secret': WEBHOOK_SECRET }),
    'another creator': () => isServed('/listProducts', { apiKey }),
  };
}

/** Makes the calls in turn until it is stopped; the result of `stop` says who was served. */
export function beBystanders(calls: Calls): { readonly stop: () => Promise<ServedMeanwhile> } {
  const seen = Object.keys(calls).map((name): [string, Mutable<Served>] => [name, { asked: 0, served: 0 }]);
  let isOver = false;
  const work = (async () => {
    // Each bystander has a round, however short the attack is.
    do {
      for (const [name, count] of seen) {
        count.asked += 1;
        if (await calls[name]?.()) count.served += 1;
      }
      await wait(PAUSE_MS);
    } while (!isOver);
  })();
  return {
    async stop() {
      isOver = true;
      await work;
      return Object.fromEntries(seen);
    },
  };
}

/** An error for each bystander who was shut out. */
export function bystanderErrors(meanwhile: ServedMeanwhile): string[] {
  return Object.entries(meanwhile)
    .filter(([, { asked, served }]) => served < LEAST_SERVED * asked)
    .map(([name, { asked, served }]) => `${name} was served ${served} of ${asked} times`);
}
