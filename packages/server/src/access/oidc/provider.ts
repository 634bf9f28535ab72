/** Speaks OpenID Connect with the identity provider (rules 5.7): authorization code flow with PKCE, state and nonce. */
import type { ClientAuth, Configuration } from 'openid-client';
import { type Clock, HOUR_MS } from '../../ground/base/clock.ts';
import type { Attempt } from './attempt.ts';
import { boundedFetch, NoAnswer } from './bounded-fetch.ts';
import { type Claims, joinedClaims } from './claims.ts';
import type { ProviderSettings } from './settings.ts';

/** The library, which is loaded when somebody signs in this way first. */
type Library = typeof import('openid-client');

/** A person whom the provider vouches for. */
export interface ShownPerson {
  /** The id of the account at the provider. */
  readonly subject: string;
  readonly claims: Claims;
}

/** Why there is no person. `detail` is for the log, and says nothing about secrets. */
export interface ProviderFailure {
  readonly failed: 'provider_away' | 'provider_declined' | 'provider_not_believed';
  readonly detail: string;
}

/** The document of the provider is read again after this time. */
const KNOWN_MS = HOUR_MS;
/** Conversations with the provider at once. Each is a few requests; more people wait for a free one, or start again. */
const MAX_AT_ONCE = 32;
const LONGEST_DETAIL = 500;
const AWAY_CODES: ReadonlySet<unknown> = new Set(['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON']);

/** The addresses of the service that the provider leads back to. Both are registered at the provider. */
export function addressesOf({ publicUrl }: Pick<ProviderSettings, 'publicUrl'>): {
  readonly afterSignIn: string;
  readonly afterSignOut: string;
} {
  return { afterSignIn: `${publicUrl}/sign-in/callback`, afterSignOut: `${publicUrl}/console/` };
}

export class Provider {
  readonly #settings: ProviderSettings;
  readonly #clock: Clock;
  /** Shared by all who ask meanwhile; forgotten when it fails. */
  #known: { readonly at: number; readonly configuration: Promise<Configuration> } | null = null;
  #atOnce = 0;

  constructor(settings: ProviderSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** The address of the provider's page for a new attempt, with the secrets of the attempt. */
  begin(): Promise<{ readonly address: string; readonly attempt: Attempt } | ProviderFailure> {
    return this.#conversation(async (library, configuration) => {
      const attempt = {
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier(),
        begunAt: this.#clock(),
      };
      const { href } = library.buildAuthorizationUrl(configuration, {
        redirect_uri: addressesOf(this.#settings).afterSignIn,
        scope: this.#settings.scopes,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      });
      return { address: href, attempt };
    });
  }

  /**
   * The person of an answer: exchanges its code, and checks the ID token with the keys of the provider.
   *
   * @param answered the parameters with which the browser came back
   */
  finish(
    answered: Readonly<Record<string, string>>,
    { state, nonce, verifier }: Attempt,
  ): Promise<ShownPerson | ProviderFailure> {
    return this.#conversation(async (library, configuration) => {
      const address = new URL(addressesOf(this.#settings).afterSignIn);
      address.search = new URLSearchParams(answered).toString();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await library.authorizationCodeGrant(configuration, address, checks);
      const ofToken = tokens.claims();
      if (ofToken === undefined) throw new Error('the provider sent no ID token');
      const { sub: subject } = ofToken;
      const ofUserInfo =
        configuration.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await library.fetchUserInfo(configuration, tokens.access_token, subject);
      return { subject, claims: joinedClaims(ofToken, ofUserInfo) };
    });
  }

  /** The address at which the provider ends its own session; null if it has none. */
  leave(): Promise<{ readonly address: string | null } | ProviderFailure> {
    return this.#conversation(async (library, configuration) => {
      if (configuration.serverMetadata().end_session_endpoint === undefined) return { address: null };
      const { afterSignOut } = addressesOf(this.#settings);
      return { address: library.buildEndSessionUrl(configuration, { post_logout_redirect_uri: afterSignOut }).href };
    });
  }

  /** Runs a conversation within the bounds, and turns its errors into values. */
  async #conversation<Result>(
    talk: (library: Library, configuration: Configuration) => Promise<Result>,
  ): Promise<Result | ProviderFailure> {
    if (this.#atOnce >= MAX_AT_ONCE) return { failed: 'provider_away', detail: 'too many sign-ins wait for it' };
    this.#atOnce += 1;
    try {
      const library = await import('openid-client');
      return await talk(library, await this.#configuration(library));
    } catch (error) {
      return failureOf(error);
    } finally {
      this.#atOnce -= 1;
    }
  }

  #configuration(library: Library): Promise<Configuration> {
    const now = this.#clock();
    if (this.#known === null || Math.abs(now - this.#known.at) >= KNOWN_MS) {
      const configuration = discover(library, this.#settings);
      this.#known = { at: now, configuration };
      configuration.catch(() => {
        if (this.#known?.configuration === configuration) this.#known = null;
      });
    }
    return this.#known.configuration;
  }
}

/**
 * Reads the document in which the provider describes itself.
 *
 * @throws NoAnswer, and errors of the library about the document
 */
async function discover(library: Library, settings: ProviderSettings): Promise<Configuration> {
  const { issuer, clientId, clientSecret, additionalCa } = settings;
  const isPlain = issuer.startsWith('http:');
  const [basic, post] = [basicAuth(clientId, clientSecret), library.ClientSecretPost(clientSecret)];
  const configuration = await library
    .discovery(
      new URL(issuer),
      clientId,
      undefined,
      // Basic is the way of providers that state none.
      (server, ...rest) => {
        const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
        return (ways.includes('client_secret_basic') ? basic : post)(server, ...rest);
      },
      {
        [library.customFetch]: boundedFetch(additionalCa),
        execute: isPlain
          ? [library.enableNonRepudiationChecks, library.allowInsecureRequests]
          : [library.enableNonRepudiationChecks],
      },
    )
    .catch((error) => {
      throw new NoAnswer(`the description of ${issuer} cannot be used: ${detailOf(error)}`);
    });
  const { issuer: stated } = configuration.serverMetadata();
  // An issuer of many organizations, such as Microsoft's `common`, lets strangers give themselves roles.
  if (URL.parse(stated)?.href !== new URL(issuer).href)
    throw new NoAnswer(`the provider at ${issuer} calls itself ${stated}; LATCHKEY_OIDC_ISSUER must be its own name`);
  return configuration;
}

/** Asks a provider for its description, as the first sign-in does; returns the reason if it cannot be used, or null. */
export async function faultOfProvider(settings: ProviderSettings): Promise<string | null> {
  try {
    await discover(await import('openid-client'), settings);
    return null;
  } catch (error) {
    return detailOf(error);
  }
}

/**
 * The secret in the header. The library also encodes characters such as `-`, which some providers do not decode; this
 * form reads the same with and without decoding.
 */
function basicAuth(clientId: string, clientSecret: string): ClientAuth {
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return (_server, _client, _body, headers) =>
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
}

function failureOf(error: unknown): ProviderFailure {
  const detail = detailOf(error);
  const causes = causesOf(error);
  if (causes.some((each) => each instanceof NoAnswer || AWAY_CODES.has((each as { code?: unknown }).code)))
    return { failed: 'provider_away', detail };
  const isDeclined = causes.some((each) => (each as { code?: unknown }).code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR');
  return { failed: isDeclined ? 'provider_declined' : 'provider_not_believed', detail };
}

/** An error and its causes, the outermost first. */
function causesOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

/** The messages of an error and its causes, with the codes that the provider sent. */
function detailOf(error: unknown): string {
  const parts = causesOf(error).flatMap((each) => {
    const { error: code, error_description: description } = each as { error?: unknown; error_description?: unknown };
    return [each.message, code, description].filter((part) => typeof part === 'string' && part !== '');
  });
  return [...new Set(parts)].join(': ').slice(0, LONGEST_DETAIL);
}
