/** The steps of machines: their network, their clock, and the folder of the stored state. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { millisecondsOf } from './durations.ts';
import { edit } from './edit.ts';
import { FAULTS } from './faults.ts';
import { mustMatch } from './matching.ts';
import type { StepOf } from './scenario.ts';
import type { Stage } from './stage.ts';

export class MachineSteps {
  readonly #stage: Stage;
  readonly #copies = new Map<string, string>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Sets the faults of one machine, or of all. */
  async setNetwork({ network, machine }: StepOf<'network'>): Promise<void> {
    const { names, machines, world } = this.#stage;
    const faults = typeof network === 'string' ? FAULTS[network] : [network].flat();
    if (faults === undefined) throw new Error(`no network is called ${network}`);
    const met = machine === undefined ? machines : [await this.#stage.machineOf(machine)];
    for (const { id } of met) world.front.faults.set(id, names.filled([...faults]));
  }

  async setClock({ clock, machine: name = 'a' }: StepOf<'clock'>): Promise<void> {
    const machine = await this.#stage.machineOf(name);
    machine.skewMs = clock === 'right' ? 0 : machine.skewMs + millisecondsOf(clock);
  }

  async edit(step: StepOf<'edit'>): Promise<void> {
    const { names, world } = this.#stage;
    const { set = {}, text, ...same } = step;
    const given = { ...same, set: names.timed(set), ...(text === undefined ? {} : { text: names.filled(text) }) };
    await edit(await this.#stage.machineOf(step.machine ?? 'a'), given, this.#copies, world.now);
  }

  /** Another first letter of the signature: in the payload, it might make the text no file at all. */
  alter({ alter, as }: StepOf<'alter'>): void {
    const { names } = this.#stage;
    const altered = names
      .filled(`{${alter}}`)
      .replace(/\.(\s*)([\w-])([^.]*)$/, (_, blanks, letter, rest) => `.${blanks}${letter === 'A' ? 'B' : 'A'}${rest}`);
    names.set(as, altered);
  }

  async mustHaveStored({ stored, machine = 'a' }: StepOf<'stored'>): Promise<void> {
    const { names, world } = this.#stage;
    const text = await (await this.#stage.machineOf(machine)).text();
    if (stored === null) return assert.equal(text, null);
    mustMatch(JSON.parse(text ?? 'null'), names.named(stored), world.now, 'stored');
  }

  async mustHaveFiles({ files, machine = 'a' }: StepOf<'files'>): Promise<void> {
    assert.deepEqual(await (await this.#stage.machineOf(machine)).files(), files);
  }

  /** Others may read neither the folder nor the stored state. */
  async mustBePrivate({ machine: name = 'a' }: StepOf<'folder'>): Promise<void> {
    const machine = await this.#stage.machineOf(name);
    const paths = [machine.directory, machine.place('state')];
    const modes = await Promise.all(paths.map(async (path) => (await stat(path)).mode & 0o777));
    assert.deepEqual(modes, [0o700, 0o600]);
  }
}
