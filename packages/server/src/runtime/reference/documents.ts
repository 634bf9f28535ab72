/**
 * The documents at /openapi.json, /openapi-3.0.json and /docs, and the redirect from /. Each is built on first request.
 */
import { compressedText, plainText } from '../../ground/base/shared-text.ts';
import type { Section } from '../../platform/endpoint/endpoint.ts';
import { adviceOf, publishedCodes } from '../../platform/endpoint/refusals.ts';
import type { Document } from '../../platform/sites/documents.ts';
import { contractText } from './contract.ts';
import type { DescribedSection } from './described.ts';
import { errorsText } from './errors-document.ts';
import { guideEntries } from './guides/guide-documents.ts';
import { healthSection } from './health-section.ts';
import { keysSection } from './keys-section.ts';
import { once } from './once.ts';
import { describeApi } from './openapi.ts';
import { asOpenApi30 } from './openapi-3.0.ts';
import { MARK, MARK_PATH } from './page/mark.ts';
import { referencePage } from './page/page.ts';
import { SEARCH_PATH } from './page/script.ts';
import { referenceEntries, type SearchEntry } from './page/search-entries.ts';
import { NOTHING_ALLOWED, PAGE_POLICY } from './page/shell.ts';
import type { Json } from './schemas.ts';

/**
 * The documents by path, the icon that browsers show with them, and `/`, the entry for people who know no path.
 *
 * @param hasConsole true if the service serves the console; the page then links to it
 */
export function referenceDocuments(sections: readonly Section[], hasConsole = false): ReadonlyMap<string, Document> {
  const described = withDocuments(sections);
  return new Map<string, Document>([
    ['/', () => ({ location: '/docs' })],
    ['/openapi.json', jsonDocument(() => describeApi(described))],
    ['/openapi-3.0.json', jsonDocument(() => asOpenApi30(describeApi(described)))],
    [
      MARK_PATH,
      once(() => ({ contentType: 'image/svg+xml', text: plainText(MARK), contentSecurityPolicy: NOTHING_ALLOWED })),
    ],
    [
      '/docs',
      once(async () => ({
        contentType: 'text/html; charset=utf-8',
        text: await compressedText(referencePage(described, hasConsole)),
        contentSecurityPolicy: PAGE_POLICY,
      })),
    ],
    [
      SEARCH_PATH,
      jsonDocument(async () => [...referenceEntries(described), ...(await guideEntries(describedPaths(sections)))]),
    ],
  ]);
}

/** The paths that the reference describes. */
export function describedPaths(sections: readonly Section[]): ReadonlySet<string> {
  return new Set(withDocuments(sections).flatMap(({ endpoints }) => endpoints.map(({ path }) => path as string)));
}

function jsonDocument(describe: () => Json | Promise<readonly SearchEntry[]>): Document {
  return once(async () => ({
    contentType: 'application/json; charset=utf-8',
    text: await compressedText(JSON.stringify(await describe())),
    contentSecurityPolicy: NOTHING_ALLOWED,
  }));
}

/**
 * The generated files that are committed: path from packages/server, and text.
 *
 * @param consoleWords the words of slices that the console shows, by the name of their file
 */
export function generatedFiles(
  sections: readonly Section[],
  consoleWords: readonly (readonly [string, unknown])[] = [],
): ReadonlyMap<string, string> {
  const described = withDocuments(sections);
  return new Map([
    ['openapi.json', `${jsonText(describeApi(described))}\n`],
    ['contract.d.ts', contractText(described)],
    [
      '../console/src/api/refusal-words.json',
      `${jsonText(Object.fromEntries(publishedCodes.map((code) => [code, adviceOf(code).console])))}\n`,
    ],
    ...consoleWords.map(([name, words]) => [`../console/src/api/${name}.json`, `${jsonText(words)}\n`] as const),
    ['../../docs/apps/errors.md', errorsText(described)],
  ]);
}

function withDocuments(sections: readonly Section[]): readonly DescribedSection[] {
  return [...sections, keysSection, healthSection];
}

/** Compact JSON whose diffs stay readable: a value that fits on a line takes one line, and so does each example. */
function jsonText(value: unknown, indent = ''): string {
  const line = oneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + line.length <= LINE_LENGTH) return line;
  const inner = `${indent} `;
  const parts = Array.isArray(value)
    ? value.map((each) => jsonText(each, inner))
    : Object.entries(value).map(
        ([key, each]) => `${JSON.stringify(key)}: ${key === 'example' ? oneLine(each) : jsonText(each, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

const LINE_LENGTH = 160;

function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const members = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${oneLine(each)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
