/** Customers who ask for codes and enter them: the rules with the products of two creators, for a group of tests. */
import { after, before } from 'node:test';
import { hashOf, newCookie, openRules, ownNetwork, type Rules } from '../../support/customers.ts';
import type { Engine } from '../../support/databases.ts';

/** Opens the rules before the tests of a group, and closes them after it. Each call comes from a network of its own. */
export function startedAsking(engine: Engine) {
  const rules = {} as Rules;
  before(async () => {
    Object.assign(rules, await openRules(engine));
    await rules.admin('/createProduct', { slug: 'app', name: 'Tapehead', creatorId: 'ada' });
    await rules.admin('/createProduct', { slug: 'other', name: 'Other', creatorId: 'bo' });
  });
  after(() => rules.close());
  return {
    rules,
    license: (email: string, productId = 'app') => rules.admin('/createLicense', { email, productId }),
    /** Asks for a code in a new browser. */
    async ask(email: string, more: object = {}, address = ownNetwork()) {
      const browser = newCookie();
      const answer = await rules.my('askForCode', { email, language: 'en', browser, ...more }, address);
      return { browser, answer, address };
    },
    enter: (browser: string, code: string, address = ownNetwork()) =>
      rules.my('enterCode', { browser, code, newSession: newCookie() }, address),
    enterLink: (url: string, newSession = newCookie()) =>
      rules.my('enterLink', { link: hashOf(new URL(url).searchParams.get('c') as string), newSession }),
  };
}
