/** A client application in tests: one machine with one license key, as an app developer would write it. */
import assert from 'node:assert/strict';
import type { Answer, SendOptions, TestApp } from './app.ts';

export class Machine {
  readonly app: Pick<TestApp, 'send'>;
  readonly licenseKey: string;
  readonly fingerprint: string;
  productId: string;
  token = '';

  constructor(app: Pick<TestApp, 'send'>, licenseKey: string, fingerprint = 'machine-1', productId = 'app') {
    this.app = app;
    this.licenseKey = licenseKey;
    this.fingerprint = fingerprint;
    this.productId = productId;
  }

  /** Activates and keeps the token, if there is one. */
  async activate(options?: SendOptions): Promise<Answer> {
    const { licenseKey, fingerprint: machineFingerprint, productId } = this;
    const fields = { licenseKey, machineFingerprint, hostname: `host of ${machineFingerprint}`, productId };
    const answer = await this.app.send('/activate', fields, options);
    if (answer.status === 200) this.token = answer.body.token;
    return answer;
  }

  /** Activates, which must succeed. */
  async activated(): Promise<this> {
    const answer = await this.activate();
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return this;
  }

  validate(options?: SendOptions): Promise<Answer> {
    return this.#session('/validate', options);
  }

  heartbeat(options?: SendOptions): Promise<Answer> {
    return this.#session('/heartbeat', options);
  }

  deactivate(options?: SendOptions): Promise<Answer> {
    return this.#session('/deactivate', options);
  }

  verify(options?: SendOptions): Promise<Answer> {
    const { licenseKey, productId } = this;
    return this.app.send('/verify', { licenseKey, productId }, options);
  }

  #session(path: string, options?: SendOptions): Promise<Answer> {
    const { licenseKey, fingerprint: machineFingerprint, token } = this;
    return this.app.send(path, { licenseKey, machineFingerprint, token }, options);
  }
}
