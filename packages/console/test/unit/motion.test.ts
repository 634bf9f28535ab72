/** People who ask their system for reduced motion get it: one token shortens every transition. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));

it('every transition takes as long as the token says that reduced motion shortens', () => {
  const styles = globSync('**/*.css', { cwd: SOURCE }).map((file) => readFileSync(join(SOURCE, file), 'utf8'));
  const transitions = styles.flatMap((style) => [...style.matchAll(/\btransition(?:-duration)?:([^;]+);/g)]);
  assert.ok(transitions.length > 0);
  for (const [declaration, value = ''] of transitions)
    for (const each of value.split(',')) assert.match(each, /^\s*[a-z-]+ var\(--quick\)$/, declaration);
  const reduced = styles.filter((style) => /prefers-reduced-motion: reduce\) \{[^}]*--quick: 1ms;/.test(style));
  assert.equal(reduced.length, 1);
});
