/** Describes the tables of discount codes, their redemptions and limits. */
import { HOUR_MS } from '../../ground/base/clock.ts';
import { FORGETTING } from '../../platform/events/tables.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const discountCodeTables: readonly StoredTable[] = [
  {
    name: 'discount_code',
    carried: 'everywhere',
    grows: true,
    changes: { recordedBy: 'commerce/discount-codes/change.ts' },
  },
  {
    name: 'redemption',
    carried: 'everywhere',
    grows: true,
    changes: {
      recordedBy: 'commerce/discount-codes/change.ts',
      but: {
        'redemption.forget': FORGETTING,
        'redemption.forget_repeated': FORGETTING,
      },
    },
    addresses: ['email_folded'],
  },
  {
    name: 'redemption_attempts',
    carried: { byCopy: 'counts for a rate limit' },
    grows: true,
    changes: { unrecorded: 'counts for a rate limit' },
    kept: { job: 'delete old redemption attempts', ageMs: HOUR_MS, by: 'last_at', key: ['address'] },
  },
  {
    name: 'trial_rate',
    carried: { byCopy: 'counts for a rate limit' },
    grows: true,
    changes: { unrecorded: 'counts for a rate limit' },
    // A trial counts until the whole minute of its redemption is an hour old.
    kept: { job: 'delete old trial rates', ageMs: 2 * HOUR_MS, by: 'last_at', key: ['network'] },
  },
];
