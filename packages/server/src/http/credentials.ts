/** What a request shows of who sends it (specification, "Authentication"). */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Access, type Credential, hashApiKey } from '../endpoint/caller.ts';
import type { Method } from '../endpoint/endpoint.ts';

/** The secrets of this installation, kept as digests only. */
export interface SecretDigests {
  readonly admin: Buffer;
  readonly webhook: Buffer;
}

/** Digests of the secrets, for {@link readCredential}. */
export function digestSecrets(adminSecret: string, webhookSecret: string): SecretDigests {
  return { admin: digest(adminSecret), webhook: digest(webhookSecret) };
}

/** A request as far as credentials can be in it. */
export interface CredentialSources {
  readonly method: Method;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Whether the endpoint takes the webhook secret as a body field, too. */
  readonly acceptsBodySecret: boolean;
}

const NONE: Credential = { kind: 'none' };

/**
 * The credential that counts for an endpoint. Of several each must be right: one wrong secret makes it none at all,
 * and an API key beside a right secret is still looked up.
 */
export function readCredential(access: Access, sources: CredentialSources, secrets: SecretDigests): Credential {
  if (access === 'client') return NONE;
  const isWebhook = access === 'webhook' || access === 'webhookOrKey';
  const shown = isWebhook ? webhookSecretsIn(sources) : adminSecretsIn(sources);
  const expected = isWebhook ? secrets.webhook : secrets.admin;
  if (shown.some((secret) => !isSecret(secret, expected))) return NONE;
  const secretKind = shown.length === 0 ? 'none' : isWebhook ? 'webhook' : 'admin';
  const apiKeys = access === 'webhook' ? [] : apiKeysIn(sources);
  const [apiKey] = apiKeys;
  if (apiKey === undefined) return { kind: secretKind };
  if (typeof apiKey !== 'string' || apiKeys.some((other) => other !== apiKey)) return NONE;
  return { kind: 'apiKey', hash: hashApiKey(apiKey), beside: secretKind };
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

/** Absent, null and empty ones are not shown at all. */
function given(values: readonly unknown[]): unknown[] {
  return values.filter((value) => value !== undefined && value !== null && value !== '');
}

/** Compared in constant time: digests have one length whatever is shown. */
function isSecret(shown: unknown, expected: Buffer): boolean {
  return typeof shown === 'string' && timingSafeEqual(digest(shown), expected);
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
