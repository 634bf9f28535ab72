/** docs/errors.md: every code with its statuses, texts, meaning and remedy. */
import { codeOf, type PublishedCode, publishedCodes, refusalCodes, statusesOf } from '../endpoint/refusals.ts';
import { answerableBy, shownText } from './answerable.ts';
import type { DescribedEndpoint, DescribedSection } from './described.ts';
import { ADVICE, APP_RULES } from './refusal-advice.ts';

const HEADING = `# Errors

<!-- Made from the list of refusals by \`npm run generate\`; do not edit. -->

Every refusal has a status, a JSON body with an \`error\` for people, and the header \`Latchkey-Code\`, a word for programs:

\`\`\`
HTTP/1.1 403 Forbidden
Latchkey-Code: machine_limit
X-Request-Id: 9uTzXz1mAVLr

{"success":false,"error":"Machine limit reached (2). Deactivate another machine first."}
\`\`\`

Codes do not change; texts may. Each text belongs to one code. A code can have two statuses, if endpoints rank the same
thing differently. New codes may be added: treat an unknown one by its status. The log has the code of each refusal
(\`code\`) beside the request's id (\`requestId\`), which is the \`X-Request-Id\` of the answer, or its
\`Latchkey-Request-Id\` if the request brought its own id.
`;

/** The text of docs/errors.md. */
export function errorsText(sections: readonly DescribedSection[]): string {
  const ofClients = codesOfClientEndpoints(sections.flatMap(({ endpoints }) => endpoints));
  const clientRows = ofClients.map((code) => [...firstCells(code), ADVICE[code].app ?? '']);
  const rows = publishedCodes.map((code) => [
    ...firstCells(code),
    textsOf(code),
    ADVICE[code].means,
    ADVICE[code].remedy,
  ]);
  return [
    HEADING,
    '## What an application does\n',
    ...APP_RULES.map((rule) => `- ${rule}`),
    '\nAt each refusal of `/verify`, `/activate`, `/validate`, `/deactivate`, `/heartbeat` and `/issueLicenseFile`:\n',
    table(['Code', 'Status', 'The application'], clientRows),
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

function firstCells(code: PublishedCode): readonly string[] {
  return [`\`${code}\``, statusesOf(code).join(', ')];
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(columns), `|${columns.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
