/** The calls of this machine, with the fields that name it, the product, this build and its user. */
import { type Called, call, type Line } from './calls.ts';
import type { ActivateReply, VerifyReply } from './contract.ts';
import type { LicenseRecord } from './license-record.ts';
import type { PlatformOptions } from './options.ts';
import type { ClientEndpoint } from './refusals.ts';
import type { Replies } from './replies.ts';

/** The endpoints that only a machine with a token calls. */
type OfToken = Exclude<ClientEndpoint, '/activate' | '/startTrial' | '/verify'>;

/** The trial that a user wants. */
export interface TrialOrder {
  /** The variant; by default the only one of the product that offers a trial. */
  readonly variant?: string;
  /** The e-mail address of the user, if the app knows it. */
  readonly email?: string;
}

export interface CallParts {
  readonly options: PlatformOptions;
  readonly line: Line;
  readonly record: LicenseRecord;
}

/** Sent for a computer without a name, because the service needs one. */
const NAMELESS = 'Unnamed computer';

export class MachineCalls {
  readonly #parts: CallParts;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  activate(licenseKey: string): Promise<Called<ActivateReply>> {
    return call(this.#parts.line, '/activate', { licenseKey, ...this.#machine });
  }

  startTrial(order: TrialOrder): Promise<Called<Replies['/startTrial']>> {
    return call(this.#parts.line, '/startTrial', { ...this.#machine, ...order });
  }

  validate(licenseKey: string, token: string): Promise<Called<Replies['/validate']>> {
    return this.send('/validate', licenseKey, token, { acceptsReplacement: true, ...this.#build });
  }

  verify(licenseKey: string): Promise<Called<VerifyReply>> {
    const { line, options } = this.#parts;
    return call(line, '/verify', { licenseKey, productId: options.productId });
  }

  /** @param fields those that the endpoint has beside key, token and machine */
  send<Endpoint extends OfToken>(
    endpoint: Endpoint,
    licenseKey: string,
    token: string,
    fields: Readonly<Record<string, string | number | boolean>> = {},
  ): Promise<Called<Replies[Endpoint]>> {
    const { line, record } = this.#parts;
    return call(line, endpoint, { licenseKey, machineFingerprint: record.fingerprint, token, ...fields });
  }

  /** The fields that name this build. */
  get #build(): Readonly<Record<string, string>> {
    const { buildDate, version } = this.#parts.options;
    return { ...(buildDate === undefined ? {} : { buildDate }), ...(version === undefined ? {} : { version }) };
  }

  /** The fields that name the machine, the product, the build, and the person who uses the app if it is known. */
  get #machine() {
    const { record, options } = this.#parts;
    const { productId, hostname: given, user: giving } = options;
    const hostname = given.trim() === '' ? NAMELESS : given;
    const user = typeof giving === 'function' ? giving() : giving;
    const named = user === undefined ? {} : { user };
    return { machineFingerprint: record.fingerprint, hostname, productId, ...this.#build, ...named };
  }
}
