/** Asks sellers, in the thread of the sender of look-ups. */
import { startRounds } from '../../platform/senders/rounds.ts';
import type { Sending, SendingParts } from '../../platform/senders/sender.ts';
import { CatchUps } from './catch-up.ts';
import type { BegunLookUps, EndedLookUps, LookUpStore } from './look-up-store.ts';
import { askSeller, type Origins } from './seller-request.ts';
import { MAX_BODY_BYTES } from './sources/source.ts';

/** Events whose look-ups are under way. */
const MAX_UNDER_WAY = 4;

/** Starts the sender of look-ups. */
export function startLookUps({ settings, store, clock, failed }: SendingParts<'shops'>, intervalMs: number): Sending {
  const events = store as LookUpStore;
  const catchUps = new CatchUps(events, settings.origins, clock, failed);
  const underWay = new Set<Promise<void>>();
  const run = (begun: BegunLookUps) => {
    const running: Promise<void> = answersTo(begun, settings.origins)
      .then((ended) => events.endLookUp(ended))
      .catch((error: unknown) => failed(String(error)))
      .finally(() => underWay.delete(running));
    underWay.add(running);
  };
  const beginLookUps = async (): Promise<boolean> => {
    const room = MAX_UNDER_WAY - underWay.size;
    const dueAt = await events.findLookUpDue();
    if (room <= 0 || dueAt === null || dueAt > clock()) return false;
    const begun = (await events.beginLookUps(room)) ?? [];
    for (const each of begun) run(each);
    return begun.length > 0;
  };
  const rounds = startRounds({
    // Nothing wakes it: an event waits for the next round.
    awaitNews: () => {},
    async look() {
      const hasBegun = await beginLookUps();
      await catchUps.look();
      return hasBegun;
    },
    changes: () => 0,
    ends() {
      const running = [...underWay, catchUps.ends()].filter((each) => each !== null);
      return running.length === 0 ? null : Promise.race(running);
    },
    intervalMs,
    failed(failure) {
      catchUps.noteOutage();
      failed(failure);
    },
  });
  return {
    wake: rounds.wake,
    async stop() {
      await rounds.stop();
      await Promise.all([...underWay, catchUps.stop()]);
      await events.giveBackLookUps().catch((error: unknown) => failed(String(error)));
    },
  };
}

/** Makes the look-ups of an event, one after the other; the first that fails ends them. */
async function answersTo({ eventId, until, lookUps }: BegunLookUps, origins: Origins): Promise<EndedLookUps> {
  const answers: Record<string, unknown> = {};
  for (const lookUp of lookUps) {
    const answer = await askSeller(lookUp, origins, MAX_BODY_BYTES);
    if ('value' in answer) answers[lookUp.key] = answer.value;
    else if (answer.failure === 'absent') answers[lookUp.key] = null;
    else return { eventId, until, failure: answer.failure, detail: answer.detail };
  }
  return { eventId, until, answers };
}
