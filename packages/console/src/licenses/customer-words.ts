/** The words for a customer: pure. */
import type {
  Customer,
  CustomerList,
  CustomerSummary,
  ForgetCustomerReply,
  FormerEmail,
  MailState,
  ReplacedAddresses,
} from '../api/contract.ts';
import { counted, countText } from '../parts/count-words.ts';
import type { StatusWords } from '../parts/status.tsx';

/** The numbers at which the service stops counting. */
const LICENSES_COUNTED = 1_000;
const ORDERS_COUNTED = 100;

/** "3 licenses", "1,000 licenses or more". */
export function licensesText({ licenseCount }: Pick<Customer, 'licenseCount'>): string {
  return boundedText(licenseCount, LICENSES_COUNTED, 'license');
}

/** Where counting ends in a list of customers. */
const LISTED_LICENSES_COUNTED = 10;

/** The licenses of a customer in a list: "3 licenses", "10 licenses or more". */
export function customerCountText({ licenses }: Pick<CustomerSummary, 'licenses'>): string {
  return boundedText(licenses, LISTED_LICENSES_COUNTED, 'license');
}

function boundedText(count: number, bound: number, one: string): string {
  return count >= bound ? `${countText(count)} ${one}s or more` : counted(count, one);
}

/** The number of entries of a list: "2 machines", "more than 20 machines". */
function listedText(customer: Customer, list: CustomerList, one: string): string {
  const { length } = customer[list];
  return customer.cut.includes(list) ? `more than ${counted(length, one)}` : counted(length, one);
}

/** The places where forgetting replaces the address, as far as they are known beforehand. */
export function goingTexts(customer: Customer): readonly string[] {
  const { licenseCount, orderCount, redemptions, seats, mails, machines, notes } = customer;
  return [
    ...(licenseCount > 0 ? [`the address of ${licensesText(customer)}, and of all their changes`] : []),
    ...(machines.length > 0 ? [`the names of ${listedText(customer, 'machines', 'machine')}`] : []),
    ...(notes.length > 0 ? [`the address in ${listedText(customer, 'notes', 'note')}`] : []),
    ...(orderCount > 0 ? [`the buyer of ${boundedText(orderCount, ORDERS_COUNTED, 'order')}`] : []),
    ...(seats.length > 0 ? [`the holder of ${listedText(customer, 'seats', 'seat')}`] : []),
    ...(redemptions.length > 0 ? [`who redeemed ${listedText(customer, 'redemptions', 'code')}`] : []),
    ...(mails.length > 0 ? [`${listedText(customer, 'mails', 'mail')}, deleted`] : []),
  ];
}

/** The data of a customer within a sentence: "2 licenses, 1 machine and 1 order". */
export function ownsText(customer: Customer): string {
  const { licenseCount, orderCount, machines, seats } = customer;
  const parts = [
    licenseCount > 0 ? licensesText(customer) : null,
    machines.length > 0 ? listedText(customer, 'machines', 'machine') : null,
    orderCount > 0 ? boundedText(orderCount, ORDERS_COUNTED, 'order') : null,
    seats.length > 0 ? listedText(customer, 'seats', 'seat') : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? 'no license' : listText(parts);
}

/** The data that forgetting leaves. */
export const STAYS: readonly string[] = [
  'licenses and keys, which keep working',
  'fingerprints, by which apps know their machines',
  'the text of notes, but for the address',
  'backups, logs, and events that other services have received',
];

const REPLACED: readonly (readonly [keyof ReplacedAddresses, string])[] = [
  ['licenses', 'license'],
  ['events', 'event'],
  ['machines', 'machine'],
  ['users', 'user'],
  ['violations', 'violation'],
  ['refusals', 'refusal'],
  ['licenseFiles', 'license file'],
  ['redemptions', 'redeemed code'],
  ['orders', 'order'],
  ['seats', 'seat'],
  ['storefrontEvents', 'event of the shop'],
  ['shopSales', 'sale at a seller'],
  ['mails', 'e-mail'],
];

/** The plurals that do not end with the word. */
const PLURALS: Readonly<Partial<Record<keyof ReplacedAddresses, string>>> = {
  storefrontEvents: 'events of the shop',
  shopSales: 'sales at sellers',
};

/** The replaced addresses by kind: "2 licenses, 14 events". */
export function replacedText(replaced: ReplacedAddresses): string {
  const parts = REPLACED.filter(([kind]) => replaced[kind] > 0).map(([kind, one]) =>
    counted(replaced[kind], one, PLURALS[kind]),
  );
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** The sums of the replies, one of each address. */
export function replacedBy(replies: readonly Pick<ForgetCustomerReply, 'replaced'>[]): ReplacedAddresses {
  const sum = (kind: keyof ReplacedAddresses) => replies.reduce((all, { replaced }) => all + replaced[kind], 0);
  return Object.fromEntries(REPLACED.map(([kind]) => [kind, sum(kind)])) as unknown as ReplacedAddresses;
}

/** A hint for a former address that can be forgotten, too. */
export function formerText({ licenseCount }: FormerEmail): string {
  return licenseCount === 0
    ? 'A former address of these licenses. The history of changes holds it.'
    : `A former address of these licenses. ${boundedText(licenseCount, LICENSES_COUNTED, 'license')} ${licenseCount === 1 ? 'has' : 'have'} it now, perhaps of another customer.`;
}

/** "a", "a and b", "a, b and c". */
export function listText(names: readonly string[]): string {
  const [last = '', ...before] = [...names].reverse();
  return before.length === 0 ? last : `${before.reverse().join(', ')} and ${last}`;
}

/** How forgetting gets on; '' before it begins. @param replaced null before the first answer */
export function forgettingText(state: 'idle' | 'running' | 'stopping', replaced: ReplacedAddresses | null): string {
  const done = replaced === null ? '' : `Replaced so far: ${replacedText(replaced)}.`;
  if (state === 'running') return done;
  if (state === 'stopping') return `${done} Stopping after the current step.`.trim();
  return replaced === null ? '' : `Not finished. ${done} "Go on" replaces the rest.`;
}

/** The page of an address. */
export const pageOf = (email: string) => `#/customers/${encodeURIComponent(email)}`;

export const MAIL_STATE_WORDS: Readonly<Record<MailState, StatusWords>> = {
  waiting: { tone: 'quiet', title: 'Waiting' },
  sent: { tone: 'good', title: 'Sent' },
  failed: { tone: 'danger', title: 'Failed' },
  dropped: { tone: 'quiet', title: 'Not needed' },
};

/** The purpose of an e-mail. */
export function mailText(kind: string): string {
  if (kind === 'keys') return 'Keys of licenses';
  return kind === 'code' ? 'Code to sign in' : kind;
}
