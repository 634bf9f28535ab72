/** Translates what a stand-in tells, as the service does: verified, looked up, translated. */
import assert from 'node:assert/strict';
import type { Seller, Told } from '../../../../scripts/shops/sellers/seller.ts';
import type { Fact, Linked, Reference, Sold } from '../../../../src/commerce/connectors/sources/facts.ts';
import type { DeliveredEvent, Known, LookUp, Source } from '../../../../src/commerce/connectors/sources/source.ts';

/** A connector that maps nothing and was never answered. */
export const NOTHING_KNOWN: Known = { isMapped: () => false, lookedUp: () => undefined };

/** The facts of an event whose body is JSON; fails if they need a look-up or the shape is unknown. */
export function factsOf(source: Source, type: string, body: object, known = NOTHING_KNOWN): readonly Fact[] {
  const translated = source.facts(eventWith(type, body), known);
  assert.ok('facts' in translated, JSON.stringify(translated));
  return translated.facts;
}

/** An event of a type. */
export function eventWith(type: string, body: object): DeliveredEvent {
  return { sellerEventId: 'e', type, at: 0, isTest: false, subject: null, body: JSON.stringify(body) };
}

/** The facts of requests that were sent at a moment, each after the look-ups that it needs. */
export function factsTold(seller: Seller, told: readonly Told[], now: number): readonly Fact[] {
  return told.flatMap((each) => {
    const delivery = seller.sign(each, now);
    assert.equal(seller.source.verify(delivery, [seller.secret], now), null);
    return seller.source.events(delivery).flatMap((event) => factsAfterLookUps(seller, event));
  });
}

function factsAfterLookUps(seller: Seller, event: DeliveredEvent): readonly Fact[] {
  const answers = new Map<string, unknown>();
  const known: Known = { isMapped: () => false, lookedUp: ({ what, id }) => answers.get(`${what}:${id}`) };
  for (let round = 0; round < 3; round += 1) {
    const translated = seller.source.facts(event, known);
    assert.ok('facts' in translated, `${event.type}: ${JSON.stringify(translated)}`);
    if (translated.needs.length === 0) return translated.facts;
    for (const need of translated.needs) answers.set(`${need.what}:${need.id}`, lookedUp(seller, need));
  }
  return assert.fail(`${event.type} needs look-ups without an end`);
}

function lookedUp(seller: Seller, need: LookUp): unknown {
  assert.ok(seller.source.lookUps, 'the source has look-ups');
  assert.match(seller.source.lookUps.pathOf(need), /^\/[\x21-\x7e]+$/);
  const answer = seller.answer(need);
  assert.ok(answer !== undefined, JSON.stringify(need));
  return answer;
}

/** The facts of one kind. */
export function ofKind<Kind extends Fact['fact']>(facts: readonly Fact[], kind: Kind) {
  return facts.filter((fact): fact is Extract<Fact, { fact: Kind }> => fact.fact === kind);
}

const textOf = ({ kind, id }: Reference) => `${kind}:${id}`;

/** Whether references lead to a sale, directly or by facts that link them. */
export function leadTo(of: readonly Reference[], sold: Sold, facts: readonly Fact[]): boolean {
  const known = new Set(sold.references.map(textOf));
  const paid = ofKind(facts, 'paid').filter(({ subscription }) => subscription === sold.subscription);
  for (const { references } of paid) for (const each of references) known.add(textOf(each));
  const links: readonly Linked[] = ofKind(facts, 'linked');
  for (let round = 0; round < links.length; round += 1)
    for (const { reference, to } of links) if (to.some((each) => known.has(textOf(each)))) known.add(textOf(reference));
  return of.some((each) => known.has(textOf(each)));
}
