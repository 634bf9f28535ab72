/** docs/operators/metrics.md lists exactly the metrics that a service exports, with their types and labels. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { exposition, measureProcess } from '../../../src/ground/measures/exposition.ts';
import { Measures } from '../../../src/ground/measures/measures.ts';
import { EXPORTED_METRICS } from '../../../src/runtime/service/metrics.ts';

const page = readFileSync(new URL('../../../../../docs/operators/metrics.md', import.meta.url), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
const wordsIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

describe('docs/operators/metrics.md', () => {
  it('lists every metric of the service with its type, labels and meaning', () => {
    const listed = rows.filter((cells) => cells.length === 4);
    const byName = (rows: readonly (readonly [string | undefined, ...unknown[]])[]) =>
      [...rows].sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
    assert.deepEqual(
      byName(listed.map(([metric, type, labels]) => [wordsIn(metric)[0], type, wordsIn(labels)] as const)),
      byName(EXPORTED_METRICS.map(({ name, type, labels }) => [name, type, labels] as const)),
    );
    for (const [metric, , , meaning = ''] of listed) assert.ok(meaning.length > 5, metric ?? '');
  });

  it('lists every metric of the process with its type', async () => {
    measureProcess();
    const text = await exposition(new Measures().samples(), []);
    const exported = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type] as const),
    );
    const listed = rows
      .filter((cells) => cells.length === 2)
      .flatMap(([metrics, type]) => wordsIn(metrics).map((name) => [name, type] as const))
      .filter(([name]) => /^(process|nodejs)_/.test(name));
    assert.deepEqual(new Map([...listed].sort()), new Map([...exported].sort()));
  });
});
