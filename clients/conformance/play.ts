/** One playing of a scenario, or of a random walk: gives each step to the part that it is about. */
import { Apps } from './apps.ts';
import type { Drivers } from './drivers.ts';
import { millisecondsOf } from './durations.ts';
import { MachineSteps } from './machine-steps.ts';
import { Operator } from './operator.ts';
import type { Step } from './scenario.ts';
import { isOfService, playOnService } from './service-steps.ts';
import { Stage } from './stage.ts';
import type { World } from './world.ts';

export class Play {
  readonly #stage: Stage;
  readonly #operator: Operator;
  readonly #machines: MachineSteps;
  readonly apps: Apps;

  /** @param isLenient whether functions may fail, as on a random walk, which compares failures instead */
  constructor(world: World, drivers: Drivers, isLenient = false) {
    this.#stage = new Stage(world);
    this.#operator = new Operator(this.#stage, isLenient);
    this.#machines = new MachineSteps(this.#stage);
    this.apps = new Apps(this.#stage, drivers, isLenient);
  }

  /** Plays a whole scenario, and leaves the service as it was found. */
  async run(steps: readonly Step[]): Promise<void> {
    this.apps.mention(steps);
    try {
      for (const [index, step] of steps.entries()) {
        await this.step(step).catch((error: Error) => {
          const at = `step ${index + 1}, ${JSON.stringify(step).slice(0, 300)}`;
          throw new Error(`${at}: ${error.message}`, { cause: error });
        });
      }
    } finally {
      await this.#stage.world.settle();
    }
  }

  async step(step: Step): Promise<void> {
    // Steps of the operator may name the fingerprint of a machine that has no app yet.
    for (const [, name = ''] of JSON.stringify(step).matchAll(/\{fp-(\w+)\}/g)) await this.#stage.machineOf(name);
    if ('app' in step) return this.apps.command(step);
    if ('open' in step) return this.apps.open(step);
    if ('kill' in step) return this.apps.kill(step.kill);
    if ('pass' in step) return this.apps.pass(step);
    if ('sleep' in step) return this.apps.sleep(millisecondsOf(step.sleep));
    if ('disk' in step) return this.apps.setDisk(step);
    if ('fingerprint' in step) return this.apps.mustHaveSentFingerprint();
    if ('license' in step) return this.#operator.makeLicense(step);
    if ('admin' in step) return this.#operator.call(step);
    if ('rival' in step) return this.#operator.rival(step);
    if ('used' in step) return this.#operator.mustHaveUsed(step);
    if ('network' in step) return this.#machines.setNetwork(step);
    if ('clock' in step) return this.#machines.setClock(step);
    if ('edit' in step) return this.#machines.edit(step);
    if ('alter' in step) return this.#machines.alter(step);
    if ('stored' in step) return this.#machines.mustHaveStored(step);
    if ('files' in step) return this.#machines.mustHaveFiles(step);
    if ('folder' in step) return this.#machines.mustBePrivate(step);
    if (isOfService(step)) return playOnService(this.#stage.world, step);
    return this.#stage.keepTrust(step.trust);
  }

  /** Ends the apps and removes their machines. */
  async end(): Promise<void> {
    await this.apps.end();
    await this.#stage.end();
  }
}
