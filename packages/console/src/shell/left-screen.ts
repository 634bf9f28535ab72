/**
 * The screen that a person left to sign in with an account of the identity provider, kept in this tab alone: the
 * fragment of an address never reaches the service or the provider, so neither can lead back to it.
 */
const KEY = 'screen';

/** Keeps the present screen. */
export function keepScreen(): void {
  sessionStorage.setItem(KEY, location.hash);
}

/** Leads back to the kept screen, once, where the address names none. */
export function returnToScreen(): void {
  const kept = sessionStorage.getItem(KEY);
  if (!kept || location.hash !== '') return;
  sessionStorage.removeItem(KEY);
  history.replaceState(history.state, '', kept);
}
