/** The guides as documents, and their texts for the search. */
import { setImmediate } from 'node:timers/promises';
import { compressedText, untagged } from '../../../ground/base/shared-text.ts';
import type { Document } from '../../../platform/sites/documents.ts';
import { once } from '../once.ts';
import type { SearchEntry } from '../page/search-entries.ts';
import { GUIDES_LINK, NOTHING_ALLOWED, PAGE_POLICY } from '../page/shell.ts';
import { pictureNames, readGuide, readPicture, sizeOfPicture } from './guide-files.ts';
import type { GuideText } from './guide-html.ts';
import { GUIDES, type Guide, pathOf, pathOfPicture } from './guide-list.ts';
import { guidePage, overviewPage } from './guide-page.ts';

/**
 * The guides, their overview and their pictures by path. Each page is made when it is asked for first, and kept; a
 * picture is read for each answer, because all of them would hold 1.8 MB.
 *
 * @param endpointPaths the paths that the reference describes
 * @param hasConsole true if the service serves the console; the pages then link to it
 */
export function guideDocuments(endpointPaths: ReadonlySet<string>, hasConsole: boolean): ReadonlyMap<string, Document> {
  const page = (make: () => string | Promise<string>): Document =>
    once(async () => ({
      contentType: 'text/html; charset=utf-8',
      text: await compressedText(await make()),
      contentSecurityPolicy: PAGE_POLICY,
    }));
  return new Map<string, Document>([
    [GUIDES_LINK.path, page(() => overviewPage(hasConsole))],
    ...GUIDES.map(
      (guide) =>
        [pathOf(guide), page(async () => guidePage(guide, await textOf(guide, endpointPaths), hasConsole))] as const,
    ),
    ...pictureNames().map((name) => [pathOfPicture(name), () => pictureDocument(name)] as const),
  ]);
}

/** Every heading of every guide, with the text below it. */
export async function guideEntries(endpointPaths: ReadonlySet<string>): Promise<readonly SearchEntry[]> {
  const entries: SearchEntry[] = [];
  for (const guide of GUIDES) {
    const { parts } = await textOf(guide, endpointPaths);
    const [opening, ...others] = parts;
    const longTitle = opening.title === guide.title ? '' : `${opening.title}. `;
    entries.push([pathOf(guide), guide.title, 'Guide', longTitle + opening.text]);
    for (const { id, title, text } of others) entries.push([`${pathOf(guide)}#${id}`, title, guide.title, text]);
    // All of them take a third of a second, in which no call would be answered.
    await setImmediate();
  }
  return entries;
}

/** Loads the renderer only now: 73 KB of source, for pages that few services are asked for. */
async function textOf(guide: Guide, endpointPaths: ReadonlySet<string>): Promise<GuideText> {
  const { renderGuide } = await import('./guide-html.ts');
  return renderGuide(await readGuide(guide), guide.folder, endpointPaths, sizeOfPicture);
}

async function pictureDocument(name: string) {
  return {
    contentType: 'image/png',
    text: [untagged(await readPicture(name))] as const,
    contentSecurityPolicy: NOTHING_ALLOWED,
    // A browser would fetch all pictures of a page again at each visit.
    cacheControl: 'public, max-age=86400',
  };
}
