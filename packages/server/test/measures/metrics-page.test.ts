/** docs/metrics.md lists exactly the metrics that a service exports, with their types and labels. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { EXPORTED_METRICS, type MetricDescription } from '../../src/measures/exported-metrics.ts';
import { exposition, measureProcess } from '../../src/measures/exposition.ts';
import { Measures } from '../../src/measures/measures.ts';

const page = readFileSync(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8');
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

describe('docs/metrics.md', () => {
  it('lists every metric of the service with its type, labels and meaning', () => {
    const listed = rows.filter((cells) => cells.length === 4);
    assert.deepEqual(
      listed.map(([metric, type, labels]) => [wordsIn(metric)[0], type, wordsIn(labels)]),
      Object.entries(EXPORTED_METRICS).map(([name, { type, labels }]: [string, MetricDescription]) => [
        name,
        type,
        labels,
      ]),
    );
    for (const [metric, , , meaning = ''] of listed) assert.ok(meaning.length > 5, metric ?? '');
  });

  it('lists every metric of the process with its type', async () => {
    measureProcess();
    const text = await exposition(new Measures().samples());
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
