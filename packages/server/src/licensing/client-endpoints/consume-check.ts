/** The session check of /consume, which has the refusals of /validate. */
export const consumeCheck = {
  endpoint: '/consume',
  invalidToken: 'invalid_token',
  tokenMismatch: 'token_mismatch',
  machineMissing: 'machine_not_activated',
  needsSlot: true,
} as const;
