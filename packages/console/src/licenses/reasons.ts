/** The reasons for a revocation, as a field offers them. */
export const REASONS: readonly { readonly value: string; readonly title: string }[] = [
  { value: '', title: 'No reason' },
  { value: 'refund', title: 'The purchase was refunded' },
  { value: 'chargeback', title: 'The bank took the payment back' },
  { value: 'fraud', title: 'Fraud' },
];
