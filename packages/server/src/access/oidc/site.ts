/** The site of sign-ins with accounts of the provider: redirects out and back, and the ways in for the entrance. */
import type { RefusedCall } from '../../platform/endpoint/inner.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import type { SiteAnswer } from '../../platform/sites/answer.ts';
import { cookieNamed } from '../../platform/sites/cookie.ts';
import type { Query, Site, SiteParts, Visit } from '../../platform/sites/site.ts';
import { beginningCookie, mintCookie } from '../console/cookie.ts';
import { ATTEMPT_COOKIE, attemptCookie, attemptIn, idOfAttempt, NO_ATTEMPT_COOKIE } from './attempt.ts';
import { enterPerson, refusePerson, takeAttempt } from './calls.ts';
import { nameOfPerson, sourceOf } from './claims.ts';
import { rightsOf } from './grants.ts';
import { Provider } from './provider.ts';
import { ENTRANCE_WORDS } from './refusals.ts';
import type { ProviderSettings } from './settings.ts';

/** The ways in, as JSON for the entrance. */
const WAYS = '/sign-in/ways';
const BEGIN = '/sign-in/provider';
const CALLBACK = '/sign-in/callback';
const LEAVE = '/sign-in/leave';
const CONSOLE = '/console/';

type Reason = keyof typeof ENTRANCE_WORDS;

const HEADERS = [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  // The answer of the provider is in the address.
  ...['Referrer-Policy', 'no-referrer'],
  ...['Cache-Control', 'no-store'],
];

/** The site, for a service with a console. */
export function signInSite({ clock, ruleContext: { settings } }: SiteParts): Site {
  const { provider: providerSettings } = settings;
  const provider = providerSettings === null ? null : new Provider(providerSettings, clock);
  const ways = JSON.stringify({
    provider: providerSettings === null ? null : { name: providerSettings.name },
    adminSecret: settings.console?.takesAdminSecret ?? false,
  });

  async function answerTo(visit: Visit): Promise<SiteAnswer> {
    if (visit.path === WAYS) return waysAnswer(ways);
    if (provider === null || providerSettings === null) return redirect(CONSOLE);
    const asked = visit.readQuery();
    if (isRefusal(asked) || !isOfTexts(asked.query)) return backWith('provider_not_believed');
    if (visit.path === CALLBACK) return enter(visit, provider, providerSettings, clock(), asked.query);
    // A foreign page must not begin or end anything here.
    if (isFromForeignSite(visit)) return redirect(CONSOLE);
    if (visit.path === LEAVE) return leave(provider);
    const begun = await provider.begin();
    if ('failed' in begun) return backWith(begun.failed, { failure: begun.detail });
    return redirect(begun.address, ['Set-Cookie', attemptCookie(begun.attempt, providerSettings.attemptKeys)]);
  }

  return {
    countedPaths: [WAYS, BEGIN, CALLBACK, LEAVE],
    has: (path) => path === WAYS || path === BEGIN || path === CALLBACK || path === LEAVE,
    async answer(visit) {
      // A preview that only looks must not use anything up.
      if (visit.method !== 'GET') return visit.refuse({ refused: 'method_not_allowed' }, ['Allow', 'GET']);
      const busy = visit.countAsCall();
      if (busy !== null) return visit.refuse(busy);
      visit.send(await answerTo(visit));
    },
  };
}

/** Takes the answer of the provider: the attempt counts once, then the person enters or is told why not. */
async function enter(
  visit: Visit,
  provider: Provider,
  { issuer, grants, attemptKeys }: ProviderSettings,
  now: number,
  query: Readonly<Record<string, string>>,
): Promise<SiteAnswer> {
  const attempt = attemptIn(cookieNamed(visit.headers.cookie, ATTEMPT_COOKIE), attemptKeys, now);
  // Of another browser, or of an attempt that is over: its cookie, if there is one, stays.
  if (attempt === null || query.state !== attempt.state) return backWith('attempt_not_known');
  const back = (reason: Reason, more: Pick<SiteAnswer, 'failure'> = {}) =>
    backWith(reason, more, ['Set-Cookie', NO_ATTEMPT_COOKIE]);
  const taken = await visit.call(takeAttempt, { attemptId: idOfAttempt(attempt) });
  if ('refusal' in taken) return back(reasonOf(taken.refusal));
  const shown = await provider.finish(query, attempt);
  if ('failed' in shown)
    return back(shown.failed, shown.failed === 'provider_declined' ? {} : { failure: shown.detail });
  const { subject, claims } = shown;
  const person = { source: sourceOf(issuer, subject), name: nameOfPerson(claims, subject) };
  const rights = rightsOf(grants, claims);
  if (typeof rights === 'string') {
    await visit.call(refusePerson, { ...person, reason: rights });
    return back(rights === 'not_mapped' ? 'person_not_mapped' : 'person_not_verified');
  }
  const cookie = mintCookie();
  const userAgent = visit.headers['user-agent']?.slice(0, 255) || null;
  const { kind: _kind, ...given } = rights;
  const entered = await visit.call(enterPerson, { ...person, ...given, newSessionId: cookie.sessionId, userAgent });
  if ('refusal' in entered) return back(reasonOf(entered.refusal));
  return redirect(CONSOLE, ['Set-Cookie', beginningCookie(cookie, false), 'Set-Cookie', NO_ATTEMPT_COOKIE]);
}

/** Leads to the page of the provider that ends its own session, or back where there is none. */
async function leave(provider: Provider): Promise<SiteAnswer> {
  const left = await provider.leave();
  if ('failed' in left) return { ...redirect(CONSOLE), failure: left.detail };
  return redirect(left.address ?? CONSOLE);
}

function waysAnswer(body: string): SiteAnswer {
  return { status: 200, headers: [...HEADERS, 'Content-Type', 'application/json; charset=utf-8'], body };
}

function redirect(to: string, headers: readonly string[] = []): SiteAnswer {
  return { status: 303, headers: [...HEADERS, 'Location', to, ...headers], body: '' };
}

/** Leads to the entrance, which says the reason and offers the other ways in. */
function backWith(reason: Reason, more: Pick<SiteAnswer, 'failure'> = {}, headers: readonly string[] = []): SiteAnswer {
  return { ...redirect(`${CONSOLE}#/sign-in?refused=${reason}`, headers), ...more, refused: reason };
}

/** Whether each parameter occurs once: the provider sends no others. */
function isOfTexts(query: Query): query is Readonly<Record<string, string>> {
  return Object.values(query).every((value) => typeof value === 'string');
}

function reasonOf({ refused }: RefusedCall): Reason {
  return Object.hasOwn(ENTRANCE_WORDS, refused) ? (refused as Reason) : 'sign_in_failed';
}

function isFromForeignSite({ headers }: Visit): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
