/** docs/apps/errors.md: every code with its statuses, texts, meaning and remedy. */
import {
  adviceOf,
  codeOf,
  type PublishedCode,
  publishedCodes,
  refusalCodes,
  shownText,
  statusesOf,
} from '../../platform/endpoint/refusals.ts';
import { answerableBy } from './answerable.ts';
import { APP_RULES } from './app-rules.ts';
import type { DescribedEndpoint, DescribedSection } from './described.ts';

const HEADING = `# Errors

<!-- Made from the list of refusals by \`npm run generate\`; do not edit. -->

Programs react to the header \`Latchkey-Code\` of a refusal; its JSON body has an \`error\` for people:

\`\`\`
HTTP/1.1 403 Forbidden
Latchkey-Code: machine_limit
X-Request-Id: 9uTzXz1mAVLr

{"success":false,"error":"Machine limit reached (2). Deactivate another machine first."}
\`\`\`

Codes do not change; texts may. Each text belongs to one code; a code may have different statuses at different endpoints.
New codes may be added: an app treats an unknown one like no answer. The log has each refusal with its \`code\` and \`requestId\`: the
\`X-Request-Id\` of the answer, or its \`Latchkey-Request-Id\` if the request brought its own id.
`;

/** The text of docs/apps/errors.md. */
export function errorsText(sections: readonly DescribedSection[]): string {
  const ofClients = codesOfClientEndpoints(sections.flatMap(({ endpoints }) => endpoints));
  const byReaction = Map.groupBy(ofClients, (code) => adviceOf(code).app ?? '');
  const clientRows = [...byReaction].map(([reaction, codes]) => [codes.map(quoted).join(', '), reaction]);
  const rows = publishedCodes.map((code) => {
    const { means, remedy } = adviceOf(code);
    return [quoted(code), statusesOf(code).join(', '), textsOf(code), means, remedy];
  });
  return [
    HEADING,
    '## What an application does\n',
    ...APP_RULES.map((rule) => `- ${rule}`),
    '\nAt the refusals of `/verify`, `/activate`, `/validate`, `/deactivate`, `/heartbeat` and `/issueLicenseFile`:\n',
    table(['Code', 'The application'], clientRows),
    '\n## Every code\n',
    table(['Code', 'Status', 'Text', 'Meaning', 'What to do'], rows),
    '',
  ].join('\n');
}

/** The codes that an application on a customer's machine can meet. */
export function codesOfClientEndpoints(endpoints: readonly DescribedEndpoint[]): readonly PublishedCode[] {
  const met = new Set<PublishedCode>(['not_found']);
  for (const endpoint of endpoints) {
    // The health addresses are described like endpoints, but are not for applications.
    if (endpoint.access !== 'client' || !endpoint.methods.includes('POST')) continue;
    for (const { code } of answerableBy(endpoint, 'POST')) met.add(code);
  }
  return publishedCodes.filter((code) => met.has(code));
}

/** The texts of a code as the reference shows them. */
export function textsOf(code: PublishedCode): string {
  const texts = new Set(refusalCodes.filter((refused) => codeOf(refused) === code).map(shownText));
  return [...texts].join(' / ');
}

const quoted = (code: PublishedCode) => `\`${code}\``;

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(columns), `|${columns.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
