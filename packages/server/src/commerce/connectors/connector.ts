/** A connector: an account at a seller whose sales become licenses (rules 15.1). */
import { fromTimestamp, HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { mintSecret } from '../../ground/base/random.ts';
import { openSecret, type SecretsKey, sealSecret } from '../../platform/sealing/seal.ts';
import type { ConnectorMode, ConnectorSettings, ConnectorState } from './settings.ts';
import type { SourceName } from './sources/source-list.ts';

/** A sealed secret. */
export interface Sealed {
  readonly sealed: string;
  /** Its last four characters; '' for a secret of less than twelve. */
  readonly hint: string;
}

/** A signing secret; the newest one has no end. */
export interface SigningSecret extends Sealed {
  readonly endsAt: string | null;
}

export interface Connector {
  readonly connectorId: string;
  /** Null: the operator's. */
  readonly creatorId: string | null;
  readonly source: SourceName;
  readonly name: string;
  readonly mode: ConnectorMode;
  readonly state: ConnectorState;
  /** Begins the purchaseIds of its sales; unique for its owner. */
  readonly prefix: string;
  /** The newest first. */
  readonly secrets: readonly SigningSecret[];
  readonly apiKey: Sealed | null;
  readonly settings: ConnectorSettings;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Connectors of one owner. */
export const MAX_CONNECTORS = { ofCreator: 20, ofOperator: 100 } as const;
/** Mappings of one connector. */
export const MAX_MAPPINGS = 1000;
/** Signing secrets that are live at once. */
export const MAX_SECRETS = 3;

/** Random bytes of an id, which is the only thing that a seller without signatures proves. */
const ID_BYTES = 16;
const SECRET_BYTES = 24;
const SHORTEST_HINTED = 12;
const HINT_LENGTH = 4;

/** `con_` and 22 random characters. */
export function mintConnectorId(): string {
  return `con_${mintSecret(ID_BYTES)}`;
}

/** A signing secret for sellers that take one; 32 characters, because one of them takes 40 at most. */
export function mintSigningSecret(): string {
  return mintSecret(SECRET_BYTES);
}

/** Seals a secret of a connector. */
export function sealed(secret: string, connectorId: string, key: SecretsKey): Sealed {
  const hint = secret.length < SHORTEST_HINTED ? '' : secret.slice(-HINT_LENGTH);
  return { sealed: sealSecret(secret, connectorId, key), hint };
}

/**
 * The signing secrets after a new one: the former ones sign for some hours more, at most two of them.
 *
 * @param now milliseconds since 1970
 */
export function secretsAfter(
  former: readonly SigningSecret[],
  secret: Sealed,
  overlapHours: number,
  now: number,
): readonly SigningSecret[] {
  const endsAt = toTimestamp(now + overlapHours * HOUR_MS);
  const kept = former
    .map((each) => ({ ...each, endsAt: each.endsAt === null || each.endsAt > endsAt ? endsAt : each.endsAt }))
    .filter((each) => isLive(each, now));
  return [{ ...secret, endsAt: null }, ...kept].slice(0, MAX_SECRETS);
}

/** The live signing secrets; those that this node cannot open are left out. */
export function openSecrets(
  { connectorId, secrets }: Pick<Connector, 'connectorId' | 'secrets'>,
  key: SecretsKey,
  now: number,
): readonly string[] {
  return secrets
    .filter((each) => isLive(each, now))
    .flatMap(({ sealed: secret }) => openSecret(secret, connectorId, key) ?? []);
}

function isLive({ endsAt }: SigningSecret, now: number): boolean {
  return endsAt === null || fromTimestamp(endsAt) > now;
}
