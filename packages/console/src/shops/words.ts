/** The words for connected shops and their events: pure. */
import type {
  Connector,
  ShopDeed,
  ShopEvent,
  ShopEventState,
  ShopMatch,
  ShopRemedy,
  ShopSource,
} from '../api/contract.ts';
import sellers from '../api/seller-words.json' with { type: 'json' };
import { counted } from '../parts/count-words.ts';
import { moneyText } from '../parts/figures.ts';
import { LOCALE } from '../parts/locale.ts';
import type { StatusWords } from '../parts/status.tsx';
import { DEEDS, EVENT_STATES } from '../sentences/shop-outcomes.ts';

/** A seller as the service declares it. */
interface Seller {
  readonly title: string;
  /** Deliveries without a signature are read back with the API key. */
  readonly isSigned: boolean;
  /** Whether it can issue license keys of its own. */
  readonly issuesKeys: boolean;
  /** Whether its API keys cannot be restricted. */
  readonly hasBroadKeys: boolean;
  /** Whether its API lists events, so that missed ones can be read. */
  readonly listsEvents: boolean;
}

/** The sellers, in the order of the choice. */
export const SELLERS: Readonly<Record<ShopSource, Seller>> = sellers;

const alternatives = new Intl.ListFormat(LOCALE, { type: 'disjunction' });

/** The names of all sellers: "Stripe, Paddle or Polar". */
export const ANY_SELLER = alternatives.format(Object.values(SELLERS).map(({ title }) => title));

/** The missing part without which no event can arrive; null if the connector is complete. */
export function missingOf({
  source,
  secretHints,
  sellerApiKeyHint,
}: Pick<Connector, 'source' | 'secretHints' | 'sellerApiKeyHint'>): 'secret' | 'apiKey' | null {
  if (!SELLERS[source].isSigned) return sellerApiKeyHint === null ? 'apiKey' : null;
  return secretHints.length === 0 ? 'secret' : null;
}

/** Whether a connector reads the events that did not arrive. */
export function catchesUp({ source, sellerApiKeyHint }: Pick<Connector, 'source' | 'sellerApiKeyHint'>): boolean {
  return SELLERS[source].listsEvents && sellerApiKeyHint !== null;
}

type Counts = Connector['counts'];

/** Events on which the service itself goes on. */
export function waitingOf(counts: Counts): number {
  return (counts.received ?? 0) + (counts['looking up'] ?? 0) + (counts.held ?? 0);
}

/** Events that a person decides. */
export function attentionOf(counts: Counts): number {
  return counts.attention ?? 0;
}

/** The state of a connector as shown. */
export interface ConnectorState extends StatusWords {
  /** The cause and its effect. */
  readonly sentence: string;
}

/** The state in a word and a sentence: the most urgent one first. */
export function stateOf(
  connector: Pick<
    Connector,
    | 'source'
    | 'state'
    | 'counts'
    | 'secretHints'
    | 'sellerApiKeyHint'
    | 'lastEventAt'
    | 'lastRejectedAt'
    | 'lastRejection'
  >,
): ConnectorState {
  const { state, counts, lastEventAt, lastRejectedAt, lastRejection } = connector;
  const missing = missingOf(connector);
  if (missing !== null)
    return {
      tone: 'warn',
      title: 'Not set up',
      sentence: missing === 'secret' ? 'The signing secret is missing.' : 'The API key is missing.',
    };
  if (lastRejectedAt !== null && (lastEventAt === null || lastRejectedAt > lastEventAt))
    return { tone: 'danger', title: 'Refuses requests', sentence: `${lastRejection ?? 'The signature is not valid'}.` };
  const attention = attentionOf(counts);
  if (attention > 0)
    return {
      tone: 'danger',
      title: 'Needs you',
      sentence: `${counted(attention, 'event')} ${attention === 1 ? 'needs' : 'need'} a decision.`,
    };
  if (state === 'paused') return { tone: 'warn', title: 'Paused', sentence: 'Events are stored. No license changes.' };
  if (state === 'watching')
    return { tone: 'quiet', title: 'Watching', sentence: 'Events are stored and previewed. No license changes.' };
  const waiting = waitingOf(counts);
  if (waiting > 0)
    return { tone: 'good', title: 'On', sentence: `${counted(waiting, 'event')} ${waiting === 1 ? 'waits' : 'wait'}.` };
  const watched = counts.watched ?? 0;
  if (watched > 0)
    return {
      tone: 'good',
      title: 'On',
      sentence: `${counted(watched, 'event')} from before ${watched === 1 ? 'is' : 'are'} not applied.`,
    };
  return {
    tone: 'good',
    title: 'On',
    sentence: lastEventAt === null ? 'No event has arrived yet.' : 'Every event is applied.',
  };
}

/** The filter by state: its value in the address, and its title. */
export const STATES: readonly { readonly value: ShopEventState | ''; readonly title: string }[] = [
  { value: '', title: 'Any state' },
  ...(Object.keys(EVENT_STATES) as ShopEventState[]).map((value) => ({ value, title: EVENT_STATES[value].title })),
];

/** A state of the filter; undefined for any, and for words that are none. */
export function stateIn(text: string): ShopEventState | undefined {
  const found = STATES.find(({ value }) => value === text)?.value ?? '';
  return found === '' ? undefined : found;
}

interface Reason {
  /** The event in a few words. */
  readonly title: string;
  /** The cause, and a way on. */
  readonly sentence: string;
}

/** Why an event waits for a person. */
const NEEDS_YOU: Readonly<Record<string, Reason>> = {
  unmapped_product: {
    title: 'A product without a mapping was sold',
    sentence: 'The buyer has paid and has no license yet. Say which product of yours it is.',
  },
  below_minimum: {
    title: 'A sale is below the minimum price',
    sentence: 'The buyer paid less than the mapping asks for, and has no license yet.',
  },
  no_email: {
    title: 'A sale has no e-mail address',
    sentence: 'The seller names no address, so nobody can get the license. Try again once the customer has one there.',
  },
  bad_quantity: {
    title: 'A sale has an unusual quantity',
    sentence: 'The quantity is not from 1 to 1,000, so no license was issued.',
  },
  key_conflict: {
    title: "The seller's key cannot be used",
    sentence: 'The key that the seller issued is not possible here, or belongs to another license.',
  },
  product_changed: {
    title: 'A subscription changed to another product',
    sentence: 'The license is of another product than the plan that the buyer has now.',
  },
  refund_unplaced: {
    title: 'A refund names no license',
    sentence: 'Money went back, and the seller does not say for which of the licenses.',
  },
  refund_undone: {
    title: 'A refund did not happen',
    sentence: 'The licenses were revoked for a refund that failed at the seller.',
  },
  dispute_won: {
    title: 'A dispute was won',
    sentence: 'The bank gave the money back to you. The licenses are still revoked.',
  },
  end_kept: {
    title: 'A license ends later than the seller says',
    sentence: 'Somebody gave it more time here, which the service does not take away by itself.',
  },
  lookup_denied: {
    title: 'The seller does not answer questions',
    sentence: 'The event does not tell the sale whole, and the API key is missing or refused.',
  },
  unknown_shape: {
    title: 'An event has an unknown form',
    sentence: 'A field that the service relies on is missing or different.',
  },
  held_too_long: {
    title: 'An event waits for a sale that never came',
    sentence: 'It names an order or a subscription that no event of 30 days has told.',
  },
  not_applied: {
    title: 'An event could not be applied',
    sentence: 'Every attempt of three days failed.',
  },
};

/** Why an event is ignored, as sentences. */
const IGNORED: Readonly<Record<string, string>> = {
  not_paid: 'The seller has no payment yet, or will have none.',
  told_elsewhere: 'Another event of the seller tells the same.',
  refund_pending: 'The refund is not certain yet.',
  refund_refused: 'The refund was refused.',
  no_change: 'It changes nothing that a license depends on.',
  unused_type: 'No license depends on events of this type.',
  other_mode: 'It is of the other mode: a test at a shop for real sales, or a real sale at a shop for tests.',
  mapped_to_ignore: 'A mapping says that the product has no license.',
};

const BY_STATE: Readonly<Partial<Record<ShopEventState, string>>> = {
  watched: 'It was stored only. Preview shows its effect.',
  received: 'It is applied within seconds.',
  'looking up': 'The service asks the seller for the rest of the sale.',
  held: 'It names a sale that no event has told yet. It is applied once that sale arrives.',
  'nothing new': 'Everything that it tells was known.',
  dismissed: 'A person decided that nothing follows.',
};

/** The reason of an event that needs a person; a general one for reasons newer than the page. */
export function reasonOf({ reason }: Pick<ShopEvent, 'reason'>): Reason {
  return (
    NEEDS_YOU[reason ?? ''] ?? { title: 'An event needs a decision', sentence: (reason ?? '').replaceAll('_', ' ') }
  );
}

/** Why an event is in its state, as a sentence; '' where its state says everything. */
export function whyText({ state, reason }: Pick<ShopEvent, 'state' | 'reason'>): string {
  if (state === 'attention') return reasonOf({ reason }).sentence;
  if (state === 'ignored') return IGNORED[reason ?? ''] ?? '';
  return BY_STATE[state] ?? '';
}

/** "2 licenses: issued"; '' without one. */
export function outcomeText(outcome: ShopEvent['outcome']): string {
  const counts = new Map<ShopDeed, number>();
  for (const { did } of outcome) counts.set(did, (counts.get(did) ?? 0) + 1);
  return [...counts].map(([did, count]) => `${counted(count, 'license')}: ${DEEDS[did].toLowerCase()}`).join(', ');
}

interface RemedyWords {
  /** The label of its button. */
  readonly title: string;
  /** The effect. */
  readonly effect: string;
  /** The message after it. */
  readonly done: string;
  readonly danger?: true;
}

/** The remedies of events. */
export const REMEDIES: Readonly<Record<ShopRemedy, RemedyWords>> = {
  replay: {
    title: 'Try again',
    effect: 'The event is applied once more, under the present mappings and keys. Nothing is carried out twice.',
    done: 'The event is applied again.',
  },
  issue: {
    title: 'Issue the license',
    effect: 'The buyer gets the license in spite of the price, and the e-mail with its key.',
    done: 'The license was issued.',
  },
  issue_one: {
    title: 'Issue one license',
    effect: 'The buyer gets one license, whatever the quantity says, and the e-mail with its key.',
    done: 'One license was issued.',
  },
  issue_own_key: {
    title: 'Issue with a key of ours',
    effect: 'The buyer gets a license with a new key of this service, and the e-mail with it.',
    done: 'The license was issued with a new key.',
  },
  revoke: {
    title: 'Revoke the licenses',
    effect: 'All licenses of this sale are revoked as refunded. Their apps stop at the next check.',
    done: 'The licenses of the sale were revoked.',
    danger: true,
  },
  reinstate: {
    title: 'Reinstate the licenses',
    effect: 'All licenses of this sale work again.',
    done: 'The licenses of the sale work again.',
  },
  set_end: {
    title: 'Set the end of the seller',
    effect: 'The licenses end when the seller says. Time that somebody gave them here is taken away.',
    done: 'The licenses have the end that the seller says.',
    danger: true,
  },
  dismiss: {
    title: 'Dismiss',
    effect: 'Nothing follows from this event, and it leaves the inbox. Its licenses stay as they are.',
    done: 'The event was dismissed.',
  },
};

/** The remedies of an event that the page knows. */
export function remediesOf({ remedies }: Pick<ShopEvent, 'remedies'>): readonly ShopRemedy[] {
  return (remedies as readonly ShopRemedy[]).filter((remedy) => Object.hasOwn(REMEDIES, remedy));
}

/** The kind of the seller's id in a mapping. */
export const MATCHES: Readonly<Record<ShopMatch, string>> = {
  price: 'Price',
  variant: 'Variant',
  sku: 'SKU',
  payment_link: 'Payment link',
  path: 'Path',
  product: 'Product',
  any: 'Anything else',
};

export type Mapping = Connector['mappings'][number];

/** The name of a mapping in a line. */
export function mappingName({ match, id }: Pick<Mapping, 'match' | 'id'>): string {
  return id === undefined ? MATCHES[match] : `${MATCHES[match]} ${id}`;
}

/** The license that a mapping makes of a sale. */
export function mappingText({ ignore, productId, variant }: Mapping): string {
  if (ignore === true) return 'No license';
  return `${productId ?? ''}, ${variant ?? 'indie'}`;
}

/** Further rules of a mapping, in words; '' without one. */
export function mappingRules({ quantity, kind, keys, minimumAmount, unlockedProducts = [] }: Mapping): string {
  return [
    ...(kind === undefined ? [] : [kind === 'once' ? 'sold once' : 'subscription']),
    ...(quantity === undefined ? [] : [quantity === 'scale' ? 'one license for all units' : 'a license for each unit']),
    ...(keys === 'theirs' ? ["the seller's keys"] : []),
    ...(minimumAmount === undefined ? [] : [`at least ${moneyText(minimumAmount, null)}`]),
    ...(unlockedProducts.length === 0 ? [] : [`also opens ${unlockedProducts.join(', ')}`]),
  ].join(', ');
}
