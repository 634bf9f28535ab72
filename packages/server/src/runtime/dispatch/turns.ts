/**
 * The calls that wait in the queue of other work, by party. Parties take turns: the next call is of the party whose
 * last call began or ended longest ago. So a party with a thousand waiting calls delays another one by a single call.
 */
import type { Party } from './parties.ts';

/** A read answers long lists and waits for no lock; a write answers little. */
export type WorkKind = 'read' | 'write';

export const WORK_KINDS: readonly WorkKind[] = ['read', 'write'];

/** A call that waits. */
export interface Waiting {
  readonly kind: WorkKind;
  /** Counts the waiting calls. */
  readonly number: number;
  /** Arrival, in milliseconds since an arbitrary moment. */
  readonly since: number;
  readonly begin: () => void;
  /** Undefined for work that must not be refused. */
  readonly refuse: ((retryAfterSeconds: number) => void) | undefined;
}

/** A waiting call that may be refused. */
export type RefusableCall = Waiting & { readonly refuse: NonNullable<Waiting['refuse']> };

/** A party with calls that wait or are under way. */
export interface Turn {
  readonly party: Party;
  /** In order of arrival. */
  readonly waiting: Readonly<Record<WorkKind, Set<Waiting>>>;
  underWay: number;
  /** When a call of the party last began or ended, else when its first call came; counts such moments. */
  movedAt: number;
}

/** The calls of each kind that begin before a call that comes now. */
export type Ahead = Readonly<Record<WorkKind, number>>;

export class Turns {
  readonly #turns = new Map<string, Turn>();
  /** Counts arrivals, beginnings and ends. */
  #moment = 0;
  #waiting = 0;
  #othersUnderWay = 0;

  /** Number of waiting calls. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Calls under way of the parties that do not go ahead. */
  get othersUnderWay(): number {
    return this.#othersUnderWay;
  }

  /** The turn of a party; made if it has no call. */
  of(party: Party): Turn {
    let turn = this.#turns.get(party.name);
    if (turn === undefined) {
      turn = { party, waiting: { read: new Set(), write: new Set() }, underWay: 0, movedAt: ++this.#moment };
      this.#turns.set(party.name, turn);
    }
    return turn;
  }

  add(turn: Turn, call: Omit<Waiting, 'number'>): void {
    turn.waiting[call.kind].add({ ...call, number: ++this.#moment });
    this.#waiting += 1;
  }

  /** Takes a call out of the queue, which then begins or is refused. */
  remove(turn: Turn, call: Waiting): void {
    if (turn.waiting[call.kind].delete(call)) this.#waiting -= 1;
  }

  begin(turn: Turn): void {
    this.#move(turn, 1);
  }

  end(turn: Turn): void {
    this.#move(turn, -1);
    this.forgetIdle(turn);
  }

  /** Forgets a party without calls. */
  forgetIdle(turn: Turn): void {
    if (turn.underWay === 0 && callsOf(turn) === 0) this.#turns.delete(turn.party.name);
  }

  /** The next call and its party, among those that may start; undefined if there is none. */
  next(mayStart: (turn: Turn, kind: WorkKind) => boolean): { readonly turn: Turn; readonly call: Waiting } | undefined {
    let next: { readonly turn: Turn; readonly call: Waiting } | undefined;
    for (const turn of this.#turns.values()) {
      if (next !== undefined && !isBefore(turn, next.turn)) continue;
      const call = firstOf(turn, (kind) => mayStart(turn, kind));
      if (call !== undefined) next = { turn, call };
    }
    return next;
  }

  /**
   * Counts the waiting calls that begin before a call that comes now. A party that takes no further place at present
   * has moved on by the time that it may.
   *
   * @param kind of the call that comes
   * @param hasShare true if a party uses all its places
   */
  aheadOf(own: Turn, kind: WorkKind, hasShare: (turn: Turn) => boolean): Ahead {
    const ahead = { read: 0, write: 0 };
    const rounds = own.waiting[kind].size;
    for (const turn of this.#turns.values()) {
      if (own.party.goesAhead && !turn.party.goesAhead) continue;
      const isAhead = turn === own || (turn.party.goesAhead && !own.party.goesAhead);
      let left = isAhead ? Number.POSITIVE_INFINITY : rounds + (turn.movedAt < own.movedAt && !hasShare(turn) ? 1 : 0);
      for (const each of [kind, kind === 'read' ? 'write' : 'read'] as const) {
        const taken = Math.min(turn.waiting[each].size, left);
        ahead[each] += taken;
        left -= taken;
      }
    }
    return ahead;
  }

  /** Arrival of the oldest waiting call of a kind; undefined if none waits. */
  oldest(kind: WorkKind): number | undefined {
    let oldest: number | undefined;
    for (const { waiting } of this.#turns.values()) {
      const [first] = waiting[kind];
      if (first !== undefined && (oldest === undefined || first.since < oldest)) oldest = first.since;
    }
    return oldest;
  }

  /** Arrival of the oldest waiting call that may be refused; undefined if none waits. */
  oldestRefusable(): number | undefined {
    let oldest = Number.POSITIVE_INFINITY;
    for (const { waiting } of this.#turns.values())
      for (const kind of WORK_KINDS)
        oldest = Math.min(oldest, waiting[kind].values().find(isRefusable)?.since ?? Number.POSITIVE_INFINITY);
    return oldest === Number.POSITIVE_INFINITY ? undefined : oldest;
  }

  /** The waiting calls that may be refused and came at this moment or earlier. */
  refusableBefore(moment: number): readonly { readonly turn: Turn; readonly call: RefusableCall }[] {
    return [...this.#turns.values()].flatMap((turn) =>
      WORK_KINDS.flatMap((kind) => {
        const old = [];
        for (const call of turn.waiting[kind]) {
          if (call.since > moment) break;
          if (isRefusable(call)) old.push({ turn, call });
        }
        return old;
      }),
    );
  }

  /**
   * The youngest call of the party with the most waiting calls, to be refused in place of a newcomer; undefined if no
   * party has more than the newcomer's. Parties that go ahead lose no call to others.
   */
  mostWaiting(newcomer: Turn): { readonly turn: Turn; readonly call: RefusableCall } | undefined {
    const isEqual = ({ party }: Turn) => party.goesAhead === newcomer.party.goesAhead;
    const weaker = [...this.#turns.values()].filter(
      (turn) => newcomer.party.goesAhead && !turn.party.goesAhead && callsOf(turn) > 0,
    );
    const most = (weaker.length > 0 ? weaker : [...this.#turns.values()].filter(isEqual)).reduce(
      (one, other) => (callsOf(other) > callsOf(one) ? other : one),
      weaker[0] ?? newcomer,
    );
    if (weaker.length === 0 && callsOf(most) <= callsOf(newcomer) + 1) return;
    const calls = WORK_KINDS.flatMap((kind) => [...most.waiting[kind]]).filter(isRefusable);
    const [first, ...others] = calls;
    if (first === undefined) return;
    return { turn: most, call: others.reduce((one, other) => (other.number > one.number ? other : one), first) };
  }

  #move(turn: Turn, step: 1 | -1): void {
    turn.underWay += step;
    turn.movedAt = ++this.#moment;
    if (!turn.party.goesAhead) this.#othersUnderWay += step;
  }
}

function isRefusable(call: Waiting): call is RefusableCall {
  return call.refuse !== undefined;
}

function callsOf({ waiting }: Turn): number {
  return waiting.read.size + waiting.write.size;
}

function isBefore(one: Turn, other: Turn): boolean {
  if (one.party.goesAhead !== other.party.goesAhead) return one.party.goesAhead;
  return one.movedAt < other.movedAt;
}

/** The first call of a party among those of the kinds that may start. */
function firstOf({ waiting }: Turn, mayStart: (kind: WorkKind) => boolean): Waiting | undefined {
  let first: Waiting | undefined;
  for (const kind of WORK_KINDS) {
    const [call] = waiting[kind];
    if (call === undefined || (first !== undefined && first.number < call.number)) continue;
    if (mayStart(kind)) first = call;
  }
  return first;
}
