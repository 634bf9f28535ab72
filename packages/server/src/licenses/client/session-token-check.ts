/** What /validate, /deactivate and /heartbeat ask of a session token, in this order. */
import type { RequestContext } from '../../endpoint/endpoint.ts';
import { type Refusal, type RefusalCode, refuse } from '../../refusals.ts';
import type { RuleContext } from '../../rule-context.ts';
import type { Activation } from '../activation.ts';
import { refusalForStatus } from '../license.ts';
import { isOfLicense, isOfMachine } from '../token.ts';
import type { LicenseChanges } from './license-changes.ts';

/** The fields of a call that is bound to an activation. */
export interface SessionFields {
  readonly machineFingerprint: string;
  readonly token: string;
}

/** How an endpoint words its refusals. */
export interface SessionWording<Code extends RefusalCode> {
  readonly endpoint: string;
  readonly invalidToken: Code;
  readonly tokenMismatch: Code;
  readonly machineMissing: Code;
}

/** The machine that a token speaks for, and when that token expires (milliseconds); or why it is refused. */
export function checkSessionToken<Code extends RefusalCode>(
  changes: LicenseChanges,
  fields: SessionFields,
  requestContext: RequestContext,
  ruleContext: RuleContext,
  wording: SessionWording<Code>,
):
  | { readonly machine: Activation; readonly tokenExpiresAt: number }
  | Refusal<Code | 'license_revoked' | 'license_expired'> {
  const { license } = changes;
  const { now } = requestContext;
  const claims = ruleContext.tokenKeys.check(fields.token, now);
  if (claims === null) return refuse(wording.invalidToken);
  const isOurLicense = isOfLicense(claims, license.licenseKey);
  if (!isOurLicense || !isOfMachine(claims, fields.machineFingerprint)) {
    const tokenOf = isOurLicense ? 'another machine' : 'another license';
    const { machineFingerprint: shownBy } = fields;
    changes.observe({ type: 'token_replay', shownBy, tokenOf, endpoint: wording.endpoint }, requestContext);
    return refuse(wording.tokenMismatch);
  }
  const refusal = refusalForStatus(license, now);
  if (refusal !== null) return refusal;
  const machine = changes.machine(fields.machineFingerprint);
  if (machine === undefined) return refuse(wording.machineMissing);
  // The machine was unbound and bound again since: only the tokens of its present activation live.
  if (machine.activationId !== claims.act) return refuse(wording.invalidToken);
  return { machine, tokenExpiresAt: claims.exp * 1000 };
}
