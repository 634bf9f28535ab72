/** The words and forms of connected shops. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ATTENTION, REMEDIES as SERVICE_REMEDIES } from '../../../server/src/commerce/connectors/attention.ts';
import { SHOP_EVENT_STATES } from '../../../server/src/commerce/connectors/inbox-state.ts';
import { DEFAULT_SETTINGS } from '../../../server/src/commerce/connectors/settings.ts';
import { IGNORED_HERE } from '../../../server/src/commerce/connectors/shop-event.ts';
import { IGNORED_BECAUSE } from '../../../server/src/commerce/connectors/sources/facts.ts';
import type { Connector } from '../../src/api/contract.ts';
import { EVENT_STATES } from '../../src/sentences/shop-outcomes.ts';
import {
  connectRequest,
  mappingFormOf,
  mappingRequest,
  NEW_MAPPING,
  NEW_SHOP,
  settingsFormOf,
  settingsRequest,
  wrongPrefix,
} from '../../src/shops/forms.ts';
import {
  mappingName,
  mappingRules,
  mappingText,
  missingOf,
  outcomeText,
  REMEDIES,
  reasonOf,
  remediesOf,
  stateIn,
  stateOf,
  waitingOf,
  whyText,
} from '../../src/shops/words.ts';

const AT = '2027-03-01T09:30:00.000Z';
const LATER = '2027-03-01T09:31:00.000Z';

const shop = (more: Partial<Connector> = {}): Connector =>
  ({
    ...{ connectorId: 'con_1', source: 'stripe', name: 'Shop', state: 'on', settings: DEFAULT_SETTINGS, mappings: [] },
    ...{ counts: {}, secretHints: ['G8wQ'], sellerApiKeyHint: null },
    ...{ lastEventAt: AT, rejected: 0, lastRejectedAt: null, lastRejection: null },
    ...more,
  }) as Connector;

describe('the state of a shop', () => {
  it('names the most urgent cause first', () => {
    const titles = [
      shop({ secretHints: [], counts: { attention: 1 } }),
      shop({ lastRejectedAt: LATER, lastRejection: 'The request has no signature', counts: { attention: 1 } }),
      shop({ lastRejectedAt: AT, lastEventAt: LATER, counts: { attention: 1 } }),
      shop({ state: 'paused' }),
      shop({ state: 'watching' }),
      shop({ counts: { held: 2, received: 1, applied: 9 } }),
      shop({ counts: { watched: 2 } }),
      shop({ lastEventAt: null }),
    ].map((each) => [stateOf(each).title, stateOf(each).sentence]);
    assert.deepEqual(titles, [
      ['Not set up', 'The signing secret is missing.'],
      ['Refuses requests', 'The request has no signature.'],
      ['Needs you', '1 event needs a decision.'],
      ['Paused', 'Events are stored. No license changes.'],
      ['Watching', 'Events are stored and previewed. No license changes.'],
      ['On', '3 events wait.'],
      ['On', '2 events from before are not applied.'],
      ['On', 'No event has arrived yet.'],
    ]);
    assert.equal(waitingOf({ 'looking up': 1, attention: 4 }), 1);
  });

  it('asks Gumroad for a key, which signs nothing', () => {
    assert.equal(missingOf(shop({ source: 'gumroad', secretHints: [] })), 'apiKey');
    assert.equal(missingOf(shop({ source: 'gumroad', secretHints: [], sellerApiKeyHint: 'abcd' })), null);
  });
});

describe('the words of shop events', () => {
  it('cover every state, reason and remedy of the service', () => {
    assert.deepEqual(Object.keys(EVENT_STATES).sort(), [...SHOP_EVENT_STATES].sort());
    assert.deepEqual(Object.keys(REMEDIES).sort(), [...SERVICE_REMEDIES].sort());
    for (const reason of Object.keys(ATTENTION)) {
      assert.notEqual(reasonOf({ reason }).title, 'An event needs a decision', reason);
      assert.match(whyText({ state: 'attention', reason }), /^[A-Z].*\.$/, reason);
    }
    for (const reason of Object.keys({ ...IGNORED_BECAUSE, ...IGNORED_HERE }))
      assert.match(whyText({ state: 'ignored', reason }), /^[A-Z].*\.$/, reason);
  });

  it('leave out a remedy that is newer than the page, and say its reason as it is', () => {
    assert.deepEqual(remediesOf({ remedies: ['replay', 'sing', 'dismiss'] }), ['replay', 'dismiss']);
    assert.equal(reasonOf({ reason: 'moon_is_full' }).sentence, 'moon is full');
    assert.equal(stateIn('moon'), undefined);
    assert.equal(stateIn('looking up'), 'looking up');
  });

  it('count what an event did', () => {
    const did = (...deeds: readonly ('issued' | 'noted')[]) => deeds.map((each) => ({ licenseKey: 'A', did: each }));
    assert.equal(outcomeText(did('issued', 'issued', 'noted')), '2 licenses: issued, 1 license: noted');
    assert.equal(outcomeText([]), '');
  });

  it('say a mapping in a line', () => {
    const mapping = { match: 'price', id: 'price_1', productId: 'app', kind: 'once', minimumAmount: 900 } as const;
    assert.equal(mappingName(mapping), 'Price price_1');
    assert.equal(mappingText(mapping), 'app, indie');
    assert.equal(mappingRules(mapping), 'sold once, at least 9.00');
    assert.equal(mappingText({ match: 'any', ignore: true }), 'No license');
    assert.equal(mappingName({ match: 'any' }), 'Anything else');
  });
});

describe('the forms of a shop', () => {
  it('connect it with a name, and leave out empty fields', () => {
    assert.equal(connectRequest(NEW_SHOP), null);
    const form = { ...NEW_SHOP, name: ' Store ', creator: ' ' };
    assert.deepEqual(connectRequest(form), { source: 'stripe', name: 'Store', mode: 'live' });
    assert.equal(connectRequest({ ...form, prefix: 'Up Case' }), null);
    assert.match(wrongPrefix('Up Case') ?? '', /lower-case/);
    assert.equal(wrongPrefix(''), undefined);
  });

  it('send changed settings only', () => {
    const form = settingsFormOf(shop());
    assert.equal(settingsRequest(shop(), form), null);
    assert.equal(settingsRequest(shop(), { ...form, graceDays: '-1' }), null);
    assert.deepEqual(
      settingsRequest(shop(), {
        ...form,
        name: 'New',
        graceDays: '5',
        language: 'de',
        notify: 'a@b.example, c@d.example',
      }),
      {
        ...{ connectorId: 'con_1', name: 'New' },
        settings: { graceDays: 5, languages: ['de'], notify: ['a@b.example', 'c@d.example'] },
      },
    );
    const back = shop({ settings: { ...DEFAULT_SETTINGS, languages: ['de'] } as Connector['settings'] });
    const cleared = settingsRequest(back, { ...settingsFormOf(back), language: '' });
    assert.deepEqual(cleared?.settings, { languages: [] });
  });

  it('set a mapping, and read it back', () => {
    assert.equal(mappingRequest('con_1', { ...NEW_MAPPING, productId: 'app' }), null);
    assert.equal(mappingRequest('con_1', { ...NEW_MAPPING, id: 'price_1' }), null);
    const form = { ...NEW_MAPPING, id: ' price_1 ', productId: 'app', minimumAmount: '0', isTheirKey: true };
    const mapping = { match: 'price', id: 'price_1', productId: 'app', minimumAmount: 0, keys: 'theirs' } as const;
    assert.deepEqual(mappingRequest('con_1', form), { connectorId: 'con_1', mappings: [mapping] });
    assert.deepEqual(mappingRequest('con_1', mappingFormOf(mapping))?.mappings, [mapping]);
    const ignored = { ...NEW_MAPPING, match: 'any', isIgnored: true } as const;
    assert.deepEqual(mappingRequest('con_1', ignored)?.mappings, [{ match: 'any', ignore: true }]);
  });
});
