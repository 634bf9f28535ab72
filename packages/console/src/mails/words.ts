/** The words for e-mails: pure. */
import type { Mail } from '../api/contract.ts';
import type { StatusWords } from '../parts/status.tsx';
import { relativeTime } from '../parts/time-words.ts';
import { reasonText } from '../sentences/mail-failures.ts';
import { STATES } from '../sentences/mail-names.ts';

/** The names of the filters in the address. */
export const FILTERS = ['state', 'to', 'license', 'days'] as const;
type MailFilters = Readonly<Record<(typeof FILTERS)[number], string>>;

/** A change of the filters: the service has no index of a recipient together with a state or a license. */
export function changeOf(change: Partial<MailFilters>): Partial<MailFilters> {
  const { to = '', state = '', license = '' } = change;
  if (to !== '') return { state: '', license: '', ...change };
  return state === '' && license === '' ? change : { to: '', ...change };
}

/** A state of the filter; undefined for all, and for words that are none. */
export function stateIn(text: string): Mail['state'] | undefined {
  return STATES.find(({ value }) => value !== '' && value === text)?.value as Mail['state'] | undefined;
}

/** The state of an e-mail as shown. */
export interface MailState extends StatusWords {
  /** The reason and the consequence; '' without either. */
  readonly sentence: string;
}

/** The state in a word and a sentence. @param now milliseconds since 1970 */
export function stateOf(mail: Pick<Mail, 'state' | 'attempts' | 'dueAt' | 'lastError'>, now: number): MailState {
  const { state, attempts, dueAt, lastError } = mail;
  switch (state) {
    case 'sent':
      return { tone: 'good', title: 'Sent', sentence: '' };
    case 'dropped':
      return { tone: 'quiet', title: 'Dropped', sentence: 'It was no longer needed.' };
    case 'failed':
      return { tone: 'danger', title: 'Failed', sentence: reasonText(lastError) };
    case 'waiting': {
      if (lastError === null)
        return {
          tone: 'quiet',
          title: 'Waiting',
          sentence: attempts === 0 ? 'Not tried yet.' : 'The first attempt is in progress.',
        };
      const next = dueAt === null ? '' : ` Next attempt ${relativeTime(dueAt, now)}.`;
      return { tone: 'warn', title: 'Waiting', sentence: `${reasonText(lastError)}${next}` };
    }
  }
}
