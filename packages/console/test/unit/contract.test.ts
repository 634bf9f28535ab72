/** The texts of refusals, and the calls that the console can show as shell commands. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { curlLine } from '../../src/api/curl.ts';
import { codesWithWords, wordsFor } from '../../src/api/refusal-words.ts';

/** Every code in the contract of the service. */
function codesOfContract(): readonly string[] {
  const contract = readFileSync(new URL('../../../server/contract.d.ts', import.meta.url), 'utf8');
  const [, body = ''] = /interface RefusalStatuses \{\n(.*?)\n\}/s.exec(contract) ?? [];
  return [...body.matchAll(/readonly (\w+):/g)].map(([, code = '']) => code);
}

describe('words for refusals', () => {
  it('exist for every code of the contract and for a missing answer, and for nothing else', () => {
    const codes = codesOfContract();
    assert.ok(codes.length > 50, 'the contract was not understood');
    assert.deepEqual([...codesWithWords].sort(), [...codes, 'unreachable'].sort());
  });

  it('are sentences: the event and the remedy', () => {
    for (const code of codesWithWords) {
      const { title, advice } = wordsFor({ code, message: 'email is missing' });
      for (const text of [title, advice]) {
        assert.match(text, /^[A-Z].*[.!?]$/, `${code}: ${text}`);
        assert.doesNotMatch(text, /licenseKey|productId|adminSecret/, `${code} names a field`);
      }
    }
  });

  it("show the service's sentence if it names the fault", () => {
    const words = wordsFor({ code: 'invalid_field', message: 'maxMachines must be a whole number' });
    assert.equal(words.title, 'MaxMachines must be a whole number.');
  });

  it('name the author of a change that the service tells by its time, without the time', () => {
    const at = '2027-03-01T09:30:00.000Z';
    const message = `Brand was changed meanwhile by Bea: updatedAt from ${at} to ${at}`;
    assert.equal(wordsFor({ code: 'changed_meanwhile', message }).title, 'Brand was changed meanwhile by Bea.');
    const limit = 'License was changed meanwhile by Bea: maxMachines from 4 to 7';
    assert.equal(wordsFor({ code: 'changed_meanwhile', message: limit }).title, `${limit}.`);
  });

  it('have a sentence for a code newer than the page', () => {
    const words = wordsFor({ code: 'moon_is_full' as never, message: 'The moon is full' });
    assert.deepEqual(words, { title: 'The moon is full.', advice: 'Nothing was changed.' });
  });
});

describe('a call as a curl line', () => {
  it('leaves the secret to a shell variable, and quotes characters that would end a word', () => {
    const service = { origin: 'https://l.example', certificateFile: '/srv/data/tls-cert.pem' };
    const line = curlLine(service, 'operator', '/addNote', { licenseKey: 'A-B', text: "it's $HOME" });
    assert.equal(
      line,
      [
        "curl 'https://l.example/addNote' \\",
        "  --cacert '/srv/data/tls-cert.pem' \\",
        '  -H "X-Admin-Secret: $ADMIN_SECRET" \\',
        `  --json '{\n  "licenseKey": "A-B",\n  "text": "it'\\''s $HOME"\n}'`,
      ].join('\n'),
    );
  });

  it('sends the API key of a creator, who has no admin secret', () => {
    const service = { origin: 'https://l.example', certificateFile: null };
    const line = curlLine(service, 'creator', '/listVariants', { productId: 'loom' });
    assert.match(line, /^ {2}-H "X-API-Key: \$API_KEY" \\$/m);
    assert.doesNotMatch(line, /admin/i);
  });
});
