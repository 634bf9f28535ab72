/**
 * The attacker, a separate process with its own core, so that it takes no time from the service. Its parent sends a
 * job, later perhaps `stopping`, and `end` or `end once answered`; it replies `ready` to the first two, once the attack
 * is in progress, and its tally to the last.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type AttackJob, attacks, type RunningAttack } from './attacks.ts';
import { Tally } from './connection.ts';

/** Messages of the parent. */
export type ToAttacker = { readonly job: AttackJob } | 'stopping' | 'end' | 'end once answered';
/** Messages of the attacker. */
export type FromAttacker = 'ready' | { readonly statuses: Readonly<Record<string, number>>; readonly cut: number };

/** The longest wait for the first answer, on a machine that is slow or busy. */
const MAX_SILENCE_MS = 60_000;

const tally = new Tally();
let running: RunningAttack = {};

const say = (message: FromAttacker, done?: () => void) => process.send!(message, undefined, undefined, done);

process.on('message', async (message: ToAttacker) => {
  if (message === 'stopping') {
    await running.stopping?.();
    say('ready');
  } else if (message === 'end' || message === 'end once answered') {
    if (message === 'end once answered') await Promise.race([tally.answered, wait(MAX_SILENCE_MS)]);
    say({ statuses: tally.statuses, cut: tally.cut }, () => process.exit(0));
  } else {
    running = await attacks[message.job.attack](message.job, tally);
    say('ready');
  }
});
// The parent is gone, so end by itself.
process.on('disconnect', () => process.exit(0));
