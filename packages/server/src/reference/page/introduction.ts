/** The introduction of the page: rules for every request to the service. */
import {
  adviceOf,
  codeOf,
  publishedCodes,
  refusalCodes,
  refuse,
  shownText,
  statusesOf,
  statusOf,
  textOf,
} from '../../endpoint/refusals.ts';
import { IMPLIED } from '../answerable.ts';
import { APP_RULES } from '../app-rules.ts';
import { shownJson } from './curl.ts';
import { code, codeAndMeaning, type Prose, row, sample, table } from './html.ts';

/** A chapter of the introduction. */
interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly html: string;
}

/** The chapters in order. */
export function introduction(prose: Prose): readonly Chapter[] {
  return [
    { id: 'requests', title: 'Requests', html: requests(prose) },
    { id: 'credentials', title: 'Credentials', html: credentials(prose) },
    { id: 'answers', title: 'Answers', html: answers(prose) },
    { id: 'retries', title: 'Safe retries', html: retries(prose) },
    { id: 'lists', title: 'Lists', html: lists(prose) },
    { id: 'applications', title: 'What an application does', html: applications(prose) },
    { id: 'refusals', title: 'Common refusals', html: refusals(prose) },
  ];
}

const paragraph = (prose: Prose, text: string) => `<p>${prose(text)}</p>`;

function requests(prose: Prose): string {
  return `${paragraph(
    prose,
    'Speak HTTPS. A POST carries a JSON object of at most 64 KiB; GET and DELETE carry their fields in the query. ' +
      'Unknown fields are ignored. `null` and empty text count as absent, unless a field says what `null` means.',
  )}
${paragraph(
  prose,
  'Times are ISO 8601 in UTC. A request may also give a date alone, or a time without a zone, which is then UTC.',
)}
${paragraph(prose, 'The commands on this page read the address of the service and the secrets from variables:')}
${sample(
  'Variables of the commands',
  "export LATCHKEY=https://licenses.example.com\nexport ADMIN_SECRET='...'\nexport WEBHOOK_SECRET='...'",
)}`;
}

function credentials(prose: Prose): string {
  const rows = [
    [
      'Admin secret',
      'Header `X-Admin-Secret`, or field `adminSecret`',
      "Everything but the webhook and the seat codes: it is the operator's.",
    ],
    [
      'API key',
      'Header `X-API-Key`, header `Authorization: Bearer`, or field `apiKey`',
      'The products of one creator, their variants, licenses and codes, and the orders of that creator. Anything else is answered as if it did not exist.',
    ],
    [
      'Webhook secret',
      'Header `X-Webhook-Secret`; at /storefrontWebhook also field `webhookSecret`',
      'What the storefront does: events, studio orders, seat codes.',
    ],
    [
      'License key',
      'Field `licenseKey`',
      'What applications ask about one license. A machine that was activated also shows its session `token`.',
    ],
  ];
  return `${paragraph(
    prose,
    'Each endpoint says which credential it takes. Prefer headers: fields of a query end up in the logs of proxies. ' +
      'Where two credentials are shown, both must be right.',
  )}
${table(
  'Credentials',
  ['Credential', 'Place and scope'],
  rows.map(([name = '', location = '', reach = '']) =>
    row([name, `${prose(`${location}.`)}<small>${prose(reach)}</small>`]),
  ),
  'fields',
)}`;
}

function answers(prose: Prose): string {
  return `${paragraph(
    prose,
    'Answers are JSON. A success has `success: true`; a refusal has `success: false` and an `error` for people. ' +
      '/verify and /validate say `valid` instead of `success`.',
  )}
${sample('A refusal', shownJson({ success: false, error: textOf(refuse('license_not_found')) }))}
${table(
  'Headers of answers',
  ['Header', 'Meaning'],
  [
    row([
      code('Latchkey-Code'),
      'With every refusal: its reason, as a word for programs. Texts may change, codes do not.',
    ]),
    row([code('X-Request-Id'), 'Names the request in the log of the service. Send your own to find it there again.']),
    row([
      code('Latchkey-Request-Id'),
      prose('Where you sent an `X-Request-Id`: the id of the service, by which /listEvents finds the changes.'),
    ]),
    row([code('Retry-After'), prose('With 429 and some 503: seconds to wait before the next try.')]),
  ],
  'fields',
)}`;
}

function retries(prose: Prose): string {
  return paragraph(
    prose,
    'Any POST that changes something, but those to the client endpoints, may carry an `Idempotency-Key`, a text of your ' +
      'own of up to 255 visible characters. For 24 hours the same caller repeating the request gets the answer of the ' +
      'first success again, so a request whose answer was lost can be sent once more without acting twice. Refusals are ' +
      'not kept: after one, the request is tried again. Requests that only read ignore the header.',
  );
}

function lists(prose: Prose): string {
  return paragraph(
    prose,
    'Lists answer up to `limit` entries, and `nextCursor` when there are more: send it as `cursor` for the next page. ' +
      'A cursor is opaque and stays good for as long as you like.',
  );
}

function applications(prose: Prose): string {
  const rows = publishedCodes.flatMap((each) => {
    const { app } = adviceOf(each);
    return app === undefined ? [] : [row([statusesOf(each).join(', '), codeAndMeaning(each, prose(app))])];
  });
  return `${APP_RULES.map((rule) => paragraph(prose, rule)).join('\n')}
${table('What an application does', ['Refusal', 'Code, and what an application does'], rows)}`;
}

function refusals(prose: Prose): string {
  const rows = refusalCodes
    .filter((each) => each in IMPLIED || each === 'not_found')
    .sort((one, other) => statusOf(one) - statusOf(other))
    .map((each) => row([String(statusOf(each)), codeAndMeaning(codeOf(each), prose(shownText(each)))]));
  return `${paragraph(
    prose,
    'Each endpoint lists the refusals that are its own. Beside them, any request can meet these, as far as they fit it.',
  )}
${table('Common refusals', ['Refusal', 'Code and text'], rows)}`;
}
