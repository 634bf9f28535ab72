/** Reads the settings of the identity provider. No error shows the secret of the client. */
import type { Grant } from '../../access/oidc/grants.ts';
import { isLoopback } from '../../ground/base/network-address.ts';
import { hasControlCharacter, NO_CONTROL_CHARACTERS } from '../../ground/base/web-address.ts';
import { ROLES } from '../../platform/endpoint/role.ts';
import { ConfigValueError, type Form, label } from './forms.ts';
import type { Environment } from './names.ts';

/** Settings of the identity provider with whose accounts people sign in to the console (docs/operators/oidc.md). */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly grants: readonly Grant[];
  /** The name on the button of the entrance. */
  readonly name: string;
  readonly caFile: string | null;
  /** The address of the service for browsers, without a slash at its end. */
  readonly publicUrl: string;
}

/** The variables of the provider, with their defaults. */
export const OIDC_DEFAULTS = {
  LATCHKEY_OIDC_ISSUER: null,
  LATCHKEY_OIDC_CLIENT_ID: null,
  LATCHKEY_OIDC_CLIENT_SECRET: null,
  LATCHKEY_OIDC_ROLES: null,
  LATCHKEY_OIDC_SCOPES: 'openid email profile',
  LATCHKEY_OIDC_NAME: null,
  LATCHKEY_OIDC_CA_FILE: null,
} as const;

const MAX_GRANTS = 200;

/** The address of a provider, as it writes it itself. */
const oidcIssuer: Form<string> = (text) => {
  if (hasControlCharacter(text)) throw new ConfigValueError(NO_CONTROL_CHARACTERS);
  const url = URL.parse(text);
  const isBare = url !== null && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(hostOf(url)));
  if (isBare && isSafe && url.hostname !== '') return text;
  throw new ConfigValueError(
    'must be the https address of the provider, without a question mark, such as https://login.example.com/realms/shop; ' +
      'http is allowed on this machine only',
  );
};

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** The id or the secret of a client at the provider. */
const oidcClientText: Form<string> = (text) => {
  if (/^[\x21-\x7e]{1,1024}$/.test(text)) return text;
  throw new ConfigValueError('must have 1 to 1024 printable ASCII characters and no spaces');
};

/** Scopes separated by spaces. */
const oidcScopes: Form<string> = (text) => {
  const scopes = text.split(' ').filter((each) => each !== '');
  if (scopes.includes('openid') && scopes.every((each) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(each)))
    return scopes.join(' ');
  throw new ConfigValueError('must be names separated by spaces, with openid among them, such as openid email profile');
};

/**
 * Which claim gives which rights: `owner:groups=admins,creator/ada:email=ada@example.com`. The first that fits counts.
 */
const oidcGrants: Form<readonly Grant[]> = (text) => {
  const entries = text.split(',').map((part) => part.trim());
  if (entries.length > MAX_GRANTS) throw new ConfigValueError(`must have at most ${MAX_GRANTS} entries`);
  return entries.map(grantOf);
};

function grantOf(entry: string): Grant {
  const [, who = '', claim = '', value = ''] = /^([^:]+):([^=]+)=(.+)$/s.exec(entry) ?? [];
  const creatorId = /^creator\/(.+)$/s.exec(who)?.[1];
  const role = ROLES.find((each) => each === who);
  if (value === '' || (role === undefined && creatorId === undefined))
    throw new ConfigValueError(
      `has the entry ${JSON.stringify(entry.slice(0, 60))}; each must be ROLE:CLAIM=VALUE or creator/ID:CLAIM=VALUE, such ` +
        'as owner:groups=admins or creator/ada:email=ada@example.com, with the roles owner, support and viewer',
    );
  const rights =
    role === undefined
      ? ({ kind: 'creator', creatorId: decoded(creatorId ?? '') } as const)
      : ({ kind: 'operator', role } as const);
  return Object.freeze({ claim: decoded(claim), value: decoded(value), rights });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ConfigValueError('has a % that encodes nothing; a % itself is written %25');
  }
}

/**
 * Returns the settings; null if one of the required ones is missing.
 *
 * @param read reads a variable by its form, and keeps its error
 * @param file the form of paths
 */
export function readOidcConfig(
  read: <Value>(name: keyof typeof OIDC_DEFAULTS, form: Form<Value>) => Value | null,
  file: Form<string>,
  publicUrl: string | null,
): OidcConfig | null {
  const issuer = read('LATCHKEY_OIDC_ISSUER', oidcIssuer);
  const clientId = read('LATCHKEY_OIDC_CLIENT_ID', oidcClientText);
  const clientSecret = read('LATCHKEY_OIDC_CLIENT_SECRET', oidcClientText);
  const grants = read('LATCHKEY_OIDC_ROLES', oidcGrants);
  const scopes = read('LATCHKEY_OIDC_SCOPES', oidcScopes);
  const name = read('LATCHKEY_OIDC_NAME', label);
  const caFile = read('LATCHKEY_OIDC_CA_FILE', file);
  if (issuer === null || clientId === null || clientSecret === null) return null;
  if (grants === null || scopes === null || publicUrl === null) return null;
  const shown = name ?? new URL(issuer).hostname;
  return Object.freeze({ issuer, clientId, clientSecret, scopes, grants, name: shown, caFile, publicUrl });
}

const NEEDED = [
  'LATCHKEY_OIDC_CLIENT_ID',
  'LATCHKEY_OIDC_CLIENT_SECRET',
  'LATCHKEY_OIDC_ROLES',
  'LATCHKEY_PUBLIC_URL',
] as const;

/** Returns the errors of variables about the provider that need another one. */
export function oidcContradictions(environment: Environment, config: { readonly console: object | null }): string[] {
  if (!environment.LATCHKEY_OIDC_ISSUER)
    return Object.keys(OIDC_DEFAULTS)
      .filter((name) => environment[name])
      .map((name) => `LATCHKEY_OIDC_ISSUER must be set too when ${name} is`);
  const errors = NEEDED.filter((name) => !environment[name]).map(
    (name) => `${name} must be set too when LATCHKEY_OIDC_ISSUER is`,
  );
  if (config.console === null) errors.push('LATCHKEY_CONSOLE must be on when LATCHKEY_OIDC_ISSUER is set');
  return errors;
}
