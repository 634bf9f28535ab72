/** The kinds of notices: what the operator is told by e-mail (rules 13.10). */

/** The kinds that tell of a condition, which begins and ends. */
export const CONDITION_KINDS = [
  'destination_failing',
  'mails_failed',
  'shop_attention',
  'certificate_ending',
  'backup_missing',
  'refusals_spike',
] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

/** All kinds; `digest` is the summary of each week. */
export const NOTICE_KINDS = [...CONDITION_KINDS, 'digest'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];
