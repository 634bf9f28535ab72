/** What /openapi.json and /docs serve; made once. */

import type { Section } from '../endpoint/endpoint.ts';
import type { Document } from '../http/listener.ts';
import { describeApi } from './openapi.ts';
import { PAGE_POLICY, referencePage } from './page.ts';

/** The two documents by path. */
export function referenceDocuments(sections: readonly Section[]): ReadonlyMap<string, Document> {
  const openapi = {
    contentType: 'application/json; charset=utf-8',
    body: openApiText(sections),
    contentSecurityPolicy: "default-src 'none'",
  };
  const page = {
    contentType: 'text/html; charset=utf-8',
    body: referencePage(sections),
    contentSecurityPolicy: PAGE_POLICY,
  };
  return new Map<string, Document>([
    ['/openapi.json', () => openapi],
    ['/docs', () => page],
  ]);
}

/** The description as text, as it is committed in openapi.json. */
export function openApiText(sections: readonly Section[]): string {
  return `${JSON.stringify(describeApi(sections), null, 2)}\n`;
}
