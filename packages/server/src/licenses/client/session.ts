/** What /validate, /deactivate and /heartbeat ask of a session token, in the order of docs/gaps.md. */
import type { Circumstances } from '../../endpoint/endpoint.ts';
import { type Refusal, type RefusalCode, refuse } from '../../refusals.ts';
import type { Service } from '../../service.ts';
import type { Activation } from '../activation.ts';
import { type License, statusAt } from '../license.ts';
import { isOfLicense, isOfMachine } from '../token.ts';
import type { LicenseInUse } from './license-in-use.ts';

/** The fields of a call that is bound to an activation. */
export interface SessionFields {
  readonly machineFingerprint: string;
  readonly token: string;
}

/** How an endpoint words its refusals. */
export interface SessionWording {
  readonly endpoint: string;
  readonly invalidToken: RefusalCode;
  readonly tokenMismatch: RefusalCode;
  readonly machineMissing: RefusalCode;
}

/** The machine that a token speaks for, and when that token expires (milliseconds); or why it is refused. */
export function openSession(
  inUse: LicenseInUse,
  fields: SessionFields,
  { now }: Circumstances,
  service: Service,
  wording: SessionWording,
): { readonly machine: Activation; readonly tokenExpiresAt: number } | Refusal {
  const { license } = inUse;
  const claims = service.tokenKeys.check(fields.token, now);
  if (claims === null) return refuse(wording.invalidToken);
  const isOurLicense = isOfLicense(claims, license.licenseKey);
  if (!isOurLicense || !isOfMachine(claims, fields.machineFingerprint)) {
    inUse.observe({
      type: 'token_replay',
      shownBy: fields.machineFingerprint,
      tokenOf: isOurLicense ? 'another machine' : 'another license',
      endpoint: wording.endpoint,
    });
    return refuse(wording.tokenMismatch);
  }
  const denial = denialOf(license, now);
  if (denial !== null) return denial;
  const machine = inUse.machine(fields.machineFingerprint);
  if (machine === undefined) return refuse(wording.machineMissing);
  // The machine was unbound and bound again since: only the tokens of its present activation live.
  if (machine.activationId !== claims.act) return refuse(wording.invalidToken);
  return { machine, tokenExpiresAt: claims.exp * 1000 };
}

/** Revoked or expired licenses are denied at every client endpoint. */
export function denialOf(license: Pick<License, 'revocation' | 'expiresAt'>, now: number): Refusal | null {
  const status = statusAt(license, now);
  if (status === 'revoked') return refuse('license_revoked');
  if (status === 'expired') return refuse('license_expired');
  return null;
}
