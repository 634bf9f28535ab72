/** The site of the pages at /my: forms in, pages and redirects out (rules 13). */

import type { Replying } from '../../platform/endpoint/endpoint.ts';
import type { RefusedCall } from '../../platform/endpoint/inner.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import type { SiteAnswer } from '../../platform/sites/answer.ts';
import { FORM_TYPE, hasUtf8Charset, MAX_FORM_BYTES, readForm } from '../../platform/sites/form-body.ts';
import { isFromOwnPage } from '../../platform/sites/own-page.ts';
import type { Query, Site, Visit } from '../../platform/sites/site.ts';
import { askForCode } from './ask-for-code.ts';
import { askForMyFile } from './ask-for-my-file.ts';
import { enterCode } from './enter-code.ts';
import { enterLink } from './enter-link.ts';
import { getMyLicense } from './get-my-license.ts';
import { listMyLicenses } from './list-my-licenses.ts';
import { mailMyKeys } from './mail-my-keys.ts';
import { makeMyFile } from './make-my-file.ts';
import { readCookies, setCookie } from './pages/cookies.ts';
import { COPY_SCRIPT_SOURCE } from './pages/copy-script.ts';
import { framed, type View } from './pages/frame.ts';
import { type Notice, noticePage } from './pages/notice-page.ts';
import { STEPS, type Steps } from './pages/steps.ts';
import { stylesWith } from './pages/styles.ts';
import { languageNamed, preferredLanguage } from './pages/texts/languages.ts';
import { PLAIN_SHOP } from './pages/views.ts';
import type { CallForCustomer, Step, Visitor } from './pages/visitor.ts';
import { releaseMyDevice } from './release-my-device.ts';
import { releaseMyUser } from './release-my-user.ts';
import { replaceMyKey } from './replace-my-key.ts';
import type { CustomerCallName, CustomerReply } from './shapes.ts';
import { showLogo, showShop } from './show-shop.ts';
import { signOutCustomer } from './sign-out-customer.ts';

const ROOT = '/my';
const STYLES = '/my/style.css';
const LOGO = '/my/logo';

/**
 * The pages run the script that copies a key and no other, load nothing from elsewhere, send forms to the service only,
 * and may not be framed.
 */
const POLICY = [
  "default-src 'none'",
  `script-src ${COPY_SCRIPT_SOURCE}`,
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const FILE_HEADERS = ['X-Content-Type-Options', 'nosniff', 'Cross-Origin-Resource-Policy', 'same-origin'];
const HEADERS = [
  ...FILE_HEADERS,
  ...['Content-Security-Policy', POLICY],
  // Older browsers know no frame-ancestors.
  ...['X-Frame-Options', 'DENY'],
  // With no-referrer browsers send `Origin: null` with the forms of the pages.
  ...['Referrer-Policy', 'same-origin'],
  ...['Cross-Origin-Opener-Policy', 'same-origin'],
  ...['Permissions-Policy', 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()'],
  ...['Cache-Control', 'no-store'],
  ...['X-Robots-Tag', 'noindex'],
];

/** The site. `publicOrigin` is the origin of LATCHKEY_PUBLIC_URL. */
export function customerSite(publicOrigin: string): Site {
  return {
    countedPaths: [...STEPS.keys(), STYLES, LOGO],
    has: (path) => path === ROOT || path.startsWith(`${ROOT}/`),
    async answer(visit) {
      const asked = visit.readQuery();
      const query = isRefusal(asked) ? {} : singleTexts(asked.query);
      const language = languageOf(visit, query);
      const notice = (status: number, name: Notice, refused?: SiteAnswer['refused'], headers: readonly string[] = []) =>
        visit.send(noticeAnswer(visit, language, { status, notice: name, refused, headers }));
      if (isRefusal(asked)) return notice(400, 'badForm', asked.refused);
      const { method, path } = visit;
      const isRead = method === 'GET' || method === 'HEAD';
      const steps: Steps | undefined = path === STYLES || path === LOGO ? {} : STEPS.get(path);
      if (steps === undefined) return notice(404, 'notFound', 'not_found');
      const allowed = allowedMethods(path, steps);
      if (!allowed.includes(method))
        return notice(405, 'notFound', 'method_not_allowed', ['Allow', allowed.join(', ')]);
      const form = isRead ? {} : await ownForm(visit, publicOrigin);
      // A form counts when it has arrived: slow ones would shut everybody else of the network out.
      const busy = visit.countAsCall();
      if (busy !== null) return notice(503, 'busy', busy.refused, ['Retry-After', String(busy.retryAfterSeconds ?? 1)]);
      if (path === STYLES) return visit.send(stylesAnswer(query));
      const call: CallForCustomer = (name, fields) => visit.call(CALLS[name], fields);
      if (path === LOGO) return visit.send(await logoAnswer(call, query));
      if (typeof form === 'string') return notice(FORM_STATUSES[form], form === 'foreignForm' ? form : 'badForm');
      const step = isRead ? steps.GET : steps.POST;
      const visitor: Visitor = { query, form, cookies: readCookies(visit.headers.cookie), language, call };
      visit.send(answerOf(visit, language, query, await step!(visitor)));
    },
  };
}

function allowedMethods(path: string, steps: Steps): readonly string[] {
  const isRead = path === STYLES || path === LOGO || steps.GET !== undefined;
  return [...(isRead ? ['GET', 'HEAD'] : []), ...(steps.POST === undefined ? [] : ['POST'])];
}

/** Parameters that occur once. */
function singleTexts(query: Query): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** The language that the address names, else the one chosen before, else the browser's. */
function languageOf({ headers }: Visit, { lang }: Readonly<Record<string, string>>) {
  const chosen = languageNamed(lang) ?? languageNamed(readCookies(headers.cookie).language ?? undefined);
  return chosen ?? preferredLanguage(headers['accept-language']);
}

const FORM_STATUSES = { foreignForm: 403, tooLarge: 413, otherType: 415, damaged: 400 } as const;

/** The fields of a form that came from a page of the service; else the reason. */
async function ownForm(
  visit: Visit,
  publicOrigin: string,
): Promise<Readonly<Record<string, string>> | keyof typeof FORM_STATUSES> {
  if (!isFromOwnPage(visit.headers, publicOrigin)) return 'foreignForm';
  if (!hasUtf8Charset(visit.headers['content-type'])) return 'otherType';
  const body = await visit.readBody({ contentType: FORM_TYPE, maxBytes: MAX_FORM_BYTES });
  return typeof body === 'string' ? body : (readForm(body) ?? 'damaged');
}

/** The endpoints of the pages, by name. */
const CALLS: { readonly [Name in CustomerCallName]: Replying<CustomerReply<Name>> } = {
  askForCode,
  enterCode,
  enterLink,
  listMyLicenses,
  getMyLicense,
  releaseMyDevice,
  askForMyFile,
  releaseMyUser,
  makeMyFile,
  replaceMyKey,
  mailMyKeys,
  signOutCustomer,
  showShop,
  showLogo,
};

function stylesAnswer({ accent = '' }: Readonly<Record<string, string>>): SiteAnswer {
  const cached = ['Cache-Control', 'public, max-age=31536000, immutable'];
  return {
    status: 200,
    headers: [...FILE_HEADERS, 'Content-Type', 'text/css; charset=utf-8', ...cached],
    body: stylesWith(accent),
  };
}

async function logoAnswer(call: CallForCustomer, { shop }: Readonly<Record<string, string>>): Promise<SiteAnswer> {
  const answer = await call('showLogo', shop === undefined ? {} : { shop });
  if ('refusal' in answer) {
    const { status, refused } = answer.refusal;
    return { status, headers: [...HEADERS, 'Content-Type', 'text/plain; charset=utf-8'], body: '', refused };
  }
  const { type, data } = answer.reply;
  const headers = [...FILE_HEADERS, 'Content-Security-Policy', POLICY, 'Cache-Control', 'public, max-age=300'];
  return { status: 200, headers: [...headers, 'Content-Type', type], body: Buffer.from(data, 'base64') };
}

/** The answer to a step of the pages. */
function answerOf(
  visit: Visit,
  language: Visitor['language'],
  query: Readonly<Record<string, string>>,
  step: Step,
): SiteAnswer {
  const chosen = languageNamed(query.lang);
  const kept = chosen === null ? [] : ['Set-Cookie', setCookie('language', chosen)];
  switch (step.kind) {
    case 'page':
      return {
        ...toLog(step.refusal),
        status: step.status,
        headers: [...pageHeaders(step.view.language), ...kept],
        body: framed(step.view, step.content),
      };
    case 'notice':
      return noticeAnswer(visit, language, {
        ...step,
        refused: step.refusal?.refused,
        headers: retryHeader(step.refusal),
      });
    case 'redirect': {
      const cookies = step.cookies.flatMap((each) => ['Set-Cookie', each]);
      return { status: 303, headers: [...HEADERS, 'Location', step.to, ...cookies, ...kept], body: '' };
    }
  }
}

function toLog(refusal: RefusedCall | undefined): Pick<SiteAnswer, 'refused'> {
  return refusal === undefined ? {} : { refused: refusal.refused };
}

function retryHeader(refusal: RefusedCall | undefined): readonly string[] {
  return refusal?.retryAfterSeconds === undefined ? [] : ['Retry-After', String(refusal.retryAfterSeconds)];
}

function pageHeaders(language: Visitor['language']): readonly string[] {
  return [...HEADERS, 'Content-Type', 'text/html; charset=utf-8', 'Content-Language', language];
}

/** A page that is made without the service's data, so that it costs nothing and never fails. */
function noticeAnswer(
  visit: Visit,
  language: Visitor['language'],
  shown: {
    readonly status: number;
    readonly notice: Notice;
    readonly refused?: SiteAnswer['refused'];
    readonly headers: readonly string[];
  },
): SiteAnswer {
  const here = STEPS.get(visit.path)?.GET === undefined ? ROOT : visit.path;
  const view: View = { language, shopId: null, shop: PLAIN_SHOP, here, session: null };
  const headers = [...pageHeaders(language), ...shown.headers];
  const { status, refused } = shown;
  return {
    status,
    headers,
    body: framed(view, noticePage(view, shown.notice)),
    ...(refused === undefined ? {} : { refused }),
  };
}
