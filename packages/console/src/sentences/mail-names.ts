/** The names of kinds and states of e-mails, for their screen and the timeline of a license: pure. */
import type { Mail } from '../api/contract.ts';

/** The filter by state: its value in the address, and its title. */
export const STATES = [
  { value: '', title: 'All e-mails' },
  { value: 'failed', title: 'Failed' },
  { value: 'waiting', title: 'Waiting' },
  { value: 'sent', title: 'Sent' },
  { value: 'dropped', title: 'Dropped' },
] as const;

const KINDS: Readonly<Record<string, string>> = {
  keys: 'License keys',
  reply: 'Reply',
  sale_keys: 'Keys of a sale',
  keys_added: 'Further keys of a sale',
  payment_failed: 'Failed payment',
  test: 'Test of a text',
  code: 'Sign-in code',
  operator_notice: 'Notice to the operator',
  operator_digest: 'Summary of a week',
  operator_test: 'Test to the operator',
};

/** The kind of an e-mail in words. */
export function kindText(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** The name of a state. */
export function stateText(state: Mail['state']): string {
  return STATES.find(({ value }) => value === state)?.title ?? state;
}
