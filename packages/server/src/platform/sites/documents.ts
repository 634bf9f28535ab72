/** The site of documents: health, keys, the description of the service, the reference page and the redirect to it. */

import type { Outcome } from '../endpoint/outcome.ts';
import { refuse } from '../endpoint/refusals.ts';
import type { DocumentText } from './answer.ts';
import type { Site } from './site.ts';

/** A document, served by GET and HEAD. Anything but a text is answered as JSON. */
export type Document = () => DocumentText | { readonly location: string } | Promise<DocumentText | Outcome>;

/** Serves documents by path. */
export function documentsSite(documents: ReadonlyMap<string, Document>): Site {
  return {
    countedPaths: [...documents.keys()],
    has: (path) => documents.has(path),
    async answer(visit) {
      if (visit.answerPreflight()) return;
      const { method } = visit;
      if (method !== 'GET' && method !== 'HEAD')
        return visit.refuse(refuse('method_not_allowed'), ['Allow', 'GET, HEAD']);
      const asked = visit.readQuery();
      if ('refused' in asked) return visit.refuse(asked);
      const document = await documents.get(visit.path)!();
      if ('location' in document) {
        const { location } = document;
        return visit.sendOutcome({ status: 302, body: JSON.stringify({ success: true, location }) }, [
          'Location',
          location,
        ]);
      }
      if (!('contentType' in document)) return visit.sendOutcome(document);
      const busy = document.isForApps ? null : visit.countAsCall();
      return busy === null ? visit.sendDocument(document) : visit.refuse(busy);
    },
  };
}
