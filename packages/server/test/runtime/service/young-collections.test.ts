/** Young objects are collected by their own thread where there are few cores. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { collectYoungObjectsAlone } from '../../../src/runtime/service/young-collections.ts';

it('V8 collects young objects without helpers on up to two cores, and with them on more', () => {
  const flagsOn = (cores: number) => {
    const set: string[] = [];
    collectYoungObjectsAlone(cores, (flags) => set.push(flags));
    return set;
  };
  assert.deepEqual([1, 2, 3, 64].map(flagsOn), [['--no-parallel-scavenge'], ['--no-parallel-scavenge'], [], []]);
});
