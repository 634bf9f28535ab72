/**
 * Admission control for every endpoint except the five client endpoints. It rejects missing and wrong credentials, too
 * many wrong credentials, and too many concurrent calls from one network. An API key that does not exist is counted
 * after the call, because only the outcome shows it.
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../config/config.ts';
import { type Outcome, outcomeOfRefusal } from '../dispatch/call.ts';
import { isLookedUp, needsCredential } from '../endpoint/caller.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { type Refusal, refuse } from '../endpoint/refusals.ts';
import { CallsUnderWay } from './calls-under-way.ts';
import type { ShownCredential } from './credentials.ts';
import { whenAnswered } from './when-answered.ts';
import { WrongCredentials } from './wrong-credentials.ts';

/** A request as admission control sees it. */
export interface AdmissionRequest {
  /** Null when the client's address is unknown; no per-network limit applies then. */
  readonly address: string | null;
  readonly endpoint: Endpoint;
  readonly shown: ShownCredential;
}

/** Decides which requests are admitted, and learns their outcomes. */
export interface Admission {
  /** Returns the reason to refuse the request before anything else is checked; null to admit it. */
  refusalFor(admissionRequest: AdmissionRequest): Refusal | null;
  /**
   * Starts a call or refuses it. The call is in progress until its reply has been flushed or its connection has closed.
   *
   * @returns a function to call exactly once with the outcome, before the reply is sent; it returns the outcome to send
   */
  begin(admissionRequest: AdmissionRequest, response: ServerResponse): Refusal | ((outcome: Outcome) => Outcome);
  /** Starts a document reply, which counts as a call of its network, or refuses it. */
  beginDocument(address: string | null, response: ServerResponse): Refusal | null;
}

const UNAUTHORIZED = refuse('unauthorized');
const NETWORK_BUSY = refuse('network_busy', { retryAfterSeconds: 1 });

/**
 * @param makeRoomIn closes the connection of a slow reader that keeps calls of this network in progress
 * @param onUnknownAddress called once, the first time limits cannot be applied because the address is unknown
 */
export function createAdmission(
  { callsPerNetwork, wrongSecretsPerMinute }: Config['limits'],
  clock: Clock,
  makeRoomIn: (address: string | null) => void,
  onUnknownAddress: () => void,
): Admission {
  const wrong = new WrongCredentials(wrongSecretsPerMinute);
  const underWay = new CallsUnderWay(callsPerNetwork);
  let isUnknownAddressSaid = false;

  /** True if this network is at its call limit. If so, a slow reader is closed to make room soon. */
  function isBusy(address: string | null): boolean {
    if (underWay.enter(address)) return false;
    makeRoomIn(address);
    return true;
  }

  const tooManyWrong = (retryAfterSeconds: number) => refuse('wrong_secret_rate', { retryAfterSeconds });

  /**
   * Counts an outcome that shows a wrong API key, or a name owned by another creator. Beyond the limit the outcome is
   * replaced by a refusal.
   */
  function countOutcome({ address, endpoint }: AdmissionRequest, outcome: Outcome): Outcome {
    const now = clock();
    const pause = wrong.pauseSeconds(address, now);
    if (pause === null) wrong.count(address, now);
    // The call has taken effect, so its outcome is reported.
    return pause === null || outcome.showedUnknownKey ? outcome : outcomeOfRefusal(tooManyWrong(pause), endpoint.flag);
  }

  function settle(admissionRequest: AdmissionRequest, outcome: Outcome): Outcome {
    const { address, endpoint, shown } = admissionRequest;
    const { credential, names } = shown;
    if (credential.kind === 'session') {
      const isCounted = outcome.refused !== undefined && outcome.refused === endpoint.countedRefusal;
      return isCounted && isOfCreator(outcome) ? countOutcome(admissionRequest, outcome) : outcome;
    }
    if (credential.kind === 'signIn') {
      if (credential.by.kind === 'adminSecret') return outcome;
      if (outcome.refused === 'unauthorized') return countOutcome(admissionRequest, outcome);
      if (outcome.status < 500) wrong.remember(address, names, clock());
      return outcome;
    }
    if (credential.kind !== 'apiKey') return outcome;
    if (outcome.refused === 'unauthorized' || outcome.showedUnknownKey) {
      // A valid key at an endpoint that accepts no keys is not proven wrong.
      if (endpoint.access !== 'superAdmin') wrong.forget(address, names);
      return countOutcome(admissionRequest, outcome);
    }
    if (outcome.status < 500) wrong.remember(address, names, clock());
    const isCounted = credential.beside === 'none' && outcome.refused !== undefined;
    return isCounted && outcome.refused === endpoint.countedRefusal ? countOutcome(admissionRequest, outcome) : outcome;
  }

  return {
    refusalFor({ address, endpoint, shown: { credential, isWrong, names } }) {
      const without = needsCredential(endpoint.access) ? UNAUTHORIZED : null;
      const now = clock();
      // Session ids are 256 random bits, which nobody guesses, and a page keeps polling for a while after its session
      // ends. So an invalid session never counts as wrong.
      if (credential.kind === 'session') {
        const pause = endpoint.countedRefusal === undefined ? null : wrong.pauseSeconds(address, now);
        return pause === null ? null : tooManyWrong(pause);
      }
      if (!isWrong && names.length === 0) return without;
      const pause = wrong.pauseSeconds(address, now);
      if (pause !== null && (isWrong || isCounted(endpoint, credential) || !wrong.areKnown(address, names, now)))
        return tooManyWrong(pause);
      if (isWrong) {
        wrong.count(address, now);
        return without;
      }
      if (!isLookedUp(credential)) wrong.remember(address, names, now);
      return null;
    },
    begin(admissionRequest, response) {
      const { address, shown } = admissionRequest;
      if (address === null && !isUnknownAddressSaid) {
        isUnknownAddressSaid = true;
        onUnknownAddress();
      }
      if (showsSecret(shown)) return (outcome) => settle(admissionRequest, outcome);
      if (isBusy(address)) return NETWORK_BUSY;
      return (outcome) => {
        whenAnswered(response, () => underWay.leave(address));
        return settle(admissionRequest, outcome);
      };
    },
    beginDocument(address, response) {
      if (isBusy(address)) return NETWORK_BUSY;
      whenAnswered(response, () => underWay.leave(address));
      return null;
    },
  };
}

/** True if the request shows only an API key, at an endpoint that counts a certain refusal as a guess. */
function isCounted({ countedRefusal }: Endpoint, credential: ShownCredential['credential']): boolean {
  return countedRefusal !== undefined && credential.kind === 'apiKey' && credential.beside === 'none';
}

function isOfCreator({ caller }: Outcome): boolean {
  return caller?.actor.startsWith('creator:') === true;
}

/**
 * True if the admin or webhook secret was shown and is right. The operator's own calls never wait for those of others.
 */
function showsSecret({ credential }: ShownCredential): boolean {
  if (credential.kind === 'apiKey') return credential.beside !== 'none';
  return credential.kind === 'admin' || credential.kind === 'webhook';
}
