/** Console sessions in replies. */
import Type from 'typebox';
import { nullable, oneOf, timestamp } from '../../platform/endpoint/field-types.ts';
import { ROLES } from '../../platform/endpoint/roles.ts';
import { type ConsoleSession, shownName } from './session.ts';

/** The kinds of people with a session. */
export const PERSON_KINDS = ['operator', 'creator'] as const;

/** The schema of a role, null for creators. */
export const roleSchema = nullable(
  oneOf("The role of an operator's person; null for creators.", ROLES, 'OperatorRole'),
);

/** The fields for the owner and the expiry of a session. */
export const sessionFields = {
  kind: oneOf('Its owner.', PERSON_KINDS, 'ConsolePersonKind'),
  role: roleSchema,
  creatorId: nullable(Type.String({ description: 'The creator of the API key; null for the operator.' })),
  name: Type.String({
    description:
      'The name of the key; for the admin secret the name that the person gave, `admin` where none was given.',
  }),
  expiresAt: timestamp(
    'When it ends at the latest. A session that is not kept ends earlier, 12 hours after its last call.',
  ),
};

/** The view of {@link sessionFields}. */
export function sessionView(session: ConsoleSession) {
  const { kind, role, creatorId, expiresAt } = session;
  return { kind, role, creatorId, name: shownName(session), expiresAt };
}
