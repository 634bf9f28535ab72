/** Asks sellers, in the thread of the sender of look-ups. */
import { SECOND_MS } from '../../ground/base/clock.ts';
import { startRounds } from '../../platform/senders/rounds.ts';
import type { Sending, SendingParts } from '../../platform/senders/sender.ts';
import type { BegunLookUps, EndedLookUps, LookUpStore, LookUpToMake } from './look-up-store.ts';
import { MAX_BODY_BYTES } from './sources/source.ts';

/** Events whose look-ups are under way. */
const MAX_UNDER_WAY = 4;
const TIMEOUT_MS = 10 * SECOND_MS;
const DENIED: readonly number[] = [401, 403];

/** Starts the sender of look-ups. */
export function startLookUps({ settings, store, clock, failed }: SendingParts<'shops'>, intervalMs: number): Sending {
  const events = store as LookUpStore;
  const underWay = new Set<Promise<void>>();
  const run = (begun: BegunLookUps) => {
    const running: Promise<void> = answersTo(begun, settings.origins)
      .then((ended) => events.endLookUp(ended))
      .catch((error: unknown) => failed(String(error)))
      .finally(() => underWay.delete(running));
    underWay.add(running);
  };
  const rounds = startRounds({
    // Nothing wakes it: an event waits for the next round.
    awaitNews: () => {},
    async look() {
      const room = MAX_UNDER_WAY - underWay.size;
      const dueAt = await events.findLookUpDue();
      if (room <= 0 || dueAt === null || dueAt > clock()) return false;
      const begun = (await events.beginLookUps(room)) ?? [];
      for (const each of begun) run(each);
      return begun.length > 0;
    },
    changes: () => 0,
    ends: () => (underWay.size === 0 ? null : Promise.race(underWay)),
    intervalMs,
    failed,
  });
  return {
    wake: rounds.wake,
    async stop() {
      await rounds.stop();
      await Promise.all(underWay);
      await events.giveBackLookUps().catch((error: unknown) => failed(String(error)));
    },
  };
}

/** Makes the look-ups of an event, one after the other; the first that fails ends them. */
async function answersTo({ eventId, lookUps }: BegunLookUps, origins: Origins): Promise<EndedLookUps> {
  const answers: Record<string, unknown> = {};
  for (const lookUp of lookUps) {
    const answer = await ask(lookUp, origins);
    if ('failure' in answer) return { eventId, ...answer };
    answers[lookUp.key] = answer.value;
  }
  return { eventId, answers };
}

type Origins = Readonly<Record<string, string>>;
type Answer = { readonly value: unknown } | { readonly failure: 'denied' | 'later'; readonly detail: string };

/** Asks the seller once, at its fixed address; a redirect is not followed, because it would carry the key elsewhere. */
async function ask({ source, origin, path, headers }: LookUpToMake, origins: Origins): Promise<Answer> {
  try {
    const answer = await fetch(`${origins[source] ?? origin}${path}`, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await boundedText(answer);
    if (answer.status === 404) return { value: null };
    if (DENIED.includes(answer.status)) return { failure: 'denied', detail: `The seller answered ${answer.status}` };
    if (answer.status !== 200) return { failure: 'later', detail: `The seller answered ${answer.status}` };
    return text === null
      ? { failure: 'later', detail: 'The answer is larger than 1 MiB' }
      : { value: JSON.parse(text) };
  } catch (error) {
    return { failure: 'later', detail: error instanceof Error ? error.name : 'The seller did not answer' };
  }
}

/** The text of an answer; null beyond 1 MiB. */
async function boundedText({ body }: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
