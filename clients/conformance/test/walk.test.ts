/** The steps of random walks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Dice } from '../dice.ts';
import { BEGINNING, drawStep } from '../kinds.ts';
import type { Step } from '../scenario.ts';

const DRAWS = 20_000;
/** The names that a playing makes by itself. */
const GIVEN = ['product', 'fp-a', 'fp-b', 'own-key', 'second-last'];

function stepsOf(seed: number): readonly Step[] {
  const dice = new Dice(seed);
  return Array.from({ length: DRAWS }, () => drawStep(dice));
}

/** The names that steps make for licenses, files and requests. */
function namesMadeBy(steps: readonly Step[]): readonly string[] {
  return steps.flatMap((step) => {
    const { license, as, keep } = step as { readonly [field in 'license' | 'as' | 'keep']?: string };
    return [license, as, keep].filter((name) => name !== undefined);
  });
}

/** The names that steps use: licenses of the operator's calls, and `{name}` in texts. */
function namesUsedBy(steps: readonly Step[]): readonly string[] {
  const keys = steps.flatMap((step) => ('admin' in step && typeof step.key === 'string' ? [step.key] : []));
  return [...keys, ...[...JSON.stringify(steps).matchAll(/\{([\w-]+)\}/g)].map(([, name = '']) => name)];
}

describe('the steps of random walks', () => {
  it('are the same for a seed, and others for another', () => {
    assert.deepEqual(stepsOf(1), stepsOf(1));
    assert.notDeepEqual(stepsOf(1), stepsOf(2));
  });

  // An unknown name stays in the text as it is, and every client refuses it alike.
  it('use no name that no step makes', () => {
    const steps = [...BEGINNING, ...stepsOf(4)];
    const made = new Set([...namesMadeBy(steps), ...GIVEN]);
    assert.deepEqual(
      [...new Set(namesUsedBy(steps))].filter((name) => !made.has(name)),
      [],
    );
  });
});
