/** Sends the same calls to two versions, one after the other, and compares the answers. */
import { setTimeout as wait } from 'node:timers/promises';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/ground/base/clock.ts';
import { randomOf } from '../../test/faults/random.ts';
import { ADMIN_SECRET, WEBHOOK_SECRET } from '../../test/support/app.ts';
import { type Call, Calls, LONGEST_STEP_MS, wireCall } from './calls.ts';
import type { ComparedService, LentClock } from './compared-service.ts';
import { Comparison, type Difference, type WireAnswer } from './comparison.ts';
import { isOneIn } from './field-values.ts';
import { withoutGenerated } from './generated-values.ts';
import { KnownThings } from './known-things.ts';
import { firstCalls, signIns } from './opening.ts';
import type { OtherVersion } from './other-version.ts';
import { type Both, forReport, type Side, Twins } from './twins.ts';

/** A difference as it is reported, without secrets. */
export interface ReportedDifference extends Difference {
  /** Number of the call in the run. */
  readonly number: number;
  readonly call: string;
  /** The parts of the answers that hold the place. */
  readonly answers: Both<string>;
}

/** The outcome of a run. */
export interface LockstepReport {
  readonly calls: number;
  readonly differences: readonly ReportedDifference[];
  readonly differing: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly additions: ReadonlyMap<string, number>;
  readonly declaredMet: ReadonlyMap<string, number>;
  /** Endpoints that never answered with a success. */
  readonly withoutSuccess: readonly string[];
  /** Reads that agreed when they were sent again. */
  readonly agreedLater: number;
}

export interface LockstepOptions {
  readonly services: Both<ComparedService>;
  readonly clock: LentClock;
  readonly other: OtherVersion;
  readonly seed: number;
  readonly calls: number;
  /** Paths of endpoints that are not called. */
  readonly without?: ReadonlySet<string>;
  /** Told how far the run is. */
  readonly say?: (line: string) => void;
  /** Told of each difference that is reported, at once. */
  readonly tell?: (difference: ReportedDifference) => void;
}

/** So many differences are reported in full. */
const MAX_REPORTED = 20;
/** Calls that count the refusals that are written so far, and drop repeats of violations that are not. */
const DROPS_UNWRITTEN = new Set(['/forgetCustomer']);
/**
 * Refusals are written some ten milliseconds after the call, and later on a busy machine. Two of one machine within an
 * hour are one row if they are written together, so the clock takes no long step before that.
 */
const WRITTEN_MS = 400;
/** Longest part of an answer in a report. */
const MAX_SHOWN = 1500;
/**
 * A service writes counts and refusals a moment after the call, at a moment of its own, and repeats of a violation at
 * most once a minute. A read that differs is sent again, after a pause, and sometimes a minute later: often before the
 * first difference is reported, because a busy machine may take long, and less often afterwards.
 */
const FIRST_REPEATS = 40;
const REPEATS = 8;
const PAUSE_MS = 150;
const REPEATS_PER_MINUTE = 4;

/** See the head of this file. */
export async function runInLockstep(options: LockstepOptions): Promise<LockstepReport> {
  const { clock, other, seed, calls, without = new Set(), say = () => {} } = options;
  const random = randomOf(seed);
  const run = new Run(options, new KnownThings(random));
  const drawn = new Calls(random, run.known, () => clock.now, other, without);
  const sendLater = async (call: Call, milliseconds: number) => {
    if (milliseconds > MINUTE_MS) await wait(WRITTEN_MS);
    clock.move(milliseconds);
    await run.send(call);
  };
  for (const call of firstCalls()) await sendLater(call, SECOND_MS);
  for (const call of signIns(run.known)) await sendLater(call, SECOND_MS);
  // No key signs in twice within an hour.
  clock.move(HOUR_MS);
  while (run.calls < calls && run.differing < MAX_DIFFERING) {
    await sendLater(drawn.draw(), timeBetween(random));
    if (run.calls % CALLS_PER_LINE === 0) say(`${run.calls} calls, ${run.differing} answers differ`);
  }
  return run.report(drawn.paths);
}

/** A line of progress for so many calls. */
const CALLS_PER_LINE = 1000;
/** A run with so many differences ends, because the two databases have gone different ways. */
const MAX_DIFFERING = 500;

/** Seconds between most calls; minutes or hours between some, so that sessions, tokens and licenses end. */
function timeBetween(random: (bound: number) => number): number {
  if (isOneIn(random, 400)) return random(LONGEST_STEP_MS);
  if (isOneIn(random, 60)) return random(45 * MINUTE_MS);
  return 1 + random(isOneIn(random, 4) ? MINUTE_MS : 2 * SECOND_MS);
}

/** The calls of a run so far, and the outcome. */
class Run {
  readonly known: KnownThings;
  calls = 0;
  differing = 0;
  readonly #services: Both<ComparedService>;
  readonly #clock: LentClock;
  readonly #other: OtherVersion;
  readonly #twins = new Twins();
  readonly #comparison = new Comparison(this.#twins);
  readonly #differences: ReportedDifference[] = [];
  readonly #statuses: Record<number, number> = {};
  readonly #succeeded = new Set<string>();
  readonly #tell: NonNullable<LockstepOptions['tell']>;
  #agreedLater = 0;

  constructor({ services, clock, other, tell = () => {} }: LockstepOptions, known: KnownThings) {
    this.#tell = tell;
    this.#clock = clock;
    this.#services = services;
    this.#other = other;
    this.known = known;
  }

  /** Sends a call to both versions, and compares the answers. */
  async send(call: Call): Promise<void> {
    this.calls += 1;
    if (DROPS_UNWRITTEN.has(call.path)) {
      this.#clock.move(MINUTE_MS);
      await wait(WRITTEN_MS);
    }
    const meant = this.#comparison.meant;
    const { answers, difference } = await this.#compared(call);
    const isAlike = this.#comparison.meant === meant;
    const { status } = answers.here;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (difference !== null) {
      this.differing += 1;
      if (this.#differences.length === MAX_REPORTED) return;
      const shown = reported(this.calls, call, difference, answers, this.#twins);
      this.#differences.push(shown);
      this.#tell(shown);
    } else if (status < 300 && this.#other.has(call.path) && call.method !== 'OPTIONS') {
      this.#succeeded.add(call.path);
      if (!isAlike) return;
      this.known.learn(call, answers.here.body, cookieIn(answers.here, this.#twins), this.#twins);
    }
  }

  /** Sends a read that differs again and again: until it agrees, or until the patience ends. */
  async #compared(call: Call): Promise<{ readonly answers: Both<WireAnswer>; readonly difference: Difference | null }> {
    const patience = this.differing === 0 ? FIRST_REPEATS : REPEATS;
    for (let repeat = 0; ; repeat += 1) {
      const answers = await this.#ask(call);
      const difference = this.#differenceIn(call, answers);
      if (difference === null && repeat > 0) this.#agreedLater += 1;
      if (difference === null || !call.isRead || repeat === patience) return { answers, difference };
      await wait(PAUSE_MS);
      if (repeat % REPEATS_PER_MINUTE === 1) this.#clock.move(MINUTE_MS);
    }
  }

  async #ask(call: Call): Promise<Both<WireAnswer>> {
    const [here, beside] = await Promise.all([
      this.#services.here.ask(wireCall(call, 'here')),
      this.#services.beside.ask(wireCall(call, 'beside')),
    ]);
    return { here, beside };
  }

  /** A failure is a difference even if both versions fail. */
  #differenceIn({ path, fields }: Call, answers: Both<WireAnswer>): Difference | null {
    const { here, beside } = answers;
    if (here.status === 500) return { place: 'status', here: '500', beside: String(beside.status) };
    return this.#comparison.difference(path, answers, Object.keys(fields).some(isCursor));
  }

  /** The outcome; `paths` are those of the endpoints that were called. */
  report(paths: readonly string[]): LockstepReport {
    return {
      calls: this.calls,
      differences: this.#differences,
      differing: this.differing,
      statuses: this.#statuses,
      additions: this.#comparison.additions,
      declaredMet: this.#comparison.declaredMet,
      withoutSuccess: paths.filter((path) => !this.#succeeded.has(path)),
      agreedLater: this.#agreedLater,
    };
  }
}

const isCursor = (field: string) => /cursor$/i.test(field);

/** The parts of the header `Cookie` for a session that has begun. */
function cookieIn({ headers }: WireAnswer, twins: Twins): readonly unknown[] | undefined {
  const [, name, value = ''] = /^([^=;]+)=([^;]+);/.exec(headers['set-cookie'] ?? '') ?? [];
  const twin = twins.of('here', value);
  return name === undefined || twin === undefined ? undefined : [`${name}=`, twin];
}

function reported(
  number: number,
  call: Call,
  { place, here, beside, within }: Difference,
  answers: Both<WireAnswer>,
  twins: Twins,
): ReportedDifference {
  const safe = (text: string, side: Side) => withoutSecrets(withoutGenerated(text, side, twins)).slice(0, MAX_SHOWN);
  const shown = (side: Side) => safe(within?.[side] ?? `${answers[side].status} ${answers[side].body}`, side);
  const { method, path, fields, rawBody, headers } = call;
  const sent = rawBody ?? JSON.stringify(forReport(fields));
  const lines = Object.entries(headers).map(([name, parts]) => `${name}: ${parts.map(String).join('')}`);
  return {
    number,
    call: withoutSecrets(`${method} ${path} ${sent} (${lines.join(', ')})`).slice(0, MAX_SHOWN),
    place,
    here: safe(here, 'here'),
    beside: safe(beside, 'beside'),
    answers: { here: shown('here'), beside: shown('beside') },
  };
}

function withoutSecrets(text: string): string {
  return text.replaceAll(ADMIN_SECRET, '<admin secret>').replaceAll(WEBHOOK_SECRET, '<webhook secret>');
}
