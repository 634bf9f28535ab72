/** The settings of the identity provider with whose accounts people sign in to the console (rules 5.7). */
import { hash } from 'node:crypto';
import type { Grant } from './grants.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface Settings {
    /** Null: nobody signs in with an account of a provider. */
    readonly provider: ProviderSettings | null;
  }
}

/** An identity provider that speaks OpenID Connect, and the rights of its people. */
export interface ProviderSettings {
  /** Its address as it writes it itself. */
  readonly issuer: string;
  readonly clientId: string;
  /** Secret. */
  readonly clientSecret: string;
  /** Separated by spaces, `openid` among them. */
  readonly scopes: string;
  /** In the order in which they count: the first that fits a person gives the rights. */
  readonly grants: readonly Grant[];
  /** The name on the button of the entrance. */
  readonly name: string;
  /** Certificates of authorities, as PEM, that are trusted besides the usual ones; null: none. */
  readonly additionalCa: string | null;
  /** The address of the service for browsers, without a slash at its end. */
  readonly publicUrl: string;
  /** Keys that seal the attempts of browsers, the present one first (attempt.ts). Secret. */
  readonly attemptKeys: readonly Uint8Array[];
}

/** The settings that decide about rights, as a digest: sessions end when one of them changes. */
export function digestOfRights(issuer: string, clientId: string, grants: readonly Grant[]): string {
  return hash('sha256', JSON.stringify([issuer, clientId, grants]), 'base64url');
}
