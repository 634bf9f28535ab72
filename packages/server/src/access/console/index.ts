/** The endpoints of the console, in the order of rules 4.13. */
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';
import type { Slice } from '../../platform/slice/slice.ts';
import { createConsoleSession } from './create-console-session.ts';
import { createOperatorKey } from './create-operator-key.ts';
import { endConsoleSession } from './end-console-session.ts';
import { allowedAmong, getConsoleSessionOf } from './get-console-session.ts';
import { listConsoleSessions } from './list-console-sessions.ts';
import { listOperatorKeys } from './list-operator-keys.ts';
import { consoleRefusals } from './refusals.ts';
import { revokeOperatorKey } from './revoke-operator-key.ts';
import { consoleTables } from './tables.ts';

/** @param others all other endpoints of the service, because a session's reply lists those it may call */
function endpointsAmong(others: readonly Endpoint[]): readonly Endpoint[] {
  const keys = [createOperatorKey, listOperatorKeys, revokeOperatorKey];
  const known: readonly Endpoint[] = [...others, endConsoleSession, listConsoleSessions, ...keys];
  const getConsoleSession = getConsoleSessionOf(allowedAmong(known));
  return [createConsoleSession, getConsoleSession, endConsoleSession, listConsoleSessions, ...keys];
}

export const consoleSlice: Slice = {
  refusals: [consoleRefusals],
  sectionsAmong: (others) => [
    {
      title: 'Console',
      description:
        "Who is signed in to the console at /console/, and the keys of the operator's people, who sign in with roles.",
      endpoints: endpointsAmong(others),
    },
  ],
  tables: consoleTables,
};
