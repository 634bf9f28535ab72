/** The things that all parts of a playing share: the world, its names, its machines, and the signing keys it keeps. */
import { Machine } from './machine.ts';
import { Names } from './names.ts';
import type { Trust, World } from './world.ts';

/** The reading of each monotonic clock when a playing begins. */
const MONOTONIC_AT_START = 1_000_000;

/** The fingerprint that apps on a machine have unless their options give another one. */
export function fingerprintOf({ id }: Machine): string {
  return `fingerprint of ${id}`;
}

export class Stage {
  readonly world: World;
  readonly names: Names;
  /** Kept signing keys by their names. */
  readonly trusts = new Map<string, Trust>();
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly #machines = new Map<string, Machine>();

  constructor(world: World) {
    this.world = world;
    // Answers tell the time in whole seconds, so only playings that begin with a second agree.
    world.now = Math.ceil(world.now / 1000) * 1000;
    this.startedAt = world.now;
    this.names = new Names(() => world.now);
    this.names.set('product', `product-of-${world.nextMachine()}`);
  }

  get machines(): readonly Machine[] {
    return [...this.#machines.values()];
  }

  /** The machine of an app: `a2` runs on the machine `a`. */
  async machineOf(app: string): Promise<Machine> {
    const name = app.replace(/\d+$/, '');
    const known = this.#machines.get(name);
    if (known !== undefined) return known;
    const machine = await Machine.make(name, this.world.nextMachine());
    this.#machines.set(name, machine);
    this.names.set(`fp-${name}`, fingerprintOf(machine));
    return machine;
  }

  /** The readings of a machine's clocks. */
  timesOf({ skewMs, sleptMs }: Machine): { readonly now: number; readonly monotonic: number } {
    const { now } = this.world;
    return { now: now + skewMs, monotonic: now - this.startedAt + MONOTONIC_AT_START - sleptMs };
  }

  /** Keeps the present signing keys, and their ids as names: `{name-0}` is the first one's. */
  async keepTrust(name: string): Promise<void> {
    const trust = await this.world.trust();
    this.trusts.set(name, trust);
    for (const [index, { kid }] of trust.publicKeys.entries()) this.names.set(`${name}-${index}`, kid);
    this.names.set(`${name}-last`, trust.publicKeys.at(-1)?.kid ?? '');
  }

  /** Removes the machines. */
  async end(): Promise<void> {
    for (const machine of this.#machines.values()) {
      this.world.front.faults.delete(machine.id);
      await machine.discard();
    }
  }
}
