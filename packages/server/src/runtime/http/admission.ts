/**
 * Admission control for every endpoint except the five client endpoints. It rejects missing and wrong credentials, too
 * many wrong credentials, and too many concurrent calls from one network.
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../ground/base/clock.ts';
import { needsCredential } from '../../platform/endpoint/caller.ts';
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';
import { type Outcome, outcomeOfRefusal } from '../../platform/endpoint/outcome.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Config } from '../config/config.ts';
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
  /** Counts a request among the calls of its network, or refuses it. An admitted one must {@link leave}. */
  enter(address: string | null): Refusal | null;
  /** Ends a request that was admitted once its reply has been flushed or its connection has closed. */
  leave(address: string | null, response: ServerResponse): void;
}

/** The treatment of one kind of credential by admission control. */
interface Treatment {
  /** When the credential is known to be right or wrong; `never` if nobody can guess it, or if there is none. */
  readonly isJudged: 'before the call' | 'by the outcome' | 'never';
  /**
   * The calls that a pause of the network refuses: every showing, only credentials not known to be right, or nothing.
   */
  readonly paused: 'all' | 'unknown' | 'none';
  /**
   * Whether the endpoint's `countedRefusal` reveals to this caller a fact about others, and so counts as a wrong
   * credential. A pause then refuses every call of such an endpoint. Null if it never does.
   */
  readonly reveals: ((outcome: Outcome) => boolean) | null;
  /** Whether calls count towards the calls of the network. The operator's own never wait for those of others. */
  readonly isLimited: boolean;
}

const TREATMENTS = {
  none: { isJudged: 'never', paused: 'none', reveals: null, isLimited: true },
  wrong: { isJudged: 'before the call', paused: 'all', reveals: null, isLimited: true },
  admin: { isJudged: 'before the call', paused: 'unknown', reveals: null, isLimited: false },
  webhook: { isJudged: 'before the call', paused: 'unknown', reveals: null, isLimited: false },
  apiKey: { isJudged: 'by the outcome', paused: 'unknown', reveals: () => true, isLimited: true },
  apiKeyBesideSecret: { isJudged: 'by the outcome', paused: 'unknown', reveals: null, isLimited: false },
  // Session ids are 256 random bits, which nobody guesses, and a page keeps polling for a while after its session ends.
  session: { isJudged: 'never', paused: 'none', reveals: isOfCreator, isLimited: true },
  signInBySecret: { isJudged: 'before the call', paused: 'unknown', reveals: null, isLimited: true },
  signInByKeyOrCode: { isJudged: 'by the outcome', paused: 'unknown', reveals: null, isLimited: true },
} as const satisfies Readonly<Record<string, Treatment>>;

function treatmentOf({ credential, isWrong }: ShownCredential): Treatment {
  if (isWrong) return TREATMENTS.wrong;
  if (credential.kind === 'apiKey')
    return credential.beside === 'none' ? TREATMENTS.apiKey : TREATMENTS.apiKeyBesideSecret;
  if (credential.kind === 'signIn')
    return credential.by.kind === 'adminSecret' ? TREATMENTS.signInBySecret : TREATMENTS.signInByKeyOrCode;
  return TREATMENTS[credential.kind];
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

  /** At the limit, closes a slow reader to make room soon. */
  function enter(address: string | null): Refusal | null {
    if (underWay.enter(address)) return null;
    makeRoomIn(address);
    return NETWORK_BUSY;
  }

  function leave(address: string | null, response: ServerResponse): void {
    whenAnswered(response, () => underWay.leave(address));
  }

  const tooManyWrong = (retryAfterSeconds: number) => refuse('wrong_secret_rate', { retryAfterSeconds });

  /** Counts an outcome as a wrong credential. During a pause, a refusal takes its place. */
  function count({ address, endpoint }: AdmissionRequest, outcome: Outcome): Outcome {
    const now = clock();
    const pause = wrong.pauseSeconds(address, now);
    if (pause === null) wrong.count(address, now);
    // An endpoint open to anyone has carried out the call in spite of an unknown key.
    return pause === null || outcome.showedUnknownKey ? outcome : outcomeOfRefusal(tooManyWrong(pause), endpoint.flag);
  }

  function settle(admissionRequest: AdmissionRequest, outcome: Outcome): Outcome {
    const { address, endpoint, shown } = admissionRequest;
    const { isJudged, reveals } = treatmentOf(shown);
    if (isJudged === 'by the outcome') {
      if (outcome.refused === 'unauthorized' || outcome.showedUnknownKey) {
        if (isProvenWrong(admissionRequest)) wrong.forget(address, shown.names);
        return count(admissionRequest, outcome);
      }
      if (outcome.status < 500) wrong.remember(address, shown.names, clock());
    }
    const hasRevealed = outcome.refused !== undefined && outcome.refused === endpoint.countedRefusal;
    return hasRevealed && reveals?.(outcome) ? count(admissionRequest, outcome) : outcome;
  }

  return {
    refusalFor({ address, endpoint, shown }) {
      const without = needsCredential(endpoint.access) ? UNAUTHORIZED : null;
      const { isJudged, paused, reveals } = treatmentOf(shown);
      const isAllPaused = paused === 'all' || (reveals !== null && endpoint.countedRefusal !== undefined);
      const now = clock();
      if (isAllPaused || paused === 'unknown') {
        const pause = wrong.pauseSeconds(address, now);
        if (pause !== null && (isAllPaused || !wrong.areKnown(address, shown.names, now))) return tooManyWrong(pause);
      }
      if (isJudged === 'before the call') {
        if (shown.isWrong) wrong.count(address, now);
        else wrong.remember(address, shown.names, now);
      }
      return shown.credential.kind === 'none' ? without : null;
    },
    begin(admissionRequest, response) {
      const { address, shown } = admissionRequest;
      if (address === null && !isUnknownAddressSaid) {
        isUnknownAddressSaid = true;
        onUnknownAddress();
      }
      const { isLimited } = treatmentOf(shown);
      const busy = isLimited ? enter(address) : null;
      if (busy !== null) return busy;
      return (outcome) => {
        if (isLimited) leave(address, response);
        return settle(admissionRequest, outcome);
      };
    },
    enter,
    leave,
  };
}

/** A right API key is refused, too, by endpoints that accept no keys. A sign-in leaves the known facts of a key. */
function isProvenWrong({ endpoint, shown }: AdmissionRequest): boolean {
  return shown.credential.kind === 'apiKey' && endpoint.access !== 'superAdmin';
}

function isOfCreator({ caller }: Outcome): boolean {
  return caller?.actor.startsWith('creator:') === true;
}
