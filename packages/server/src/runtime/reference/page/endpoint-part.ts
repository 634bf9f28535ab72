/** One endpoint on the page: its description, fields and refusals, and a request with its reply. */
import { escaped } from '../../../ground/base/html.ts';
import { codeOf, type RefusalCode, shownText, statusOf } from '../../../platform/endpoint/refusals.ts';
import { shownAccess } from '../access.ts';
import { type DescribedEndpoint, pascal } from '../described.ts';
import { requestFields } from '../openapi.ts';
import { bodyName, type Schemas } from '../schemas.ts';
import { shownJson } from './curl.ts';
import { fieldTable, type Shape, type TableContext } from './field-table.ts';
import { codeAndMeaning, type Prose, preformatted, row, sample, table } from './html.ts';
import { SAMPLE_LANGUAGES } from './samples.ts';

/** An endpoint as a section of the page; its `id` is its path. */
export function endpointPart(endpoint: DescribedEndpoint, schemas: Schemas, prose: Prose): string {
  const { path, methods, access, summary, description, reply, successStatus, example } = endpoint;
  const context: TableContext = { named: schemas.named as TableContext['named'], prose };
  const request = schemas.refer(bodyName(path, 'Request'), requestFields(endpoint)) as Shape;
  const answer = schemas.refer(bodyName(path, 'Reply'), reply) as Shape;
  return `<section class="endpoint" id="${path}" aria-labelledby="${path}-title">
<div class="text">
<h3 id="${path}-title"><a href="#${path}">${path}</a></h3>
<p class="way">${methods.map((method) => `<span>${method}</span>`).join('')}<a href="#credentials">${shownAccess(access).label}</a></p>
<p><strong>${escaped(summary)}.</strong> ${prose(description)}</p>
${fieldTable('Request', request, 'optional', context)}
${fieldTable('Answer', answer, 'not always there', context)}
${refusalTable(endpoint, prose)}
${Object.entries(endpoint.refusalFields ?? {})
  .map(([refused, fields]) => {
    const name = codeOf(refused as RefusalCode);
    return fieldTable(`With ${name}`, schemas.refer(pascal(name), fields) as Shape, 'not always there', context);
  })
  .join('\n')}
</div>
<div class="samples">
${requestSamples(endpoint)}
${sample(`Answer, ${successStatus}`, shownJson(example.reply))}
</div>
</section>`;
}

/** The example in each language; one is open at a time, and the first one at the beginning. */
function requestSamples(endpoint: DescribedEndpoint): string {
  const parts = SAMPLE_LANGUAGES.map(
    ({ id, title, write }, index) =>
      `<details name="${endpoint.path}" data-language="${id}"${index === 0 ? ' open' : ''}><summary>${title}</summary>` +
      `${preformatted(`Request in ${title}`, escaped(write(endpoint)))}</details>`,
  );
  return `<figure class="languages">${parts.join('')}</figure>`;
}

function refusalTable({ missing, refusals }: DescribedEndpoint, prose: Prose): string {
  const own: [number, string, string][] = refusals.map((each) => [statusOf(each), codeOf(each), shownText(each)]);
  if (missing !== '') own.push([400, 'missing_fields', missing]);
  if (own.length === 0) return '';
  const rows = own
    .sort(([one], [other]) => one - other)
    .map(([status, name, text]) => row([String(status), codeAndMeaning(name, prose(text))]));
  return table('Refusals', ['Refusal', 'Code and text'], rows);
}
