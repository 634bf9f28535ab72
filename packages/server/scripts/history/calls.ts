/** The calls of the history: from the operator, the creators' support desks, the storefront, and apps. */
import type { Path, ReplyOf, RequestOf } from '../../contract.d.ts';
import type { ObservedPath } from '../../src/licensing/observed-calls/metrics.ts';
import { type Answer, ScriptError, type ServiceClient } from '../service-client.ts';

/** Request header with the country of a caller. */
export const COUNTRY_HEADER = 'x-country';

export class Calls {
  /** Number of calls of apps by result, under the names of /getStatistics: `verify.ok`, `activate.machine_limit`. */
  readonly counted = new Map<string, number>();
  readonly #service: ServiceClient;
  readonly #apiKeys = new Map<string, string>();

  constructor(service: ServiceClient) {
    this.#service = service;
  }

  /** A call of the operator. @throws ScriptError if it is refused */
  operator<At extends Path>(path: At, body: RequestOf<At>): Promise<ReplyOf<At>> {
    return this.#mustSucceed(path, body, { 'X-Admin-Secret': this.#service.adminSecret });
  }

  /** A call of the storefront. @throws ScriptError if it is refused */
  storefront<At extends Path>(path: At, body: RequestOf<At>): Promise<ReplyOf<At>> {
    return this.#mustSucceed(path, body, { 'x-webhook-secret': this.#service.webhookSecret });
  }

  /** A call of a creator's support desk. @throws ScriptError if it is refused or the creator has no key */
  creator<At extends Path>(creatorId: string, path: At, body: RequestOf<At>): Promise<ReplyOf<At>> {
    return this.#mustSucceed(path, body, { 'X-API-Key': this.#apiKeys.get(creatorId) ?? '' });
  }

  /** Sets the API key of a support desk. */
  useApiKey(creatorId: string, apiKey: string): void {
    this.#apiKeys.set(creatorId, apiKey);
  }

  /** A call of an app from a country. A refusal is a normal result. */
  async app(path: ObservedPath, body: object, country: string): Promise<Answer> {
    const answer = await this.#post(path, body, { [COUNTRY_HEADER]: country });
    this.#count(`${path.slice(1)}.${answer.code ?? 'ok'}`);
    return answer;
  }

  /** Redeems a trial code; null if it is used up. */
  async redeemTrialCode(body: RequestOf<'/redeemTrialCode'>): Promise<ReplyOf<'/redeemTrialCode'> | null> {
    const answer = await this.#post('/redeemTrialCode', body, {});
    return answer.status === 200 ? answer.body : null;
  }

  #count(metric: string): void {
    this.counted.set(metric, (this.counted.get(metric) ?? 0) + 1);
  }

  async #mustSucceed<At extends Path>(path: At, body: object, headers: Record<string, string>): Promise<ReplyOf<At>> {
    const answer = await this.#post(path, body, headers);
    if (answer.code !== null) throw new ScriptError(`${path} was refused: ${answer.body.error}`);
    return answer.body;
  }

  async #post(path: string, body: object, headers: Record<string, string>): Promise<Answer> {
    const answer = await this.#service.post(path, body, headers);
    if (answer.status >= 500) throw new ScriptError(`${path} failed: ${answer.body.error}`);
    return answer;
  }
}
