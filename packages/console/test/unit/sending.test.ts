/** The pure rules of e-mails that leave from the console. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstOfEach, unknownPlaceholder } from '../../src/licenses/many-mails.ts';
import { LONGEST_SUBJECT, senderText, subjectOf } from '../../src/licenses/reply-mail.ts';

describe('a message to many customers', () => {
  it('goes to the first license of each address, whatever its case', () => {
    const addresses: Readonly<Record<string, string>> = {
      a: 'ada@example.com',
      b: 'bo@example.com',
      c: 'ADA@example.com',
    };
    assert.deepEqual([...firstOfEach(['c', 'b', 'a'], (key) => addresses[key]!)], ['c', 'b']);
  });

  it('has no placeholder that nothing fills in', () => {
    for (const text of ['', 'Hello {email}, {product} ends {end}.', '{limit} {used} {machine} {}', '{ not one }'])
      assert.equal(unknownPlaceholder(text), null);
    assert.equal(unknownPlaceholder('{product} for {name}'), '{name}');
  });
});

describe('the e-mail of a reply', () => {
  it('has a subject in its language, which fits', () => {
    assert.equal(subjectOf('Tapehead', 'de'), 'Ihre Lizenz für Tapehead');
    assert.equal(subjectOf('x'.repeat(500), 'en').length, LONGEST_SUBJECT);
  });

  it('says in whose name it leaves, and where answers go', () => {
    assert.equal(
      senderText({ name: 'Brush', supportAddress: 'help@brush.example' }),
      'It leaves in the name of Brush; answers go to help@brush.example.',
    );
    assert.equal(senderText({ name: 'Brush', supportAddress: null }), 'It leaves in the name of Brush.');
    assert.equal(senderText(null), 'It leaves in the name of the service.');
  });
});
