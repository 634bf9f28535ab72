/** Compares the answers of two versions to one call. */
import { endpointsByPath } from '../../src/app.ts';
import { DECLARED_DIFFERENCES, type DeclaredDifference } from './declared-differences.ts';
import { sayTheSame } from './generated-values.ts';
import type { Both, Twins } from './twins.ts';

/** An answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** By name in lower case; the values of a repeated header are joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The first place where two answers differ. */
export interface Difference extends Both<string> {
  readonly place: string;
  /** The objects of the bodies that hold the place, as JSON; absent for statuses, headers and other texts. */
  readonly within?: Both<string>;
}

/** Headers that tell of the connection or the moment, and the length of a body that is compared itself. */
const IGNORED_HEADERS = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);
/** Lists of words to which a newer version may add, at any place of the list. */
const WORD_LISTS = /^\/getConsoleSession body\.can$/;
/** Lists of ids of one moment, whose order is that of random ids. */
const UNORDERED_IDS = /\.violationIds$/;
/** In the text of an answer whose list goes on. */
const CURSOR = /ursor":"/;
/** Endpoints that show the newest entries of longer lists. */
const SHOWS_NEWEST = /^\/(?:getOverview|explainLicense)$/;
/** Fields that tell entries of one moment apart. */
const IDENTITY = /\.(?:id|kind|type|subject)$/;
const PAGE_ENDS_BETWEEN = 'entries of one moment are in the order of random ids, and a page may end between them';
/** The text of a report for a field or a header that a version lacks. */
const ABSENT = '(absent)';

/** Compares answers, and counts the differences that are meant. */
export class Comparison {
  readonly #twins: Twins;
  readonly #declared: readonly DeclaredDifference[];
  /** How often this version's answers had a field, a header or a word that the other version lacks. */
  readonly additions = new Map<string, number>();
  /** How often each declared difference was met, by reason. */
  readonly declaredMet = new Map<string, number>();
  /** How often any was met. */
  meant = 0;
  /** Whether the lists of the present answers go on, or continue a page: between entries of one moment, too. */
  #goesOn = false;
  #continues = false;

  constructor(twins: Twins, declared = DECLARED_DIFFERENCES) {
    this.#twins = twins;
    this.#declared = declared;
  }

  /**
   * The first difference that is not meant; null if there is none. Generated values are paired only in that case.
   *
   * @param continues whether the call gave the cursor of an earlier page
   */
  difference(path: string, answers: Both<WireAnswer>, continues = false): Difference | null {
    this.#continues = continues;
    const paired = this.#twins.count;
    const found = this.#find(path, answers);
    if (found !== null) this.#twins.undoTo(paired);
    return found;
  }

  #find(path: string, { here, beside }: Both<WireAnswer>): Difference | null {
    const found = this.#value(path, 'status', 'status', here.status, beside.status);
    return found ?? this.#headers(path, here.headers, beside.headers) ?? this.#body(path, here.body, beside.body);
  }

  #headers(path: string, here: WireAnswer['headers'], beside: WireAnswer['headers']): Difference | null {
    for (const name of new Set([...Object.keys(here), ...Object.keys(beside)])) {
      if (IGNORED_HEADERS.has(name)) continue;
      const place = `header ${name}`;
      const found =
        beside[name] === undefined ? this.#add(path, place) : this.#value(path, place, name, here[name], beside[name]);
      if (found !== null) return found;
    }
    return null;
  }

  /** Bodies that are JSON are compared by their values, the order of their fields, and the form of the text. */
  #body(path: string, here: string, beside: string): Difference | null {
    if (here === beside && here.length < 2) return null;
    const parsed = { here: parse(here), beside: parse(beside) };
    this.#goesOn = SHOWS_NEWEST.test(path) || (CURSOR.test(here) && CURSOR.test(beside));
    if (parsed.here === undefined || parsed.beside === undefined)
      return this.#value(path, 'body', 'body', here, beside);
    const [formHere, formBeside] = [here, beside].map((text) => JSON.stringify(parse(text)) === text);
    if (formHere !== formBeside) return this.#differ(path, 'body', here, beside);
    return this.#value(path, 'body', 'body', parsed.here, parsed.beside);
  }

  #value(path: string, place: string, field: string, here: unknown, beside: unknown): Difference | null {
    if (typeof here === 'string' && typeof beside === 'string') {
      if (sayTheSame({ here, beside }, field, this.#twins)) return null;
      const words = addedWords(here, beside);
      return words === null ? this.#differ(path, place, here, beside) : this.#add(path, `${place}: ${words}`);
    }
    if (Array.isArray(here) && Array.isArray(beside)) return this.#list(path, place, field, here, beside);
    if (isObject(here) && isObject(beside)) return this.#fields(path, place, here, beside);
    return Object.is(here, beside) ? null : this.#differ(path, place, here, beside);
  }

  #list(path: string, place: string, field: string, here: unknown[], beside: unknown[]): Difference | null {
    const added = here.filter((each) => !beside.includes(each));
    const rest = here.filter((each) => beside.includes(each));
    if (WORD_LISTS.test(`${path} ${place}`) && rest.join() === beside.join()) {
      for (const word of added) this.#add(path, `${place}: ${word}`);
      return null;
    }
    if (UNORDERED_IDS.test(place)) return this.#ids(path, place, here, beside);
    const others = [...beside];
    for (const [index, each] of here.entries()) {
      if (index >= others.length) break;
      const found = this.#entry(path, `${place}[]`, field, each, others, index);
      if (found !== null) return found;
    }
    return here.length === beside.length ? null : this.#differ(path, `${place}[]`, here.length, beside.length);
  }

  /** Compares lists of ids in any order. Ids that no answer has shown before may be of any thing, so none is paired. */
  #ids(path: string, place: string, here: unknown[], beside: unknown[]): Difference | null {
    const known = {
      here: here.flatMap((id) => this.#twins.of('here', String(id)) ?? []),
      beside: beside.flatMap((id) => this.#twins.of('beside', String(id)) ?? []),
    };
    const areTheSame = new Set(known.here).symmetricDifference(new Set(known.beside)).size === 0;
    return areTheSame && here.length === beside.length ? null : this.#differ(path, place, here, beside);
  }

  /**
   * Compares an entry of a list with the one at its place. Entries of one moment are ordered by random ids, so the
   * entry may change places with a later one of its moment, or with one of the pages around. Entries with a declared
   * difference may be of different things, so nothing of them is paired.
   */
  #entry(path: string, place: string, field: string, here: unknown, beside: unknown[], index: number) {
    const paired = this.#twins.count;
    const compare = (other: unknown) => {
      this.#twins.undoTo(paired);
      return this.#value(path, place, field, here, other);
    };
    const pair = (other: unknown) => {
      const before = this.meant;
      const found = compare(other);
      if (this.meant > before) this.#twins.undoTo(paired);
      return found;
    };
    const found = pair(beside[index]);
    const moment = momentOf(here);
    if (moment === undefined || moment !== momentOf(beside[index])) return found;
    const ofMoment = [...beside.keys()].filter((other) => momentOf(beside[other]) === moment);
    const isAtEnd = this.#goesOn && ofMoment.at(-1) === beside.length - 1;
    const isAtEdge = isAtEnd || (this.#continues && ofMoment[0] === 0);
    if (found === null && ofMoment.length === 1 && !isAtEdge) return null;
    const moved = (other: number) => inPlaceOf(beside[other], beside[index]);
    const fitting = ofMoment.filter((other) => compare(moved(other)) === null);
    this.#twins.undoTo(paired);
    const chosen = found === null ? index : fitting.find((other) => other > index);
    if (chosen !== undefined) {
      // If several fit, here or on the pages around, the pair would be a guess.
      if (fitting.length === 1 && !isAtEdge) pair(moved(chosen));
      [beside[index], beside[chosen]] = [moved(chosen), inPlaceOf(beside[index], beside[chosen])];
      return null;
    }
    if (!isAtEdge || !IDENTITY.test(found?.place ?? '')) return found;
    this.#mean(PAGE_ENDS_BETWEEN);
    return null;
  }

  #fields(path: string, place: string, here: Fields, beside: Fields): Difference | null {
    const names = { here: Object.keys(here), beside: Object.keys(beside) };
    const common = { here: names.here.filter((name) => Object.hasOwn(beside, name)), beside: names.beside };
    for (const name of names.here)
      if (!Object.hasOwn(beside, name)) this.#count(this.additions, `${path} ${place}.${name}`);
    for (const name of names.beside) {
      const there = Object.hasOwn(here, name) ? here[name] : undefined;
      const found = this.#value(path, `${place}.${name}`, name, there, beside[name]);
      if (found !== null) return { within: { here: shown(here), beside: shown(beside) }, ...found };
    }
    const isInOrder = common.here.every((name, index) => name === common.beside[index]);
    return isInOrder ? null : this.#differ(path, `${place} (order)`, common.here.join(), common.beside.join());
  }

  #add(path: string, place: string): null {
    this.#count(this.additions, `${path} ${place}`);
    return null;
  }

  #differ(path: string, place: string, here: unknown, beside: unknown): Difference | null {
    const values = { here: shown(here), beside: shown(beside) };
    const reason = differingPlaces(path).has(place)
      ? 'differs between machines, as the example in the reference says'
      : this.#declared.find(
          (each) =>
            each.path.test(path) &&
            each.place.test(place) &&
            (each.values?.here.test(values.here) ?? true) &&
            (each.values?.beside.test(values.beside) ?? true),
        )?.reason;
    if (reason === undefined) return { place, ...values };
    this.#mean(reason);
    return null;
  }

  /** Counts a difference that is meant. */
  #mean(reason: string): void {
    this.meant += 1;
    this.#count(this.declaredMet, reason);
  }

  #count(counts: Map<string, number>, name: string): void {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The time by which lists are ordered; undefined for other values. */
function momentOf(entry: unknown): unknown {
  return isObject(entry) ? (entry.at ?? entry.firstSeen ?? entry.createdAt) : undefined;
}

/**
 * An entry of a list in the place of another. The number of an event counts the events of its license, so it belongs to
 * the place.
 */
function inPlaceOf(entry: unknown, other: unknown): unknown {
  if (!isObject(entry) || !isObject(other)) return entry;
  if (isObject(entry.event)) return { ...entry, event: inPlaceOf(entry.event, other.event) };
  const isNumbered = Object.hasOwn(entry, 'licenseNumber') && entry.licenseKey === other.licenseKey;
  return isNumbered ? { ...entry, licenseNumber: other.licenseNumber } : entry;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shown(value: unknown): string {
  return value === undefined ? ABSENT : typeof value === 'string' ? value : JSON.stringify(value);
}

/** The words that a refusal of this version lists beyond those of the other version; null if the texts differ more. */
function addedWords(here: string, beside: string): string | null {
  const LIST = /^(.* must be (?:one of|a list of at most \d+ of) )(.*)$/s;
  const [, beginning, list] = LIST.exec(here) ?? [];
  const [, otherBeginning, otherList] = LIST.exec(beside) ?? [];
  if (list === undefined || otherList === undefined || beginning !== otherBeginning) return null;
  const [words, others] = [list.split(', '), otherList.split(', ')];
  const added = words.filter((word) => !others.includes(word));
  const isSuperset = words.filter((word) => others.includes(word)).join() === others.join();
  return isSuperset && added.length > 0 ? added.join(', ') : null;
}

/** The places of an endpoint's reply that differ between machines. */
function differingPlaces(path: string): ReadonlySet<string> {
  return new Set(endpointsByPath.get(path)?.example.differing?.map((place) => `body.${place}`) ?? []);
}
