import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SELLERS } from '../../../../scripts/shops/sellers/sellers.ts';
import { UNREADABLE } from '../../../../src/commerce/connectors/sources/source.ts';
import { alteredDeliveries } from './altered-deliveries.ts';

const NOW = Date.UTC(2027, 0, 4, 9, 30, 12, 345);
const OTHER_SECRET = 'whsec_c2VjcmV0IG9mIHNvbWVib2R5IGVsc2U=';

for (const [name, make] of Object.entries(SELLERS)) {
  const seller = make({ number: 7, email: 'zoe@example.com' });
  const { source, secret } = seller;
  const [told] = seller.steps.buy!(NOW);
  const delivery = seller.sign(told!, NOW);
  const isTimed = (late: number) => source.verify(delivery, [secret], NOW + late) !== null;

  describe(`the signature of ${name}`, { skip: source.name === 'gumroad' }, () => {
    it('is accepted with any live secret', () => {
      for (const secrets of [[secret], [OTHER_SECRET, secret], [secret, OTHER_SECRET, 'third']])
        assert.equal(source.verify(delivery, secrets, NOW), null);
    });

    it('is refused with another secret, an empty one or none', () => {
      assert.equal(source.verify(delivery, [OTHER_SECRET], NOW), 'signature_wrong');
      assert.equal(source.verify(delivery, [''], NOW), 'no_secret');
      assert.equal(source.verify(delivery, [], NOW), 'no_secret');
      const unsigned = seller.sign(told!, NOW, '');
      assert.equal(source.verify(unsigned, [''], NOW), 'no_secret');
    });

    it('is refused for each of 500 altered requests', () => {
      for (const { way, delivery: altered } of alteredDeliveries(delivery, 500, 11))
        assert.notEqual(source.verify(altered, [secret], NOW), null, way);
    });

    it('says why it is refused', () => {
      const [header = ''] = Object.keys(delivery.headers).filter((each) => /signature|hmac/.test(each));
      const withHeader = (...values: string[]) => ({ ...delivery, headers: { ...delivery.headers, [header]: values } });
      assert.equal(source.verify(withHeader(), [secret], NOW), 'signature_missing');
      assert.equal(source.verify(withHeader(''), [secret], NOW), 'signature_missing');
      const [value = ''] = delivery.headers[header] ?? [];
      assert.equal(source.verify(withHeader(value, value), [secret], NOW), 'signature_repeated');
      assert.equal(source.verify(withHeader('sha512'), [secret], NOW), 'signature_malformed');
      assert.equal(source.verify({ ...delivery, body: Buffer.from('{}') }, [secret], NOW), 'signature_wrong');
    });

    it('holds for five minutes either way, where the seller signs the time', { skip: !isTimed(3_600_000) }, () => {
      assert.equal(source.verify(delivery, [secret], NOW + 300_000), null);
      assert.equal(source.verify(delivery, [secret], NOW - 300_000), null);
      assert.equal(source.verify(delivery, [secret], NOW + 301_000), 'too_old');
      assert.equal(source.verify(delivery, [secret], NOW - 301_000), 'too_new');
    });
  });

  describe(`a signed request of ${name}`, () => {
    it('that cannot be read is one event, whatever it holds', () => {
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      for (const body of ['', '{', 'null', '[]', '"text"', '{}', deep, `{"id":${deep}}`, '\u0000', '{"id":{"id":1}}']) {
        const events = source.events(seller.sign({ ...told!, body }, NOW));
        assert.equal(events.length, 1, body.slice(0, 20));
        if (source.name !== 'gumroad') assert.equal(events[0]?.type, UNREADABLE, body.slice(0, 20));
        assert.match(events[0]!.sellerEventId, /^sha256:[0-9a-f]{64}$/);
        const translated = source.facts(events[0]!, { isMapped: () => true, lookedUp: () => undefined });
        assert.ok('unknownShape' in translated, JSON.stringify(translated));
      }
    });
  });
}
