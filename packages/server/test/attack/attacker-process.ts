/**
 * The attacker, a process of its own, so that it takes its time from its own core. Its parent sends a job, later perhaps
 * `stopping`, and `end`; it answers `ready` to the first two, once the
 * attack is under way, and its tally to the last.
 */
import { type AttackJob, attacks, type RunningAttack } from './attacks.ts';
import { Tally } from './connection.ts';

/** What the parent says. */
export type ToAttacker = { readonly job: AttackJob } | 'stopping' | 'end';
/** What the attacker says. */
export type FromAttacker = 'ready' | { readonly statuses: Readonly<Record<string, number>>; readonly cut: number };

const tally = new Tally();
let running: RunningAttack = {};

const say = (message: FromAttacker, done?: () => void) => process.send!(message, undefined, undefined, done);

process.on('message', async (message: ToAttacker) => {
  if (message === 'stopping') {
    await running.stopping?.();
    say('ready');
  } else if (message === 'end') say({ statuses: tally.statuses, cut: tally.cut }, () => process.exit(0));
  else {
    running = await attacks[message.job.attack](message.job, tally);
    say('ready');
  }
});
// Nobody is left to end it.
process.on('disconnect', () => process.exit(0));
