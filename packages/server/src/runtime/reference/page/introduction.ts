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
} from '../../../platform/endpoint/refusals.ts';
import { IMPLIED } from '../answerable.ts';
import { APP_RULES } from '../app-rules.ts';
import { shownJson } from './curl.ts';
import { code, codeAndMeaning, type Prose, row, sample, table } from './html.ts';
import { SAMPLE_LANGUAGES } from './samples.ts';

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
    'Use HTTPS. A POST carries a JSON object of at most 64 KiB; GET and DELETE carry their fields in the query. ' +
      'Unknown fields are ignored. `null` and empty text count as absent, unless a field says what `null` means.',
  )}
${paragraph(
  prose,
  'Times are ISO 8601 in UTC. A request may also give a date alone, or a time without a zone, which is then UTC.',
)}
${paragraph(
  prose,
  'The samples on this page read the address of the service and the secrets from variables. TypeScript runs in ' +
    'Node.js, and Python needs its standard library alone.',
)}
${sample(
  'Variables of the samples',
  "export LATCHKEY=https://licenses.example.com\nexport ADMIN_SECRET='...'\nexport WEBHOOK_SECRET='...'",
)}
${paragraph(prose, 'Where the service signed its certificate itself, they also need the path of that certificate:')}
${sample(
  'Variables for the certificate',
  SAMPLE_LANGUAGES.map(({ trustedCertificates }) => `export ${trustedCertificates}=data/tls-cert.pem`).join('\n'),
)}`;
}

function credentials(prose: Prose): string {
  const rows = [
    [
      'Admin secret',
      'Header `X-Admin-Secret`, or field `adminSecret`',
      "The operator's: everything except the webhook and the seat codes.",
    ],
    [
      'API key',
      'Header `X-API-Key`, header `Authorization: Bearer`, or field `apiKey`',
      'The products of one creator, with their variants, licenses and codes, and the orders of that creator. Other objects are answered as if they did not exist.',
    ],
    [
      'Webhook secret',
      'Header `X-Webhook-Secret`; at /storefrontWebhook also field `webhookSecret`',
      'Calls of the storefront: events, studio orders, seat codes.',
    ],
    [
      'License key',
      'Field `licenseKey`',
      'Calls of applications about one license. An activated machine also sends its session `token`.',
    ],
  ];
  return `${paragraph(
    prose,
    'Each endpoint names the credentials that it takes. Prefer headers: fields of a query end up in the logs of proxies. ' +
      'If a request has two credentials, both must be right.',
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
      '/verify and /validate have `valid` instead of `success`.',
  )}
${sample('A refusal', shownJson({ success: false, error: textOf(refuse('license_not_found')) }))}
${table(
  'Headers of answers',
  ['Header', 'Meaning'],
  [
    row([
      code('Latchkey-Code'),
      'With every refusal: its reason, as a code for programs. Texts may change, codes do not.',
    ]),
    row([code('X-Request-Id'), 'The id of the request in the log of the service. You may send your own.']),
    row([
      code('Latchkey-Request-Id'),
      prose(
        'If you sent an `X-Request-Id`: the id that the service gave the request. /listEvents finds changes by it.',
      ),
    ]),
    row([
      code('Latchkey-Ignored-Fields'),
      'To callers with a credential: names of fields that nothing reads, separated by commas.',
    ]),
    row([code('Retry-After'), prose('With 429 and some 503: seconds to wait before the next try.')]),
  ],
  'fields',
)}`;
}

function retries(prose: Prose): string {
  return paragraph(
    prose,
    'Any POST that changes something, except those to the client endpoints, may carry an `Idempotency-Key`: a text of ' +
      'your own of up to 255 visible characters. For 24 hours a repeat by the same caller gets the answer of the first ' +
      'success, so a request whose answer was lost can be sent again without acting twice. Refusals are not stored: a ' +
      'repeat after one is executed. Requests that only read ignore the header.',
  );
}

function lists(prose: Prose): string {
  return paragraph(
    prose,
    'Lists answer up to `limit` entries, and `nextCursor` if there are more: send it as `cursor` for the next page. ' +
      'A cursor is opaque and never expires.',
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
  return `${paragraph(prose, 'Each endpoint lists its own refusals. These may follow any request to which they apply.')}
${table('Common refusals', ['Refusal', 'Code and text'], rows)}`;
}
