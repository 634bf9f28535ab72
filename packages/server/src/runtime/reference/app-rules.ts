/** General rules for an application's reaction to refusals, one per paragraph. */
export const APP_RULES: readonly string[] = [
  'Decide by the code, never by the text. An unknown code says nothing about the license, like no answer.',
  'Only an answer about the license itself is a reason to lock: `license_replaced`, `license_revoked`, `license_expired`, ' +
    '`wrong_product`, and `machine_limit` or a refused /activate on a machine that was not active. `license_not_found` means a mistyped ' +
    'key when the user enters one; later it means a server that was restored from an old backup, and locks nobody.',
  'Never lock a paying customer out because of 429, any 5xx, 408, a network failure, or an unknown code: keep ' +
    'running as after the last good answer, and retry. A token lasts 30 days unless configured.',
  'Retry after `Retry-After`; without it after a minute, and after twice as long each time up to an hour, with some ' +
    'random time added, so that machines do not call together. Every call to the client endpoints may be repeated.',
  'Send heartbeats at a third of the session timeout, every 5 minutes with the usual 15, so that two may get lost before a ' +
    'floating session ends: wait a third of the time until `sessionExpiresAt` of the answer.',
];
