/** Returns the message for the user by the state of the license; null if there is none. */
export function sentenceFor(state) {
  switch (state.status) {
    case 'licensed':
      return null;
    case 'unlicensed':
      return 'Please enter your license key.';
    case 'grace':
      // An outage of an hour is nobody's business.
      return hoursUntil(state.until) > 72
        ? null
        : `The license server cannot be reached. You can keep working until ${state.until}.`;
    case 'lapsed':
      return 'Your license could not be checked for a long time. Please connect to the internet once.';
    case 'waiting':
      return 'All seats are in use. You will get the next free one.';
    case 'released':
      return 'Your license was moved to another machine.';
    case 'refused':
      return REFUSED[state.why] ?? 'Your license cannot be used. Please write to support.';
  }
}

/** Returns the message for the user after `activate` or `deactivate` has thrown. */
export function sentenceForError(error) {
  if (error.name === 'Unreachable') return 'The license server cannot be reached. Please try again later.';
  if (error.name !== 'Refused') throw error;
  if (error.code === 'machine_limit') return 'Your license is in use on as many machines as it allows.';
  if (error.code === 'activation_rate') return 'Too many attempts. Please try again later.';
  return REFUSED[error.code] ?? 'Your license cannot be used. Please write to support.';
}

const REFUSED = {
  license_not_found: 'This license key is unknown. Please check it for typing mistakes.',
  wrong_product: 'This key is for another product.',
  license_expired: 'Your license has expired. Please renew it; your key stays the same.',
  license_revoked: 'This license has been revoked. Please write to support.',
};

function hoursUntil(time) {
  return (Date.parse(time) - Date.now()) / 3_600_000;
}
