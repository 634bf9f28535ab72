import { hash } from 'node:crypto';
import Type from 'typebox';
import { DAY_MS, toTimestamp } from '../../../ground/base/clock.ts';
import type { Scope } from '../../../platform/endpoint/caller.ts';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { EXAMPLE_NOW, MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { licenseKeyField, resource, success, text, timestamp } from '../../../platform/endpoint/field-types.ts';
import { type CreatorQuotas, refuseQuota } from '../../../platform/endpoint/quotas.ts';
import { isRefusal } from '../../../platform/endpoint/refusals.ts';
import { actorText, mintEventId } from '../../../platform/events/event.ts';
import { countRates } from '../../../platform/rates/rates.ts';
import type { Tx } from '../../../storage/contract/storage.ts';
import { changeLicense } from '../change.ts';
import type { License } from '../license.ts';

/** Maximum length of a note in characters. */
export const NOTE_CHARACTERS = 2000;

const noteSchema = resource('Note', 'A text that somebody wrote about a license.', {
  id: Type.String({ description: 'Identifier of the event that holds the note.' }),
  at: timestamp('When it was written.'),
  text: Type.String({ description: 'The note.' }),
  by: Type.String({ description: 'Who wrote it: `operator`, or `creator:` and the id of the creator.' }),
});

const EXAMPLE_TEXT = 'Wrote on Monday: the old laptop was stolen. Released it.';

export const addNote = endpoint({
  path: '/addNote',
  access: 'admin',
  needs: 'support',
  summary: 'Write a note on a license',
  description:
    'Stores a text with the license for the next reader: in its history and in /listEvents, as an event of type ' +
    '`license.noted`. Notes are kept for ever, unless /deleteNote deletes one, and nobody can change one; ' +
    '/forgetCustomer replaces an address in them. Customers do not see them. The owner of the product also sees those ' +
    'of the operator.',
  example: {
    after: ['/createLicense'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey, text: EXAMPLE_TEXT },
    reply: {
      success: true,
      note: { id: MADE_BY_SERVICE.noteId, at: EXAMPLE_NOW, text: EXAMPLE_TEXT, by: 'operator' },
    },
  },
  fields: Type.Object({ licenseKey: licenseKeyField, text: text('The note.', NOTE_CHARACTERS) }),
  reply: success({ note: noteSchema }),
  refusals: ['license_not_found', 'quota_used'],
}).write(async (tx, { fields: { licenseKey, text: note }, scope, origin, ruleContext: { settings } }) => {
  let id = '';
  const load = ({ licenseKey: stored }: License) => countNote(tx, stored, scope, settings.creatorQuotas, origin.now);
  const noted = await changeLicense(tx, origin, { licenseKey, scope, load }, (_license, quotaUsed) => {
    if (quotaUsed !== null) return quotaUsed;
    // Minted under the lock, so that note ids follow the order of the changes.
    id = mintEventId(origin.now);
    return {
      type: 'license.noted',
      entry: { eventId: id, subject: null, before: null, after: { text: note } },
    };
  });
  if (isRefusal(noted)) return noted;
  return { success: true, note: { id, at: toTimestamp(origin.now), text: note, by: actorText(origin.actor) } };
});

/** Counts a note of a creator on a license; returns the refusal beyond the quota. */
async function countNote(tx: Tx, licenseKey: string, { creatorId }: Scope, { notes: max }: CreatorQuotas, now: number) {
  if (creatorId === null || max === null) return null;
  const subject = `notes of ${creatorId} on ${hash('sha256', licenseKey, 'base64url')}`;
  const pause = await countRates(tx, [{ subject, max, windowMs: DAY_MS }], now);
  return pause === null ? null : refuseQuota('notes', max, pause);
}
