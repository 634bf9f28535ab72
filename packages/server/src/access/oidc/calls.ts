/** The calls of the site to the database: an attempt is used up, then the person enters or is refused. */
import Type from 'typebox';
import { HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { networksOf } from '../../ground/base/network-address.ts';
import type { Person } from '../../platform/endpoint/caller.ts';
import { nullable, oneOf, text } from '../../platform/endpoint/field-types.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { ROLES } from '../../platform/endpoint/role.ts';
import { countRates } from '../../platform/rates/rates.ts';
import { addSession, recordRefusedPerson } from '../console/change.ts';
import { beginSession } from '../console/session.ts';
import { ATTEMPT_MS } from './attempt.ts';
import { useUpAttempt } from './attempt-store.ts';
import { NO_RIGHTS } from './grants.ts';

/** Answers of the provider from one network in an hour, because each causes requests to the provider. */
const ATTEMPTS_OF_NETWORK = 60;

/** The person is known when the session begins, and is the author of its event. */
const STRANGER = { kind: 'client' } as const;
const NOTHING = Type.Object({});

/** Uses up an attempt before its code is exchanged: of many answers to it, one goes on. */
export const takeAttempt = inner(
  'takeAttempt',
  STRANGER,
  { fields: Type.Object({ attemptId: text('The SHA-256 of its state, in base64url.', 43) }), reply: NOTHING },
  ['attempt_not_known', 'attempt_rate'],
).write(async (tx, { fields: { attemptId }, address, origin: { now } }) => {
  const ofNetworks = (address === null ? [] : networksOf(address)).map(({ name, times }) => ({
    subject: `attempts to sign in of ${name}`,
    max: ATTEMPTS_OF_NETWORK * times,
    windowMs: HOUR_MS,
  }));
  const retryAfterSeconds = await countRates(tx, ofNetworks, now);
  if (retryAfterSeconds !== null) return refuse('attempt_rate', { retryAfterSeconds });
  const isFirst = await useUpAttempt(tx, attemptId, toTimestamp(now + ATTEMPT_MS));
  return isFirst ? {} : refuse('attempt_not_known');
});

const personFields = {
  source: text('Identifies the account for good.'),
  name: text('The name of the person in events.', 400),
};

/** Begins the session of a person with rights. */
export const enterPerson = inner(
  'enterPerson',
  STRANGER,
  {
    fields: Type.Object({
      ...personFields,
      role: Type.Optional(nullable(oneOf("One of the operator's people.", ROLES))),
      creatorId: Type.Optional(nullable(text('A creator.'))),
      newSessionId: text('The SHA-256 of the cookie that the session gets.', 64),
      userAgent: Type.Optional(nullable(text("The browser's User-Agent."))),
    }),
    reply: NOTHING,
  },
  ['person_rate', 'attempt_not_known'],
).write(async (tx, { fields, origin, address, ruleContext: { settings } }) => {
  const { source, name, role, creatorId, newSessionId: sessionId, userAgent } = fields;
  if (settings.console === null) return refuse('attempt_not_known');
  const person: Person | null = role
    ? { kind: 'operator', role, keyName: name, source, secretIndex: 0, endsAt: null }
    : creatorId
      ? { kind: 'creator', creatorId, keyName: name, source }
      : null;
  if (person === null) throw new Error('a person who enters has rights');
  const { now } = origin;
  const begun = { sessionId, person, givenName: null, isKept: false, now, address, userAgent: userAgent ?? null };
  const refusal = await addSession(tx, origin, beginSession(begun, settings.console));
  if (refusal === null) return {};
  const { retryAfterSeconds } = refusal;
  return refuse('person_rate', retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
});

/** Records that a person without rights was refused. */
export const refusePerson = inner(
  'refusePerson',
  STRANGER,
  { fields: Type.Object({ ...personFields, reason: oneOf('Why.', NO_RIGHTS) }), reply: NOTHING },
  [],
).write(async (tx, { fields, origin }) => {
  await recordRefusedPerson(tx, origin, fields);
  return {};
});
