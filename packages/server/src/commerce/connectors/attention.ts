/** Events that a person decides: the reasons and the remedies. */

/** Why an event waits for a person, with the remedies beside `dismiss`, which every event has. */
export const ATTENTION = {
  unmapped_product: ['replay'],
  below_minimum: ['issue'],
  no_email: ['replay'],
  bad_quantity: ['issue_one'],
  key_conflict: ['issue_own_key'],
  product_changed: ['replay'],
  refund_unplaced: ['revoke'],
  refund_undone: ['reinstate'],
  dispute_won: ['reinstate'],
  end_kept: ['set_end'],
  lookup_denied: ['replay'],
  unknown_shape: ['replay'],
  held_too_long: ['replay'],
  not_applied: ['replay'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type AttentionReason = keyof typeof ATTENTION;
export type Remedy = 'dismiss' | (typeof ATTENTION)[AttentionReason][number];

/** Every remedy. */
export const REMEDIES = [
  ...(['dismiss', 'replay', 'issue', 'issue_one', 'issue_own_key'] as const),
  ...(['revoke', 'reinstate', 'set_end'] as const),
] as const satisfies readonly Remedy[];

/** The remedies of an event that waits for a person. */
export function remediesOf(reason: AttentionReason): readonly Remedy[] {
  return [...ATTENTION[reason], 'dismiss'];
}
