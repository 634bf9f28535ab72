/// <reference path="./oidc-provider.d.ts" />
/** A real identity provider, `oidc-provider`, with people who sign in without a password. */
import { createServer } from 'node:http';
import Provider, { type Context } from 'oidc-provider';
import { listen } from './listen.ts';

export const CLIENT_ID = 'latchkey-of-the-tests';
export const CLIENT_SECRET = 'the-secret-of-the-client-of-the-tests';

/** The claims of a person, by the id of the account. */
export type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A running provider. */
export interface RunningProvider {
  readonly issuer: string;
  stop(): Promise<void>;
}

/** The settings of a service whose people sign in with this provider. */
export function settingsOf(
  { issuer }: Pick<RunningProvider, 'issuer'>,
  publicUrl: string,
  roles: string,
): Readonly<Record<string, string>> {
  return {
    LATCHKEY_PUBLIC_URL: publicUrl,
    LATCHKEY_OIDC_ISSUER: issuer,
    LATCHKEY_OIDC_CLIENT_ID: CLIENT_ID,
    LATCHKEY_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    LATCHKEY_OIDC_ROLES: roles,
    LATCHKEY_OIDC_NAME: 'Example',
  };
}

/** Starts a provider for a service at an address. Its page lists the people; `?account=` chooses one at once. */
export async function startProvider(publicUrl: string, people: People): Promise<RunningProvider> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (!url.pathname.startsWith('/interaction/')) return provider.callback()(request, response);
    const accountId = url.searchParams.get('account');
    if (accountId !== null) return void provider.interactionFinished(request, response, { login: { accountId } });
    const links = Object.keys(people).map((id) => `<li><a href="${url.pathname}?account=${id}">${id}</a>`);
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><html lang="en"><title>Provider</title><h1>Who are you?</h1><ul>${links.join('')}</ul>`,
    );
  });
  const issuer = `http://127.0.0.1:${await listen(server)}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${publicUrl}/sign-in/callback`],
        post_logout_redirect_uris: [`${publicUrl}/console/`],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    cookies: { keys: ['a key of the tests'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...people[accountId] }),
    }),
    async loadExistingGrant({ oidc }: Context) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  return {
    issuer,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
