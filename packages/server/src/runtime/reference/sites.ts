/** The sites of the reference: the description of the service, its pages, and the guides. */
import type { Section } from '../../platform/endpoint/endpoint.ts';
import { documentsSite } from '../../platform/sites/documents.ts';
import type { Site } from '../../platform/sites/site.ts';
import { describedPaths, referenceDocuments } from './documents.ts';
import { guideDocuments } from './guides/guide-documents.ts';
import { missingPageSite } from './guides/missing-page-site.ts';

/** @param hasConsole true if the service serves the console; the pages then link to it */
export function referenceSites(sections: readonly Section[], hasConsole: boolean): readonly Site[] {
  return [
    documentsSite(referenceDocuments(sections, hasConsole)),
    { ...documentsSite(guideDocuments(describedPaths(sections), hasConsole)), countedPaths: [] },
    missingPageSite(hasConsole),
  ];
}
