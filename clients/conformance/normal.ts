/** Answers, calls and stored states in a form that does not depend on the time and the keys of a playing. */
import type { DriverAnswer } from './driver-process.ts';
import type { Call } from './front.ts';

interface Traced {
  readonly name: string;
  readonly answer: DriverAnswer;
  readonly calls: readonly Call[];
  /** The text of the stored state; null without one. */
  readonly stored: string | null;
}

/** The texts and times of one playing. */
export interface Surroundings {
  /** Texts by their names in the scenario. */
  readonly names: ReadonlyMap<string, string>;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Times that the scenario states itself, milliseconds since 1970; they are the same in every playing. */
  readonly stated: ReadonlySet<number>;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Fields of a stored state whose numbers are times, in milliseconds since 1970. */
const TIMES: ReadonlySet<string> = new Set(['lastGoodAt', 'activatedAt', 'at', 'until', 'beatAt', 'time', 'local']);
/** Fields that the reference alone has, because its language needs them. */
const OF_ONE_LANGUAGE: ReadonlySet<string> = new Set(['for']);
/** Fields whose text is for people, or differs at each call. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['detail']);
/** The id of a use that a client draws; scenarios give shorter ones. */
const DRAWN_ID = /^[\w-]{22}$/;
const SECRETS: ReadonlySet<string> = new Set(['token', 'file', 'machineFingerprint']);
/** Facts that earlier clients do not store. */
const LATER: ReadonlySet<string> = new Set(['graceUntil', 'updatesUntil', 'maxVersion', 'features']);

/** The times that steps state, milliseconds since 1970. */
export function timesIn(steps: unknown): ReadonlySet<number> {
  if (typeof steps === 'number') return new Set([steps]);
  if (typeof steps === 'string') return new Set(TIME.test(steps) ? [Date.parse(steps)] : []);
  const parts = typeof steps === 'object' && steps !== null ? Object.values(steps) : [];
  return new Set(parts.flatMap((part) => [...timesIn(part)]));
}

export function traced({ name, answer, calls, stored }: Traced, { names, startedAt, stated }: Surroundings): unknown {
  const timed = (time: number) => (stated.has(time) ? `stated ${time}` : `T${time - startedAt}`);
  const byValue = new Map([...names].map(([each, value]) => [value.trim(), `{${each}}`]));
  const normal = (value: unknown, field = ''): unknown => {
    if (FOR_PEOPLE.has(field)) return 'TEXT';
    if (field === 'storageProblem' && value !== null) return 'TEXT';
    if (SECRETS.has(field) && typeof value === 'string') return byValue.get(value.trim()) ?? field.toUpperCase();
    if (field === 'requestId' && DRAWN_ID.test(String(value))) return 'DRAWN';
    if (field === 'keyLists' && Array.isArray(value)) return value.length;
    if (typeof value === 'string') {
      if (TIME.test(value)) return timed(Date.parse(value));
      return byValue.get(value.trim()) ?? value;
    }
    if (typeof value === 'number') return TIMES.has(field) ? timed(value) : value;
    if (Array.isArray(value)) return value.map((each) => normal(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([each, part]) => !(LATER.has(each) && part === null) && !OF_ONE_LANGUAGE.has(each))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([each, part]) => [each, normal(part, each)]),
    );
  };
  const { notices: _, ...said } = answer;
  return {
    app: name,
    answer: normal(said, 'answer'),
    calls: calls.map(({ method, path, type, body, at }) => ({
      method,
      path,
      type: type.replace(/;.*/, ''),
      body: normal(body, 'body'),
      at: at - startedAt,
    })),
    stored: stored === null ? null : normal(parsed(stored), 'stored'),
  };
}

/** The license key that the service made for a call; null without one. */
export function issuedKeyIn({ path, answer }: Call): string | null {
  const { licenseKey } = (answer ?? {}) as { readonly licenseKey?: unknown };
  return path === '/startTrial' && typeof licenseKey === 'string' ? licenseKey : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It holds half a key, or half a token.
    return 'UNREADABLE';
  }
}

/** The fields of a request for a license file; the text itself if it is none. */
export function requestIn(text: unknown): unknown {
  const form = /^-----BEGIN LATCHKEY REQUEST-----\n((?:[\w-]{1,64}\n)+)-----END LATCHKEY REQUEST-----\n?$/;
  const [, encoded] = form.exec(String(text)) ?? [];
  if (encoded === undefined) return text;
  const { client: _, ...fields } = JSON.parse(Buffer.from(encoded.replaceAll('\n', ''), 'base64url').toString());
  return fields;
}
