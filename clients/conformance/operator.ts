/** The steps of the operator, and of other customers of the same licenses. */
import assert from 'node:assert/strict';
import type { StepOf } from './scenario.ts';
import type { Stage } from './stage.ts';

const RIVAL = 'a rival';

export class Operator {
  readonly #stage: Stage;
  readonly #isLenient: boolean;
  readonly #rivals = new Map<string, { readonly fingerprint: string; readonly token: string }>();

  /** @param isLenient whether a call may fail, and then changes nothing */
  constructor(stage: Stage, isLenient: boolean) {
    this.#stage = stage;
    this.#isLenient = isLenient;
  }

  async makeLicense({ license, with: order = {} }: StepOf<'license'>): Promise<void> {
    const { names, world } = this.#stage;
    const whole = { email: 'ada@example.com', productId: 'app', ...names.filled(order) };
    const { licenseKey } = await world.service.admin('/createLicense', whole);
    names.setKey(license, licenseKey);
  }

  async call({ admin, key, with: fields = {}, take = '', as }: StepOf<'admin'>): Promise<void> {
    const { names, world } = this.#stage;
    const license = key === undefined ? {} : { licenseKey: this.#keyOf(key) };
    const called = world.service.admin(admin, { ...license, ...names.filled(fields) });
    const answer = await (this.#isLenient ? called.catch(() => null) : called);
    if (as === undefined || answer === null) return;
    const taken = String(answer[take]);
    if (take === 'licenseKey') names.setKey(as, taken);
    else names.set(as, taken);
  }

  /** Another machine takes slots of a license, or gives them back. */
  async rival({ rival, key, name = 'rival', times = 1 }: StepOf<'rival'>): Promise<void> {
    for (let time = 0; time < times; time++)
      await (rival === 'takes' ? this.#takeSlot(key, `${key} ${name}`) : this.#leaveSlot(key, `${key} ${name}`));
  }

  async #takeSlot(key: string, rival: string): Promise<void> {
    const { world } = this.#stage;
    const fingerprint = `${RIVAL} ${world.nextMachine()}`;
    const machine = { machineFingerprint: fingerprint, hostname: RIVAL, productId: 'app' };
    const { token } = await world.service.admin('/activate', { licenseKey: this.#keyOf(key), ...machine });
    this.#rivals.set(rival, { fingerprint, token });
  }

  async #leaveSlot(key: string, rival: string): Promise<void> {
    const { fingerprint, token } = this.#rivals.get(rival)!;
    const fields = { licenseKey: this.#keyOf(key), machineFingerprint: fingerprint, token };
    await this.#stage.world.service.admin('/deactivate', fields);
  }

  async mustHaveUsed({ used, key }: StepOf<'used'>): Promise<void> {
    const fields = { licenseKey: this.#keyOf(key) };
    const { activationCount } = await this.#stage.world.service.admin('/getLicense', fields);
    assert.equal(activationCount, used, `${key} has ${activationCount} activations`);
  }

  #keyOf(name: string): string {
    return this.#stage.names.filled(`{${name}}`);
  }
}
