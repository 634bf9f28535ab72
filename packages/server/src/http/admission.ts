/**
 * Who is let in to an endpoint that is not one of the five client endpoints: is the credential none, wrong or one of too
 * many wrong ones, and are too many calls of this network under way? What only the answer tells (an API key that does not
 * exist) is counted when the answer is there.
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { type Outcome, outcomeOfRefusal } from '../dispatch/call.ts';
import { isLookedUp, needsCredential } from '../endpoint/caller.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { type Refusal, refuse } from '../refusals.ts';
import { CallsUnderWay } from './calls-under-way.ts';
import type { ShownCredential } from './credentials.ts';
import { whenAnswered } from './when-answered.ts';
import { WrongCredentials } from './wrong-credentials.ts';

/** Who shows what to which endpoint. */
export interface AdmissionRequest {
  /** Null where the client's address is not known: no limit per network holds then. */
  readonly address: string | null;
  readonly endpoint: Endpoint;
  readonly shown: ShownCredential;
}

/** Decides who is let in, and hears what became of it. */
export interface Admission {
  /** Why a request is refused before anything else of it is looked at; null when it is not. */
  refusalFor(admissionRequest: AdmissionRequest): Refusal | null;
  /**
   * Lets a call begin, or says why not. It is under way until its answer has been taken or its connection has closed.
   *
   * @returns what to do with the outcome: it must be given every call's, once, before it is sent; it answers the outcome to
   *   send
   */
  begin(admissionRequest: AdmissionRequest, response: ServerResponse): Refusal | ((outcome: Outcome) => Outcome);
  /** Lets the answer with a document begin, which counts as a call of its network; or says why not. */
  beginDocument(address: string | null, response: ServerResponse): Refusal | null;
}

const UNAUTHORIZED = refuse('unauthorized');
const NETWORK_BUSY = refuse('network_busy', { retryAfterSeconds: 1 });

/**
 * @param limits the configured ones
 * @param clock the app's
 * @param makeRoomIn closes the connection of whoever keeps calls of a network under way by reading too slowly
 * @param onUnknownAddress called once, when limits first could not hold for want of an address
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

  /** Whether there is no room for a call of this network; then there may soon be. */
  function isBusy(address: string | null): boolean {
    if (underWay.enter(address)) return false;
    makeRoomIn(address);
    return true;
  }

  const tooManyWrong = (retryAfterSeconds: number) => refuse('wrong_secret_rate', { retryAfterSeconds });

  /** Counts an outcome by which an API key was found wrong, or tried a name of others; one of too many is not told. */
  function countOutcome({ address, endpoint }: AdmissionRequest, outcome: Outcome): Outcome {
    const now = clock();
    const pause = wrong.pauseSeconds(address, now);
    if (pause === null) wrong.count(address, now);
    // What was done stays done, so its outcome is told.
    return pause === null || outcome.showedUnknownKey ? outcome : outcomeOfRefusal(tooManyWrong(pause), endpoint.flag);
  }

  function settle(admissionRequest: AdmissionRequest, outcome: Outcome): Outcome {
    const { address, endpoint, shown } = admissionRequest;
    const { credential, names } = shown;
    if (credential.kind === 'session') {
      const isTold = outcome.refused !== undefined && outcome.refused === endpoint.countedRefusal;
      return isTold && isOfCreator(outcome) ? countOutcome(admissionRequest, outcome) : outcome;
    }
    if (credential.kind === 'signIn') {
      if (credential.by.kind === 'adminSecret') return outcome;
      if (outcome.refused === 'unauthorized') return countOutcome(admissionRequest, outcome);
      if (outcome.status < 500) wrong.remember(address, names, clock());
      return outcome;
    }
    if (credential.kind !== 'apiKey') return outcome;
    if (outcome.refused === 'unauthorized' || outcome.showedUnknownKey) {
      // A right key at an endpoint that takes none is not proven wrong.
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
      // Nobody guesses 256 random bits, and a page whose session is over goes on asking for a while: none counts as wrong.
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

/** Whether an API key alone asks what it is only told so many times. */
function isCounted({ countedRefusal }: Endpoint, credential: ShownCredential['credential']): boolean {
  return countedRefusal !== undefined && credential.kind === 'apiKey' && credential.beside === 'none';
}

/** Whether a creator asked. */
function isOfCreator({ caller }: Outcome): boolean {
  return caller?.actor.startsWith('creator:') === true;
}

/** Whether the admin or the webhook secret was shown, and is right: the operator's own calls wait for nobody's. */
function showsSecret({ credential }: ShownCredential): boolean {
  if (credential.kind === 'apiKey') return credential.beside !== 'none';
  return credential.kind === 'admin' || credential.kind === 'webhook';
}
