/** An identity provider whose answers a test falsifies. It signs in one person without asking. */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { listen } from './listen.ts';
import { CLIENT_ID, type RunningProvider } from './real-provider.ts';

const KEY_ID = 'key-of-the-tests';

/** The answers of the provider; a test replaces parts of them. */
export interface Answers {
  /** Parts of the document that describes it. */
  description: Record<string, unknown>;
  /** Claims of the ID token in place of the true ones. */
  idToken: Record<string, unknown>;
  /** Claims of the UserInfo endpoint in place of the true ones. */
  userInfo: Record<string, unknown>;
  /** Signs with another key than the published one. */
  signsWrongly: boolean;
  /** Leaves the ID token out. */
  hasNoIdToken: boolean;
}

/** A running provider, and its requests. */
export interface LyingProvider extends RunningProvider {
  answers: Answers;
  /** The paths that were asked, with their Authorization headers. */
  readonly asked: { readonly path: string; readonly authorization: string | undefined }[];
  /** The nonce that the next ID token repeats. */
  nonce: string;
}

/** Honest answers: a person of the group `owners` with a verified address. */
export function honest(): Answers {
  return { description: {}, idToken: {}, userInfo: {}, signsWrongly: false, hasNoIdToken: false };
}

/** Starts a provider; with a certificate and its key, as PEM, by HTTPS under the name `localhost`. */
export async function startLyingProvider(tls?: {
  readonly cert: Buffer;
  readonly key: Buffer;
}): Promise<LyingProvider> {
  const [{ privateKey, publicKey }, other] = [makeKeys(), makeKeys()];
  const asked: LyingProvider['asked'] = [];
  const running = { answers: honest(), asked, nonce: '' };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/';
    const { answers } = running;
    asked.push({ path, authorization: request.headers.authorization });
    const now = Math.floor(Date.now() / 1000);
    const idToken = {
      ...{ iss: issuer, sub: 'eve', aud: CLIENT_ID, iat: now, exp: now + 300, nonce: running.nonce },
      ...{ name: 'Eve', email: 'eve@example.com', email_verified: true, groups: ['owners'] },
      ...answers.idToken,
    };
    const key = answers.signsWrongly ? other.privateKey : privateKey;
    const documents: Record<string, unknown> = {
      '/.well-known/openid-configuration': {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        ...answers.description,
      },
      '/keys': { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' }] },
      '/token': {
        ...{ access_token: 'an-access-token', token_type: 'Bearer', expires_in: 300 },
        ...(answers.hasNoIdToken ? {} : { id_token: signed(idToken, key) }),
      },
      '/userinfo': { sub: 'eve', ...answers.userInfo },
    };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(documents[path] ?? {}));
  };
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  const port = await listen(server);
  const issuer = tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return Object.assign(running, { issuer, stop });
}

function makeKeys(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

/** A JSON Web Token, signed by RS256. */
function signed(claims: Readonly<Record<string, unknown>>, key: KeyObject): string {
  const [header, payload] = [{ alg: 'RS256', typ: 'JWT', kid: KEY_ID }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = createSign('RSA-SHA256').update(`${header}.${payload}`).sign(key, 'base64url');
  return `${header}.${payload}.${signature}`;
}
