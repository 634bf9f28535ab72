/**
 * The attacker, a separate process with its own core, so that it takes no time from the service. Its parent sends a
 * job, later perhaps `stopping`, and `end`; it replies `ready` to the first two, once the attack is in progress, and
 * its tally to the last.
 */
import { type AttackJob, attacks, type RunningAttack } from './attacks.ts';
import { Tally } from './connection.ts';

/** Messages of the parent. */
export type ToAttacker = { readonly job: AttackJob } | 'stopping' | 'end';
/** Messages of the attacker. */
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
// The parent is gone, so end by itself.
process.on('disconnect', () => process.exit(0));
