/** Console sessions in replies. */
import Type from 'typebox';
import { nullable, oneOf, timestamp } from '../../platform/endpoint/field-types.ts';
import { ROLES } from '../../platform/endpoint/role.ts';
import { type ConsoleSession, shownName, WAYS_IN, wayInOf } from './session.ts';

/** The kinds of people with a session. */
export const PERSON_KINDS = ['operator', 'creator'] as const;

/** The schema of a role, null for creators. */
export const roleSchema = nullable(oneOf('Null for creators.', ROLES, 'OperatorRole'));

/** The fields for the owner and the expiry of a session. */
export const sessionFields = {
  kind: oneOf('Its owner.', PERSON_KINDS, 'ConsolePersonKind'),
  role: roleSchema,
  creatorId: nullable(Type.String({ description: 'Null for the operator.' })),
  name: Type.String({
    description: 'Of the key or the account; with the admin secret the given one, else `admin`.',
  }),
  signedInBy: oneOf('The way in.', WAYS_IN, 'ConsoleWayIn'),
  expiresAt: timestamp('When it ends at the latest.'),
};

/** The view of {@link sessionFields}. */
export function sessionView(session: ConsoleSession) {
  const { kind, role, creatorId, expiresAt } = session;
  return { kind, role, creatorId, name: shownName(session), signedInBy: wayInOf(session), expiresAt };
}
