/** What the reference says of who may call an endpoint; a new kind of access is one entry here. */
import type { Access } from '../endpoint/caller.ts';

/** A kind of access as the reference shows it. */
interface ShownAccess {
  /** For people, in few words. */
  readonly label: string;
  /** The credentials that are taken, one after the other, by the names of {@link SECURITY_SCHEMES}. */
  readonly schemes: readonly (keyof typeof SECURITY_SCHEMES)[];
  /** The header that a curl line shows, with the secret in a variable; null where none is needed. */
  readonly header: string | null;
  /** Whether a request without a credential is refused. */
  readonly isRequired: boolean;
}

/** Every credential there is, as OpenAPI describes them. */
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
} as const;

const ADMIN_HEADER = 'X-Admin-Secret: $ADMIN_SECRET';
const WEBHOOK_HEADER = 'X-Webhook-Secret: $WEBHOOK_SECRET';

const SHOWN: Readonly<Record<Access, ShownAccess>> = {
  client: { label: 'No credential', schemes: [], header: null, isRequired: false },
  anyone: {
    label: 'No credential; one that is shown counts',
    schemes: ['adminSecret', 'apiKey', 'bearer', 'webhookSecret'],
    header: null,
    isRequired: false,
  },
  admin: {
    label: 'Admin secret or API key',
    schemes: ['adminSecret', 'apiKey', 'bearer'],
    header: ADMIN_HEADER,
    isRequired: true,
  },
  superAdmin: { label: 'Admin secret', schemes: ['adminSecret'], header: ADMIN_HEADER, isRequired: true },
  webhook: { label: 'Webhook secret', schemes: ['webhookSecret'], header: WEBHOOK_HEADER, isRequired: true },
  webhookOrKey: {
    label: 'Webhook secret or API key',
    schemes: ['webhookSecret', 'apiKey', 'bearer'],
    header: WEBHOOK_HEADER,
    isRequired: true,
  },
};

/** A kind of access as the reference shows it. */
export function shownAccess(access: Access): ShownAccess {
  return SHOWN[access];
}
