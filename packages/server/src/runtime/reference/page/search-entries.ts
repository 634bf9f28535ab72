/** The texts that the pages below /docs search. */
import { codeOf } from '../../../platform/endpoint/refusals.ts';
import type { DescribedEndpoint, DescribedSection } from '../described.ts';
import { introduction } from './introduction.ts';

/** A place that search leads to: its address, its title, the page or group that it is in, its text. */
export type SearchEntry = readonly [address: string, title: string, place: string, text: string];

/** The chapters and the endpoints of the reference. */
export function referenceEntries(sections: readonly DescribedSection[]): readonly SearchEntry[] {
  return [
    ...introduction((text) => text.replaceAll('`', '')).map(
      ({ id, title, html }): SearchEntry => [`/docs#${id}`, title, 'Reference', textOfHtml(html)],
    ),
    ...sections.flatMap(({ title, endpoints }) =>
      endpoints.map((endpoint): SearchEntry => [`/docs#${endpoint.path}`, endpoint.path, title, textOf(endpoint)]),
    ),
  ];
}

/** The text that a piece of HTML shows. */
export function textOfHtml(html: string): string {
  return html
    .replace(/<\/?(?:a|code|em|strong|wbr)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, number) => String.fromCharCode(Number(number)))
    .replace(/\s+/g, ' ')
    .trim();
}

function textOf({ summary, description, fields, reply, refusals }: DescribedEndpoint): string {
  const names = [fields, reply].flatMap((each) => Object.keys((each as { properties?: object }).properties ?? {}));
  const words = new Set([...names, ...refusals.map(codeOf)]);
  return `${summary}. ${description.replaceAll('`', '')} ${[...words].join(' ')}`;
}
