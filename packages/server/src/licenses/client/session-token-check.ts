/** What /validate, /deactivate and /heartbeat ask of a session token, in this order. */
import type { RequestContext } from '../../endpoint/endpoint.ts';
import { type Refusal, type RefusalCode, refuse } from '../../refusals.ts';
import type { RuleContext } from '../../rule-context.ts';
import type { Activation } from '../activation.ts';
import { refusalForStatus } from '../license.ts';
import { isOfLicense, isOfMachine, type TokenClaims } from '../token.ts';
import type { LicenseChanges } from './license-changes.ts';

/** The fields of a call that is bound to an activation. */
export interface SessionFields {
  readonly machineFingerprint: string;
  readonly token: string;
}

/** What an endpoint asks of a session, and how it words its refusals. */
export interface SessionCheck<Code extends RefusalCode> {
  readonly endpoint: string;
  readonly invalidToken: Code;
  readonly tokenMismatch: Code;
  readonly machineMissing: Code;
  /** Whether the machine needs a slot: one that it holds, or one that is free for it. */
  readonly needsSlot: boolean;
}

/** The machine that a token speaks for, and when that token expires (milliseconds); or why it is refused. */
export type CheckedSession<Code extends RefusalCode> =
  | { readonly machine: Activation; readonly tokenExpiresAt: number }
  | Refusal<Code | 'license_revoked' | 'license_expired'>;

/** Checks the token that a call shows, then its session. */
export function checkSessionToken<Code extends RefusalCode>(
  changes: LicenseChanges,
  fields: SessionFields,
  requestContext: RequestContext,
  ruleContext: RuleContext,
  check: SessionCheck<Code>,
): CheckedSession<Code> {
  const claims = ruleContext.tokenKeys.check(fields.token, requestContext.now);
  return checkSession(changes, claims, fields.machineFingerprint, requestContext, check);
}

/**
 * Everything that these endpoints may refuse, once the signature of the token has been checked.
 *
 * @param claims what the token says; null where it is none of ours or has expired
 */
export function checkSession<Code extends RefusalCode>(
  changes: LicenseChanges,
  claims: TokenClaims | null,
  fingerprint: string,
  requestContext: RequestContext,
  check: SessionCheck<Code>,
): CheckedSession<Code> {
  const { license } = changes;
  if (claims === null) return refuse(check.invalidToken);
  const isOurLicense = isOfLicense(claims, license.licenseKey);
  if (!isOurLicense || !isOfMachine(claims, fingerprint)) {
    const tokenOf = isOurLicense ? 'another machine' : 'another license';
    changes.observe({ type: 'token_replay', shownBy: fingerprint, tokenOf, endpoint: check.endpoint }, requestContext);
    return refuse(check.tokenMismatch);
  }
  const refusal = refusalForStatus(license, requestContext.now);
  if (refusal !== null) return refusal;
  const machine = changes.machine(fingerprint);
  if (machine === undefined) return refuse(check.machineMissing);
  // The machine was unbound and bound again since: only the tokens of its present activation live.
  if (machine.activationId !== claims.act) return refuse(check.invalidToken);
  if (check.needsSlot && !changes.hasSlotFor(fingerprint)) return refuse(check.machineMissing);
  return { machine, tokenExpiresAt: claims.exp * 1000 };
}
