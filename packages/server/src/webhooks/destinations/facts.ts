/** The facts of events that a destination may get. */
import type { Facts } from '../../platform/events/event.ts';
import { kindOfFact } from '../../platform/events/event-facts.ts';
import type { EventType } from '../../platform/events/event-types.ts';

/** The facts that may be sent. */
export function sentFacts(type: EventType, facts: Facts | null, includePersonalData: boolean): Facts | null {
  if (facts === null || includePersonalData) return facts;
  return Object.fromEntries(Object.entries(facts).filter(([name]) => kindOfFact(type, name) === 'plain'));
}

/** The types whose subject names a person: the former address of a customer, a user. */
const PERSONAL_SUBJECTS: readonly EventType[] = ['license.email_changed', 'user.released'];

/** Returns the subject if it may be sent. */
export function sentSubject(type: EventType, subject: string | null, includePersonalData: boolean): string | null {
  return PERSONAL_SUBJECTS.includes(type) && !includePersonalData ? null : subject;
}
