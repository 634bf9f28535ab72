/** V8 decides for no place of the code that its objects live long, whatever they did for a while. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';

const MODULE = new URL('../../../src/runtime/service/short-lived-objects.ts', import.meta.url).href;

/** The decisions of V8 about objects that are all kept, and that one place of the code allocates. */
function decisions(before: string): number {
  const program = `
    import { allocateYoung } from ${JSON.stringify(MODULE)};
    ${before}
    const kept = [];
    const make = (number) => [[number], number];
    for (let number = 0; number < 400_000; number++) kept.push(make(number));`;
  const said = execFileSync(
    process.execPath,
    ['--trace-pretenuring-statistics', '--input-type=module', '--eval', program],
    { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 },
  );
  return said.match(/pretenuring: AllocationSite/g)?.length ?? 0;
}

it('objects of a place are not allocated among the old ones because earlier ones were kept', () => {
  assert.ok(decisions('') > 0, 'without the setting V8 decides about this place');
  assert.equal(decisions('allocateYoung();'), 0);
});
