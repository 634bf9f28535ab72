/** What is said of the service and of those who are signed in. */

import type { ConsoleSession } from '../api/contract.ts';
import { counted } from '../parts/count-words.ts';
import type { Tone } from '../parts/status.tsx';
import type { Readiness } from './readiness.ts';

/** How the service stands. */
export const READINESS_WORDS: Readonly<Record<Readiness, { readonly tone: Tone; readonly title: string }>> = {
  ready: { tone: 'good', title: 'Ready' },
  readsOnly: { tone: 'danger', title: 'Reads work, writes fail' },
  down: { tone: 'danger', title: 'Not ready' },
};

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

/** The name of a database. */
export function engineText(engine: string): string {
  return ENGINES[engine as keyof typeof ENGINES] ?? engine;
}

const ROLES = { owner: 'Owner', support: 'Support', viewer: 'Viewer' } as const;

/** What somebody who is signed in may do: "Owner", "Creator ada". */
export function whoText({ role, creatorId }: Pick<ConsoleSession, 'role' | 'creatorId'>): string {
  return role === null ? `Creator ${creatorId ?? ''}`.trim() : ROLES[role];
}

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

/** What a browser calls itself, in words: "Firefox on Windows"; the text itself where nobody knows it. */
export function browserText(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Not told';
  const named = (list: readonly (readonly [RegExp, string])[]) => list.find(([form]) => form.test(userAgent))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (browser === undefined) return userAgent.slice(0, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** A span of time in words: "15 minutes", "90 seconds". */
export function spanText(seconds: number): string {
  const [count, unit] =
    seconds % 86_400 === 0
      ? [seconds / 86_400, 'day']
      : seconds % 60 === 0
        ? [seconds / 60, 'minute']
        : [seconds, 'second'];
  return counted(count, unit);
}
