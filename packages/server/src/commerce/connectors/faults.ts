/** Conditions in which the events of a shop do not become licenses although the connector is on. */
import { openSecret, type SecretsKey } from '../../platform/sealing/seal.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { type Connector, openSecrets } from './connector.ts';
import { listConnectorsAfter } from './connector-store.ts';
import { sourceNamed } from './sources/source-list.ts';

/** Connectors whose secrets are opened as a trial. */
const MAX_OPENED = 1000;

/**
 * Returns warnings for the operator, as sentences without a full stop: one for each connector whose secrets are missing
 * or cannot be opened. `key` is the one of this node.
 */
export async function connectorWarnings(sql: Sql, key: SecretsKey | null): Promise<string[]> {
  const connectors = await listConnectorsAfter(sql, '', MAX_OPENED);
  return connectors.flatMap((connector) => {
    const fault = faultOf(connector, key);
    return fault === null ? [] : [`connector ${connector.connectorId} (${connector.name}) ${fault}`];
  });
}

function faultOf({ connectorId, source, secrets, apiKey }: Connector, key: SecretsKey | null): string | null {
  // The newest secret has no end.
  const live = secrets.filter(({ endsAt }) => endsAt === null);
  const isUnsigned = sourceNamed(source).secret === 'none';
  const opened = key === null ? [] : openSecrets({ connectorId, secrets: live }, key, 0);
  const isKeySealed = apiKey !== null && (key === null || openSecret(apiKey.sealed, connectorId, key) === null);
  if ((!isUnsigned && opened.length < live.length) || isKeySealed)
    return (
      'has secrets that this node cannot open, so it takes no events: LATCHKEY_SECRETS_KEY, or the file secrets-key of ' +
      'the data directory, must be the one under which the connector was made'
    );
  if (!isUnsigned && live.length === 0) return 'has no signing secret, so it takes no events: enter it in the console';
  return isUnsigned && apiKey === null
    ? "has no sellerApiKey, so no sale can be read back: enter the seller's access token in the console"
    : null;
}
