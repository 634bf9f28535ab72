/** An app on one computer, with the license key that its user entered: it activates, validates and sends heartbeats. */
import type { Answer } from '../service-client.ts';
import type { Calls } from './calls.ts';
import type { Machine } from './people.ts';

/** The license of an app. */
export interface UsedLicense {
  readonly licenseKey: string;
  readonly productId: string;
}

export class App {
  readonly license: UsedLicense;
  readonly machine: Machine;
  /** Current country of its user. */
  country: string;
  token: string | null = null;
  /** Whether it holds a seat of a floating license and intends to keep it. */
  isLive = false;
  readonly #calls: Calls;

  constructor(calls: Calls, license: UsedLicense, machine: Machine, country: string) {
    this.#calls = calls;
    this.license = license;
    this.machine = machine;
    this.country = country;
  }

  /** Requests a slot. Returns the code of the refusal; null on success. */
  async activate(): Promise<string | null> {
    const { licenseKey, productId } = this.license;
    const { fingerprint: machineFingerprint, hostname, user } = this.machine;
    const named = user === undefined ? {} : { user };
    const order = { licenseKey, machineFingerprint, hostname, productId, ...named };
    const { code, body } = await this.#call('/activate', order);
    if (code === null) this.token = body.token;
    return code;
  }

  /** Checks the license, as apps do when they start. */
  async verify(): Promise<string | null> {
    const { licenseKey, productId } = this.license;
    return (await this.#call('/verify', { licenseKey, productId })).code;
  }

  /** Validates its token and stores the replacement, if there is one. */
  async validate(): Promise<string | null> {
    const { code, body } = await this.#call('/validate', this.#session());
    if (body.newToken !== undefined) this.token = body.newToken;
    return code;
  }

  async heartbeat(): Promise<string | null> {
    return (await this.#call('/heartbeat', this.#session())).code;
  }

  /** Counts units of a meter. */
  async consume(meter: string, units: number, requestId: string): Promise<string | null> {
    return (await this.#call('/consume', { ...this.#session(), meter, units, requestId })).code;
  }

  /** Releases its slot. */
  async deactivate(): Promise<string | null> {
    const { code } = await this.#call('/deactivate', this.#session());
    this.token = null;
    return code;
  }

  #session() {
    const { licenseKey } = this.license;
    return { licenseKey, machineFingerprint: this.machine.fingerprint, token: this.token ?? 'none' };
  }

  #call(path: Parameters<Calls['app']>[0], body: object): Promise<Answer> {
    return this.#calls.app(path, body, this.country);
  }
}
