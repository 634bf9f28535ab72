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

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Numbers above are times: a second in the year 2001, in milliseconds. */
const LEAST_TIME_MS = 1e12;
/** Fields whose text is for people, or differs at each call. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['detail']);
const SECRETS: ReadonlySet<string> = new Set(['token', 'file', 'machineFingerprint']);
/** Facts that earlier clients do not store. */
const LATER: ReadonlySet<string> = new Set(['graceUntil', 'updatesUntil', 'maxVersion', 'features']);

export function traced(
  { name, answer, calls, stored }: Traced,
  names: ReadonlyMap<string, string>,
  startedAt: number,
): unknown {
  const byValue = new Map([...names].map(([each, value]) => [value, `{${each}}`]));
  const normal = (value: unknown, field = ''): unknown => {
    if (FOR_PEOPLE.has(field)) return 'TEXT';
    if (field === 'storageProblem' && value !== null) return 'TEXT';
    if (SECRETS.has(field) && typeof value === 'string') return field.toUpperCase();
    if (field === 'keyLists' && Array.isArray(value)) return value.length;
    if (typeof value === 'string') {
      if (TIME.test(value)) return `T${Date.parse(value) - startedAt}`;
      return byValue.get(value.trim()) ?? value;
    }
    if (typeof value === 'number') return value > LEAST_TIME_MS ? `T${value - startedAt}` : value;
    if (Array.isArray(value)) return value.map((each) => normal(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([each, part]) => !(LATER.has(each) && part === null))
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
