/** A random walk: steps drawn from a seed, played to the reference and to another client at the same time. */
import { isDeepStrictEqual } from 'node:util';
import type { Drivers } from './drivers.ts';
import { millisecondsOf } from './durations.ts';
import type { Fault } from './front.ts';
import { passTime } from './passing.ts';
import { Play } from './play.ts';
import type { Step } from './scenario.ts';
import type { World } from './world.ts';

/** A generator of numbers from 0 up to 1 (mulberry32), the same for a seed on every machine. */
function numbersOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const KEYS = ['bought', 'subscribed', 'floating', 'other'] as const;
const APPS = ['a', 'a2', 'b'] as const;

const NETWORKS: readonly (string | Fault)[] = [
  ...['up', 'up', 'up', 'down', 'html', 'half', 'lost'],
  {
    do: 'answer',
    status: 503,
    headers: { 'retry-after': '90' },
    body: { valid: false, success: false, error: 'busy' },
  },
  { do: 'answer', status: 500, body: { valid: false, success: false, error: 'License has been revoked' } },
  { do: 'answer', status: 302, headers: { location: 'https://elsewhere.example/' }, body: { valid: true } },
  { do: 'answer', status: 403, headers: { 'latchkey-code': 'a_new_code' }, body: { valid: false, success: false } },
  { do: 'change', headers: { 'latchkey-code': null } },
  { do: 'change', headers: { date: null } },
  { do: 'change', body: { error: 'In other words', later: { nested: [1, null] } } },
  { do: 'text', text: '{"valid":true,"success":true}' },
];

/** Steps of one app, or of the world around it. */
type Draw = (walk: Walk) => Step;

const command =
  (...dos: readonly string[]): Draw =>
  (walk) => ({ app: walk.app(), do: walk.one(dos) });

/** How often each kind of step comes, and how it is drawn. */
const KINDS: readonly (readonly [weight: number, draw: Draw])[] = [
  [30, (walk) => ({ pass: walk.one(['1s', '10s', '45s', '5m', '17m', '1h', '3h']) })],
  [6, (walk) => ({ pass: walk.one(walk.isFloating ? ['2h', '16h'] : ['1d', '2d', '8d', '25d', '40d']) })],
  [12, command('check', 'check', 'state')],
  [6, (walk) => ({ app: walk.app(), do: 'activate', key: walk.key() })],
  [2, (walk) => ({ app: walk.app(), do: 'activate' })],
  [1, (walk) => ({ app: walk.app(), do: 'activate', key: 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE' })],
  [1, command('deactivate')],
  [4, command('close')],
  [8, (walk) => ({ open: walk.app(), options: walk.options })],
  [2, (walk) => ({ app: walk.app(), do: 'start' })],
  [8, (walk) => ({ network: walk.one(NETWORKS), machine: walk.machine() })],
  [8, (walk) => ({ network: 'up', machine: walk.machine() })],
  [2, (walk) => ({ admin: walk.one(['/revokeLicense', '/reinstateLicense', '/resetActivations']), key: walk.name() })],
  [3, (walk) => ({ admin: '/reinstateLicense', key: walk.name() })],
  [
    3,
    (walk) => ({
      admin: '/updateLicense',
      key: walk.one(['subscribed', 'other']),
      with: { expiresAt: { in: walk.one(['-1h', '1h', '3d', '40d']) } },
    }),
  ],
  [1, (walk) => ({ clock: walk.one(['-400d', '-2h', '2d', '100d']), machine: walk.machine() })],
  [2, (walk) => ({ clock: 'right', machine: walk.machine() })],
  [1, (walk) => ({ edit: 'state', machine: walk.machine(), cut: 40 })],
  [1, (walk) => ({ edit: 'state', machine: walk.machine(), remove: true })],
  [1, (walk) => ({ edit: 'state', machine: walk.machine(), set: { v: 2 } })],
];

const WHOLE = KINDS.reduce((sum, [weight]) => sum + weight, 0);

export class Walk {
  readonly #plays: readonly Play[];
  readonly #random: () => number;
  readonly #seed: number;
  readonly #world: World;
  /** Whether this walk has floating licenses; their heartbeats make long times slow. */
  readonly isFloating: boolean;
  readonly options: { readonly trust: true } | Readonly<Record<never, never>>;

  constructor(world: World, sides: readonly Drivers[], seed: number) {
    this.#world = world;
    this.#plays = sides.map((drivers) => new Play(world, drivers, true));
    this.#seed = seed;
    this.#random = numbersOf(seed);
    this.isFloating = seed % 2 === 0;
    this.options = seed % 3 === 0 ? {} : { trust: true };
  }

  one<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#random() * values.length)] as Value;
  }

  name(): string {
    return this.one(this.isFloating ? KEYS : KEYS.filter((key) => key !== 'floating'));
  }

  key(): string {
    return `{${this.name()}}`;
  }

  app(): string {
    return this.one(APPS);
  }

  machine(): string {
    return this.one(['a', 'b']);
  }

  /** Plays the steps. Returns the first difference; null without one. */
  async run(steps: number): Promise<string | null> {
    try {
      await this.#both({ license: 'bought', with: { maxMachines: 1 } });
      await this.#both({ license: 'subscribed', with: { maxMachines: 2, expiresAt: { in: '30d' } } });
      await this.#both({ license: 'floating', with: { licenseType: 'floating', maxConcurrent: 1 } });
      await this.#both({ license: 'other', with: { maxMachines: 2, expiresAt: { in: '400d' } } });
      for (const app of APPS) await this.#both({ open: app, options: this.options });
      for (let index = 0; index < steps; index++) {
        const step = this.#draw();
        const failure = await this.#both(step);
        if (failure !== null) return `step ${index + 1} of ${steps}, ${JSON.stringify(step)}: ${failure}`;
      }
      return null;
    } catch (error) {
      return (error as Error).message;
    } finally {
      for (const play of this.#plays) await play.end();
    }
  }

  #draw(): Step {
    let left = this.#random() * WHOLE;
    for (const [weight, draw] of KINDS) {
      left -= weight;
      if (left < 0) return draw(this);
    }
    throw new Error(`seed ${this.#seed} drew nothing`);
  }

  /** Plays a step at the same time on each side. Returns the first difference. */
  async #both(step: Step): Promise<string | null> {
    if ('pass' in step) await passTime(this.#plays, this.#world, millisecondsOf(String(step.pass)));
    else for (const play of this.#plays) await play.step(step);
    const [reference = [], other = []] = this.#plays.map((play) => play.trace.splice(0));
    for (const [index, awaited] of reference.entries())
      if (!isDeepStrictEqual(other[index], awaited))
        return `\n${JSON.stringify(other[index])}\n${JSON.stringify(awaited)} (the reference)`;
    return other.length === reference.length ? null : `${other.length} answers, not ${reference.length}`;
  }
}
