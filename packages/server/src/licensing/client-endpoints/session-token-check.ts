/** The checks of a session token by /validate, /deactivate and /heartbeat, in order. */
import type { RequestContext } from '../../platform/endpoint/endpoint.ts';
import { type Refusal, type RefusalCode, refuse } from '../../platform/endpoint/refusals.ts';
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
import { refusalForStatus, storedLicenseKey } from '../licenses/license.ts';
import type { Activation } from '../machines/activation.ts';
import type { SessionFields } from '../machines/machine-fields.ts';
import { isOfLicense, isOfMachine, type TokenClaims } from '../session-tokens/token.ts';
import type { LicenseChanges } from './license-changes.ts';

/** The checks of an endpoint on a session, and the codes of its refusals. */
export interface SessionCheck<Code extends RefusalCode> {
  readonly endpoint: string;
  readonly invalidToken: Code;
  readonly tokenMismatch: Code;
  readonly machineMissing: Code;
  /** Whether the machine needs a slot: one that it holds or a free one. */
  readonly needsSlot: boolean;
}

/** The token's machine and the token's expiry (milliseconds), or a refusal. */
export type CheckedSession<Code extends RefusalCode> =
  | { readonly machine: Activation; readonly tokenExpiresAt: number }
  | Refusal<Code | 'license_replaced' | 'license_revoked' | 'license_expired'>;

/** Checks the token of a call, then its session. */
export function checkSessionToken<Code extends RefusalCode>(
  changes: LicenseChanges,
  fields: SessionFields,
  requestContext: RequestContext,
  ruleContext: RuleContext,
  check: SessionCheck<Code>,
): CheckedSession<Code> {
  const claims = ruleContext.tokenKeys.check(fields.token, requestContext.now);
  const shown = { claims, licenseKey: storedLicenseKey(fields.licenseKey), fingerprint: fields.machineFingerprint };
  return checkSession(changes, shown, requestContext, check);
}

/** The facts that a call shows to prove that it comes from a machine of the license. */
export interface ShownSession {
  /** Of the token; null when it is not ours or has expired. */
  readonly claims: TokenClaims | null;
  /** In the stored form; of the license, or of one whose place it took. */
  readonly licenseKey: string;
  readonly fingerprint: string;
}

/** Every check of these endpoints after the token's signature. */
export function checkSession<Code extends RefusalCode>(
  changes: LicenseChanges,
  { claims, licenseKey, fingerprint }: ShownSession,
  requestContext: RequestContext,
  check: SessionCheck<Code>,
): CheckedSession<Code> {
  const { license } = changes;
  if (claims === null) return refuse(check.invalidToken);
  const isOurLicense = isOfLicense(claims, licenseKey);
  if (!isOurLicense || !isOfMachine(claims, fingerprint)) {
    const tokenOf = isOurLicense ? 'another machine' : 'another license';
    changes.observe({ type: 'token_replay', shownBy: fingerprint, tokenOf, endpoint: check.endpoint }, requestContext);
    return refuse(check.tokenMismatch);
  }
  const refusal = refusalForStatus(license, requestContext.now);
  if (refusal !== null) return refusal;
  const machine = changes.machine(fingerprint);
  if (machine === undefined) return refuse(check.machineMissing);
  // The machine was unbound and bound again: only tokens of its present activation are valid.
  if (machine.activationId !== claims.act) return refuse(check.invalidToken);
  if (check.needsSlot && !changes.hasSlotFor(fingerprint)) return refuse(check.machineMissing);
  return { machine, tokenExpiresAt: claims.exp * 1000 };
}
