/** The words for the service and for signed-in people. */
import type { ConsoleSession, Mail, SystemCountries, SystemRetention } from '../api/contract.ts';
import { spanText } from '../parts/span-words.ts';
import type { StatusWords } from '../parts/status.tsx';
import { dayText } from '../parts/time-words.ts';
import { reasonText } from '../sentences/mail-failures.ts';
import type { Readiness } from './readiness.ts';

/** The readiness of the service. */
export const READINESS_WORDS: Readonly<Record<Readiness, StatusWords>> = {
  ready: { tone: 'good', title: 'Ready' },
  readsOnly: { tone: 'danger', title: 'Reads work, writes fail' },
  down: { tone: 'danger', title: 'Not ready' },
};

/** The result of a test e-mail. */
export function testResultOf({ to, state, lastError }: Pick<Mail, 'to' | 'state' | 'lastError'>): StatusWords {
  switch (state) {
    case 'sent':
      return { tone: 'good', title: `The mail server has accepted the e-mail to ${to}.` };
    case 'failed':
      return { tone: 'danger', title: `The e-mail to ${to} was not sent. ${reasonText(lastError)}` };
    case 'dropped':
      return { tone: 'warn', title: `The node that sends e-mails does not know ${to} as an address of the operator.` };
    case 'waiting':
      return { tone: 'quiet', title: `The e-mail to ${to} waits to be sent.` };
  }
}

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

/** The name of a database. */
export function engineText(engine: string): string {
  return ENGINES[engine as keyof typeof ENGINES] ?? engine;
}

const ROLES = { owner: 'Owner', support: 'Support', viewer: 'Viewer' } as const;

/** The role of a signed-in person: "Owner", "Creator ada". */
export function whoText({ role, creatorId }: Pick<ConsoleSession, 'role' | 'creatorId'>): string {
  return role === null ? `Creator ${creatorId ?? ''}`.trim() : ROLES[role];
}

/** The way in with which somebody signed in. */
export const WAY_IN_WORDS = {
  admin_secret: 'Admin secret',
  operator_key: 'Operator key',
  api_key: 'API key',
  provider: 'Organization account',
} as const;

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** A user agent in words: "Firefox on Windows"; the unchanged text if unknown. */
export function browserText(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Not known';
  const named = (list: readonly (readonly [RegExp, string])[]) => list.find(([form]) => form.test(userAgent))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (browser === undefined) return userAgent.slice(0, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** The source of machines' countries: "The header cf-ipcountry, then a file of 1 Jan 2026". */
export function countriesText({ header, file, fileBuiltAt }: SystemCountries): string {
  const fromFile = file === null ? null : fileBuiltAt === null ? 'a file' : `a file of ${dayText(fileBuiltAt)}`;
  if (header === null) return fromFile === null ? 'Not known, no source is set' : capitalised(fromFile);
  return `The header ${header}${fromFile === null ? '' : `, then ${fromFile}`}`;
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The first names of a certificate: "localhost, 127.0.0.1 and 3 more". */
export function namesText(names: readonly string[]): string {
  if (names.length === 0) return 'No name';
  const [shown, more] = [names.slice(0, SHOWN_NAMES), names.length - SHOWN_NAMES];
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

const SHOWN_NAMES = 4;

/** The retention periods, in display order. */
export function retentionTexts(kept: SystemRetention): readonly { readonly title: string; readonly value: string }[] {
  return [
    { title: 'Changes', value: spanText(kept.eventSeconds) },
    { title: 'Notes', value: 'For ever' },
    { title: 'Refusals', value: spanText(kept.refusalSeconds) },
    {
      title: 'Statistics',
      value: `${spanText(kept.hourlyStatisticsSeconds)} by the hour, ${spanText(kept.dailyStatisticsSeconds)} by the day`,
    },
    { title: 'Answers to repeated calls', value: spanText(kept.safeRetrySeconds) },
    { title: 'License files that expired', value: spanText(kept.expiredLicenseFileSeconds) },
  ];
}

/** The lifetime of a session. */
export function sessionsText(kept: SystemRetention): string {
  return `A session ends ${spanText(kept.idleSessionSeconds)} after its last call, at the latest after ${spanText(kept.sessionSeconds)}; one that stays signed in lasts ${spanText(kept.keptSessionSeconds)}.`;
}
