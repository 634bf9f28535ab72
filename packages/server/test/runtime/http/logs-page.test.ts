/** docs/operators/logs.md lists exactly the events of the log, with their fields as the source writes them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { sources } from '../../architecture/sources.ts';

const page = readFileSync(new URL('../../../../../docs/operators/logs.md', import.meta.url), 'utf8');
const wordsIn = (cell: string) =>
  [...cell.replace(/\([^)]*\)/g, '').matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

/** Events whose names are computed. */
const MADE: Readonly<Record<string, readonly string[]>> = {
  '${role}.died': ['writer.died', 'reader.died'],
  "request.${code === null ? 'done' : status < 500 ? 'refused' : 'failed'}": [
    'request.done',
    'request.refused',
    'request.failed',
  ],
};

/** Each event of the source with its fields and, if given beside them, its level. */
const written = sources.flatMap(({ code }) =>
  [...code.matchAll(/\{\s*event: (?:'([^']+)'|`((?:[^`$]|\$\{[^}]*\})+)`)/g)].flatMap(
    ({ 1: plain, 2: made, index }) => {
      const names = plain === undefined ? MADE[made ?? ''] : [plain];
      assert.ok(names !== undefined, `an event whose name is ${made}`);
      const [, level] = /logger\.(\w+)\($/.exec(code.slice(0, index).replace(/createLogger\('\w+'\)/, 'logger')) ?? [];
      return names.map((name) => ({ name, fields: fieldsAt(code, index), level }));
    },
  ),
);

/** The names of the fields of the object literal that begins at an index. */
function fieldsAt(code: string, index: number): string[] {
  let depth = 0;
  let end = index;
  do {
    if ('{[('.includes(code[end]!)) depth += 1;
    if ('}])'.includes(code[end]!)) depth -= 1;
    end += 1;
  } while (depth > 0);
  // Text in brackets is the value of a field.
  let inside = code.slice(index + 1, end - 1).replace(/`[^`]*`|'[^']*'/g, "''");
  while (/\([^()]*\)/.test(inside)) inside = inside.replace(/\([^()]*\)/g, '');
  return inside
    .split(',')
    .map((part) => /^\s*(\w+)/.exec(part)?.[1] ?? '')
    .filter((name) => name !== '' && name !== 'event');
}

/** Events as the page lists them. */
const listed = page
  .split('\n')
  .filter((line) => /^\| `[a-z]+\.[a-z_]+` \|/.test(line))
  .map((line) => {
    const [event = '', level = '', , fields = ''] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    return { name: wordsIn(event)[0]!, level: wordsIn(level), fields };
  });

describe('docs/operators/logs.md', () => {
  it('lists every event that the source writes, once, and no other', () => {
    assert.ok(written.length >= 20, `${written.length} events`);
    assert.deepEqual(listed.map(({ name }) => name).sort(), [...new Set(written.map(({ name }) => name))].sort());
  });

  it('lists the fields of each event', () => {
    const ofRequests = wordsIn(listed[0]!.fields);
    for (const { name, fields } of listed) {
      const said = fields === 'as above' ? ofRequests : wordsIn(fields);
      const own = written.find((each) => each.name === name)?.fields ?? [];
      assert.deepEqual([...said].sort(), [...own].sort(), name);
    }
  });

  it('says what each field of the lines about requests means', () => {
    const explained = page.split('\n').filter((line) => /^\| `\w+`(, `\w+`)? \|/.test(line));
    const names = explained.flatMap((line) => wordsIn(line.split('|')[1] ?? ''));
    assert.deepEqual(names.sort(), wordsIn(listed[0]!.fields).sort());
  });

  it('states the level of each event', () => {
    for (const { name, level } of written) {
      const said = listed.find((each) => each.name === name)?.level ?? [];
      if (level !== undefined) assert.ok(said.includes(level), `${name} is written at level ${level}`);
    }
  });
});
