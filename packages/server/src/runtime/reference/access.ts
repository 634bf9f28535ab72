/** The reference's description of who may call an endpoint; a new kind of access is one entry here. */
import type { Access } from '../../platform/endpoint/caller.ts';

/** A kind of access as the reference shows it. */
interface ShownAccess {
  /** A few words for readers. */
  readonly label: string;
  /** The accepted credentials in order, by their names in {@link SECURITY_SCHEMES}. */
  readonly schemes: readonly (keyof typeof SECURITY_SCHEMES)[];
  /** The headers of a curl command, with the secret in a variable. */
  readonly headers: readonly string[];
  /** True if a request without a credential is refused. */
  readonly isRequired: boolean;
}

/** All credentials, in OpenAPI's form. */
export const SECURITY_SCHEMES = {
  adminSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Admin-Secret',
    description: "The operator's secret. Also as field `adminSecret` of the body, or of the query on GET and DELETE.",
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: "Reaches one creator's products only. Also as field `apiKey` of the body or the query.",
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'The API key as a bearer token.' },
  webhookSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Webhook-Secret',
    description: 'The secret that the storefront and this service share.',
  },
  consoleSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-latchkey',
    description:
      'A session of the console, from /createConsoleSession. It counts on POST with the header `X-Latchkey-Console: 1`, a ' +
      'JSON content type, and `Sec-Fetch-Site: same-origin` or an `Origin` that is the address of the service; never ' +
      'beside another credential.',
  },
} as const;

const ADMIN_HEADERS = ['X-Admin-Secret: $ADMIN_SECRET'];
const WEBHOOK_HEADERS = ['X-Webhook-Secret: $WEBHOOK_SECRET'];
const SESSION_HEADERS = [
  'Cookie: __Host-latchkey=$CONSOLE_SESSION',
  'X-Latchkey-Console: 1',
  'Sec-Fetch-Site: same-origin',
];

const SHOWN: Readonly<Record<Access, ShownAccess>> = {
  client: { label: 'No credential', schemes: [], headers: [], isRequired: false },
  anyone: {
    label: 'No credential; one that is shown counts',
    schemes: ['adminSecret', 'apiKey', 'bearer', 'webhookSecret'],
    headers: [],
    isRequired: false,
  },
  admin: {
    label: 'Admin secret or API key',
    schemes: ['adminSecret', 'apiKey', 'bearer', 'consoleSession'],
    headers: ADMIN_HEADERS,
    isRequired: true,
  },
  superAdmin: {
    label: 'Admin secret',
    schemes: ['adminSecret', 'consoleSession'],
    headers: ADMIN_HEADERS,
    isRequired: true,
  },
  webhook: { label: 'Webhook secret', schemes: ['webhookSecret'], headers: WEBHOOK_HEADERS, isRequired: true },
  webhookOrKey: {
    label: 'Webhook secret or API key',
    schemes: ['webhookSecret', 'apiKey', 'bearer'],
    headers: WEBHOOK_HEADERS,
    isRequired: true,
  },
  adminOrWebhook: {
    label: 'Admin secret, webhook secret or API key',
    schemes: ['adminSecret', 'webhookSecret', 'apiKey', 'bearer', 'consoleSession'],
    headers: ADMIN_HEADERS,
    isRequired: true,
  },
  console: {
    label: 'Console session',
    schemes: ['consoleSession'],
    headers: SESSION_HEADERS,
    isRequired: true,
  },
  signIn: { label: 'A secret or a code in the body', schemes: [], headers: [], isRequired: true },
  inner: { label: 'The service itself', schemes: [], headers: [], isRequired: true },
};

export function shownAccess(access: Access): ShownAccess {
  return SHOWN[access];
}
