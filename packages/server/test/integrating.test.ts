import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { adviceOf, publishedCodes } from '../src/platform/endpoint/refusals.ts';

const page = readFileSync(new URL('../../../docs/apps/integrating.md', import.meta.url), 'utf8');

describe('the page on integrating an app', () => {
  it('says for every code that an app can meet about its license what to do', () => {
    const [table = ''] = /\| Code \|[\s\S]*?\n\n/.exec(page) ?? [];
    for (const code of publishedCodes) {
      const { app } = adviceOf(code);
      if (app !== undefined && !app.startsWith('Keeps running as after its last good answer'))
        assert.ok(table.includes(`\`${code}\``), `${code} is not in the table`);
    }
  });
});
