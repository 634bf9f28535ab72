/** The credentials of a request (rules 5.1). */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Access, type Credential, hashApiKey, type SignInCredential } from '../../platform/endpoint/caller.ts';
import type { Method } from '../../platform/endpoint/endpoint.ts';
import { isFromForeignPage, sessionIdIn } from './console-cookie.ts';

/**
 * Digests of this installation's secrets: the current one, then the previous one while callers are still changing over.
 */
export interface SecretDigests {
  readonly admin: readonly Buffer[];
  readonly webhook: readonly Buffer[];
}

/** Digests of the secrets, for {@link readCredential}. A null previous secret is absent. */
export function digestSecrets(
  { adminSecret, webhookSecret }: { readonly adminSecret: string; readonly webhookSecret: string },
  previous: { readonly previousAdminSecret: string | null; readonly previousWebhookSecret: string | null },
): SecretDigests {
  const digests = (...secrets: readonly (string | null)[]) => secrets.filter((secret) => secret !== null).map(digest);
  return {
    admin: digests(adminSecret, previous.previousAdminSecret),
    webhook: digests(webhookSecret, previous.previousWebhookSecret),
  };
}

/** The parts of a request that can carry credentials. */
export interface CredentialSources {
  readonly method: Method;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** True if the endpoint also accepts the webhook secret as a body field. */
  readonly acceptsBodySecret: boolean;
  /** True if the endpoint accepts console sessions; false if there is no console. */
  readonly takesSessions: boolean;
  /** The id of the session that may begin with this request; null if none may. */
  readonly newSessionId: string | null;
}

/** The credentials shown by a request. */
export interface ShownCredential {
  /** The credential that counts. */
  readonly credential: Credential;
  /** True if a credential is known to be wrong without asking storage; `credential` is then none. */
  readonly isWrong: boolean;
  /**
   * Names of the shown credentials that are not known to be wrong, by which they are recognized later: the kind and
   * index of a secret, or the hash of an API key. Never a secret itself.
   */
  readonly names: readonly string[];
}

const NOTHING: ShownCredential = { credential: { kind: 'none' }, isWrong: false, names: [] };
const WRONG: ShownCredential = { ...NOTHING, isWrong: true };

/**
 * Reads the credentials that a request shows to an endpoint. All of them must be right: with one wrong secret the
 * request counts as one without a credential, and an API key beside a right secret is still looked up. Endpoints open
 * to anyone examine every kind. A console session counts only by itself, not together with another credential.
 */
export function readCredential(access: Access, sources: CredentialSources, secrets: SecretDigests): ShownCredential {
  if (access === 'client') return NOTHING;
  if (access === 'signIn') return readSignIn(sources, secrets);
  const isWebhook = access === 'webhook' || access === 'webhookOrKey';
  const takesBoth = access === 'anyone' || access === 'adminOrWebhook';
  const admin = isWebhook ? [] : adminSecretsIn(sources);
  const webhook = isWebhook || takesBoth ? webhookSecretsIn(sources) : [];
  const names = [
    ...admin.map((secret) => nameOfSecret('admin', secret, secrets.admin)),
    ...webhook.map((secret) => nameOfSecret('webhook', secret, secrets.webhook)),
  ].filter((name) => name !== null);
  if (names.length < admin.length + webhook.length) return WRONG;
  const secretKind = admin.length > 0 ? 'admin' : webhook.length > 0 ? 'webhook' : 'none';
  const apiKeys = access === 'webhook' ? [] : apiKeysIn(sources);
  const [apiKey] = apiKeys;
  const sessionId = sources.takesSessions && sources.method === 'POST' ? sessionIdIn(sources.headers) : null;
  if (sessionId !== null)
    return apiKey === undefined && names.length === 0
      ? { credential: { kind: 'session', sessionId, keepsUse: false }, isWrong: false, names }
      : NOTHING;
  if (access === 'console') return NOTHING;
  if (apiKey === undefined) return { credential: { kind: secretKind }, isWrong: false, names };
  if (typeof apiKey !== 'string' || apiKeys.some((other) => other !== apiKey)) return WRONG;
  const hash = hashApiKey(apiKey);
  return { credential: { kind: 'apiKey', hash, beside: secretKind }, isWrong: false, names: [...names, hash] };
}

/**
 * Reads the sign-in credential: the field `secret` or the field `code`, but not both. A secret other than the admin
 * secret may be a key, which only storage can decide.
 */
function readSignIn({ headers, body, newSessionId }: CredentialSources, { admin }: SecretDigests): ShownCredential {
  const [shown, ...more] = given([body.secret, body.code]);
  if (shown === undefined || more.length > 0 || newSessionId === null || isFromForeignPage(headers)) return NOTHING;
  if (typeof shown !== 'string') return WRONG;
  const userAgent = headers['user-agent']?.slice(0, 255) ?? null;
  const by = (found: SignInCredential['by'], name: string): ShownCredential => ({
    credential: { kind: 'signIn', by: found, newSessionId, userAgent },
    isWrong: false,
    names: [name],
  });
  const hash = hashApiKey(shown);
  if (shown === body.code) return by({ kind: 'code', hash }, hash);
  const index = indexOfSecret(shown, admin);
  return index === -1 ? by({ kind: 'key', hash }, hash) : by({ kind: 'adminSecret', index }, `admin ${index}`);
}

function adminSecretsIn({ method, headers, body, query }: CredentialSources): unknown[] {
  return given([headers['x-admin-secret'], body.adminSecret, method === 'POST' ? undefined : query.adminSecret]);
}

function webhookSecretsIn({ headers, body, acceptsBodySecret }: CredentialSources): unknown[] {
  return given([headers['x-webhook-secret'], acceptsBodySecret ? body.webhookSecret : undefined]);
}

function apiKeysIn({ headers, body, query }: CredentialSources): unknown[] {
  const bearer = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];
  return given([headers['x-api-key'], bearer, body.apiKey, query.apiKey]);
}

/** Drops absent, null and empty values, which do not count as shown. */
function given(values: readonly unknown[]): unknown[] {
  return values.filter((value) => value !== undefined && value !== null && value !== '');
}

/** `admin 0` for the current secret, `admin 1` for the previous one; null for a wrong one. */
function nameOfSecret(kind: string, shown: unknown, expected: readonly Buffer[]): string | null {
  if (typeof shown !== 'string') return null;
  const matching = indexOfSecret(shown, expected);
  return matching === -1 ? null : `${kind} ${matching}`;
}

/**
 * Index of the matching secret; -1 for none. Takes constant time: digests have a fixed length, and all of them are
 * compared.
 */
function indexOfSecret(shown: string, expected: readonly Buffer[]): number {
  const shownDigest = digest(shown);
  let matching = -1;
  for (const [index, each] of expected.entries()) if (timingSafeEqual(shownDigest, each)) matching = index;
  return matching;
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
