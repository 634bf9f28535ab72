/** The outcomes of shop events in a word or two, for the screens of shops and the timeline of a license: pure. */
import type { ShopDeed, ShopEventState } from '../api/contract.ts';
import type { StatusWords } from '../parts/status.tsx';

/** The tone and word of each state of an event. */
export const EVENT_STATES: Readonly<Record<ShopEventState, StatusWords>> = {
  watched: { tone: 'quiet', title: 'Watched' },
  received: { tone: 'quiet', title: 'Waiting' },
  'looking up': { tone: 'quiet', title: 'Asking the seller' },
  held: { tone: 'warn', title: 'Held' },
  applied: { tone: 'good', title: 'Applied' },
  'nothing new': { tone: 'quiet', title: 'Nothing new' },
  ignored: { tone: 'quiet', title: 'Ignored' },
  attention: { tone: 'danger', title: 'Needs you' },
  dismissed: { tone: 'quiet', title: 'Dismissed' },
};

/** The effect of an event on a license. */
export const DEEDS: Readonly<Record<ShopDeed, string>> = {
  issued: 'Issued',
  linked: 'Found, and linked to the sale',
  renewed: 'Renewed',
  shortened: 'Ends earlier',
  changed: 'Changed',
  revoked: 'Revoked',
  reinstated: 'Reinstated',
  noted: 'Noted',
  readdressed: 'Has another address',
};
