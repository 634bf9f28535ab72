/** The steps of `npm run operator-journey -- --with patroni` name missing programs and do not fail. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Journey } from '../../scripts/journey/journey.ts';
import { withPrograms } from '../../scripts/journey/packaged-programs.ts';
import { runProgram } from '../support/command.ts';

describe('a step of the journey with programs of the system', () => {
  it('is not run where one of them is not installed, and names its package', async () => {
    const step = withPrograms('try it', { 'no-such-program': 'no-such-package' }, () => {
      throw new Error('it was run');
    });
    assert.equal(
      await step.run({} as Journey),
      'not run: no-such-program is not installed (Debian: apt-get install no-such-package)',
    );
  });

  it('is asked for by name; other names are refused before anything is made', async () => {
    const { code, out, err } = await runProgram('scripts/operator-journey.ts', ['--with', 'everything']);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^operator-journey: --with takes only 'patroni'\./);
  });
});
