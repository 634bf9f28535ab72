/** The site of addresses below /docs that have no page. It stands after the sites of those that have one. */
import { refuse } from '../../../platform/endpoint/refusals.ts';
import type { Site } from '../../../platform/sites/site.ts';
import { once } from '../once.ts';
import { PAGE_POLICY } from '../page/shell.ts';
import { missingPage } from './guide-page.ts';

/**
 * Answers a browser with a page that leads on, and programs with the refusal that every unknown path gets.
 *
 * @param hasConsole true if the service serves the console; the page then links to it
 */
export function missingPageSite(hasConsole: boolean): Site {
  const page = once(() => Buffer.from(missingPage(hasConsole)));
  return {
    countedPaths: [],
    has: (path) => path.startsWith('/docs/'),
    answer(visit) {
      const isForPeople = /^(?:GET|HEAD)$/.test(visit.method) && visit.headers.accept?.includes('text/html') === true;
      if (!isForPeople) return visit.refuse(refuse('not_found'));
      const busy = visit.countAsCall();
      if (busy !== null) return visit.refuse(busy);
      visit.send({ status: 404, headers: HEADERS, body: page(), refused: 'not_found' });
    },
  };
}

const HEADERS = [
  ...['Content-Type', 'text/html; charset=utf-8'],
  ...['Cache-Control', 'no-store'],
  ...['Latchkey-Code', 'not_found'],
  ...['Vary', 'Accept'],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', PAGE_POLICY],
  ...['Referrer-Policy', 'no-referrer'],
];
