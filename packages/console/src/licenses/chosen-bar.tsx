/** Actions on the licenses that are selected in the list. */
import { useState } from 'react';
import { BulkDialog } from '../actions/bulk-dialog.tsx';
import { call } from '../api/call.ts';
import type { LicenseSummary, RequestOf, RevocationReason } from '../api/contract.ts';
import { late } from '../api/late.tsx';
import { limitAt, maySend, useCan, useSession } from '../api/session.ts';
import { ActionBar } from '../parts/action-bar.tsx';
import { Button } from '../parts/button.tsx';
import { Key } from '../parts/copy.tsx';
import { counted, countText } from '../parts/count-words.ts';
import { Checkbox, SelectField } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { type ChosenRows, hiddenAmong, listedKeys } from './chosen-rows.ts';
import { type Expiry, expiryOf, extendedEnd, NO_EXPIRY } from './expiry.ts';
import { useExtensionChoice } from './expiry-choice.ts';
import { ExpiryFields } from './expiry-fields.tsx';
import { whyRequest } from './first-reads.ts';
import styles from './licenses.module.css';
import { REASONS } from './reasons.ts';
import { revocationIn } from './words.ts';

/** Loaded when somebody writes to customers. */
const MailMany = late(async () => (await import('./mail-many.tsx')).MailMany);

export interface ChosenBarProps {
  readonly chosen: ChosenRows;
  /** The rows in sight. */
  readonly rows: readonly LicenseSummary[];
  readonly onChoose: (keys: ReadonlySet<string>) => void;
}

type Action = 'revoke' | 'reinstate' | 'extend' | 'resolve' | 'mail';

/** An action on the licenses that were selected when its button was pressed. */
interface Doing {
  readonly action: Action;
  readonly keys: readonly string[];
  readonly hidden: ReadonlySet<string>;
}

/** The bar; renders nothing without a selection. */
export function ChosenBar({ chosen, rows, onChoose }: ChosenBarProps) {
  const [doing, setDoing] = useState<Doing | null>(null);
  const may: Readonly<Record<Action, boolean>> = {
    revoke: useCan('/revokeLicense'),
    reinstate: useCan('/reinstateLicense'),
    extend: maySend(useSession(), '/updateLicense', ['expiresAt']),
    resolve: useCan('/resolveLicense'),
    mail: useCan('/mailLicense'),
  };
  if (chosen.size === 0) return null;
  const hidden = new Set(hiddenAmong(chosen, rows));
  const hasRevoked = [...chosen.values()].some((row) => row?.status === 'revoked');
  const start = (action: Action) => () => setDoing({ action, keys: listedKeys(chosen, rows), hidden });
  const shared = doing && {
    keys: doing.keys,
    chosen,
    nameOf: (key: string) => <NameOf licenseKey={key} row={chosen.get(key)} isHidden={doing.hidden.has(key)} />,
    onClose: () => setDoing(null),
  };
  const selected = `${counted(chosen.size, 'license')} selected`;
  return (
    <ActionBar
      label="Selected licenses"
      count={hidden.size === 0 ? selected : `${selected}, ${countText(hidden.size)} not shown`}
      onClear={() => onChoose(new Set())}
    >
      {hidden.size > 0 && hidden.size < chosen.size && (
        <Button onClick={() => onChoose(new Set([...chosen.keys()].filter((key) => !hidden.has(key))))}>
          Only those shown
        </Button>
      )}
      {may.extend && <Button onClick={start('extend')}>Extend</Button>}
      {may.mail && <Button onClick={start('mail')}>E-mail</Button>}
      {may.resolve && <Button onClick={start('resolve')}>Resolve violations</Button>}
      {may.reinstate && hasRevoked && <Button onClick={start('reinstate')}>Reinstate</Button>}
      {may.revoke && <Button onClick={start('revoke')}>Revoke</Button>}
      {shared !== null && doing?.action === 'revoke' && <RevokeMany {...shared} />}
      {shared !== null && doing?.action === 'reinstate' && <ReinstateMany {...shared} />}
      {shared !== null && doing?.action === 'extend' && <ExtendMany {...shared} />}
      {shared !== null && doing?.action === 'resolve' && <ResolveMany {...shared} />}
      {shared !== null && doing?.action === 'mail' && <MailMany {...shared} />}
    </ActionBar>
  );
}

interface ManyProps {
  readonly keys: readonly string[];
  readonly chosen: ChosenRows;
  readonly nameOf: (key: string) => React.ReactNode;
  readonly onClose: () => void;
}

function RevokeMany({ keys, chosen, nameOf, onClose }: ManyProps) {
  const [reason, setReason] = useState('');
  const mayReinstate = useCan('/reinstateLicense');
  // Fixed while the dialog is open: the rows change with the outcome.
  const [revoked] = useState(() => new Set(keys.filter((key) => chosen.get(key)?.status === 'revoked')));
  const wasRevoked = (key: string) => revoked.has(key);
  return (
    <BulkDialog
      path="/revokeLicense"
      names={keys}
      requestOf={(licenseKey) => ({
        licenseKey,
        ...(reason === '' ? {} : { reason: reason as RevocationReason }),
        // One that was not revoked is refused if somebody has revoked it since.
        ...(wasRevoked(licenseKey) ? {} : { wasRevocation: null }),
      })}
      {...(mayReinstate
        ? {
            changeOf: (licenseKey: string) =>
              wasRevoked(licenseKey)
                ? null
                : {
                    type: 'license.revoked' as const,
                    licenseKey,
                    before: { revocation: null },
                    after: { revocation: reason === '' ? 'plain' : reason },
                  },
          }
        : {})}
      nameOf={nameOf}
      title={`Revoke ${counted(keys.length, 'license')}`}
      description={`Their apps stop working with the next check. Each can be reinstated.${revoked.size === 0 ? '' : ` ${alreadyText(revoked.size)}.`}`}
      verb={`Revoke ${keys.length}`}
      danger
      onClose={onClose}
    >
      <SelectField label="Reason" value={reason} onChange={setReason} options={REASONS} />
    </BulkDialog>
  );
}

/** Lifts each revocation as it is when it is lifted, and passes over licenses that are not revoked. */
function ReinstateMany({ keys, chosen, nameOf, onClose }: ManyProps) {
  const mayRevoke = useCan('/revokeLicense');
  // Fixed while the dialog is open: the rows change with the outcome.
  const [revoked] = useState(() => keys.filter((key) => chosen.get(key)?.status === 'revoked').length);
  const reinstatement = async (licenseKey: string): Promise<RequestOf<'/reinstateLicense'> | null> => {
    const wasRevocation = revocationIn(await call('/explainLicense', whyRequest(licenseKey, '')));
    return wasRevocation === null ? null : { licenseKey, wasRevocation };
  };
  return (
    <BulkDialog
      path="/reinstateLicense"
      names={keys}
      requestOf={(licenseKey) => () => reinstatement(licenseKey)}
      nameOf={nameOf}
      title={`Reinstate ${counted(revoked, 'license')}`}
      description="Their machines work again after their next check. Their open violations of the highest level are resolved, which cannot be undone. Revocations after a chargeback are lifted, too."
      verb={`Reinstate ${revoked}`}
      doneText={(count) => `${countText(count)} reinstated`}
      skippedText={(count) => `${countText(count)} ${count === 1 ? 'was' : 'were'} not revoked`}
      {...(mayRevoke
        ? {
            changeOf: (licenseKey: string, { wasRevocation = null }: RequestOf<'/reinstateLicense'>) => ({
              type: 'license.reinstated' as const,
              licenseKey,
              before: {
                revocation: wasRevocation,
                ...(wasRevocation === 'refund' || wasRevocation === 'chargeback'
                  ? { disputeReason: wasRevocation }
                  : {}),
              },
              after: { revocation: null },
            }),
          }
        : {})}
      onClose={onClose}
    />
  );
}

/** Extends each license from its own end, and passes over those without an end. */
function ExtendMany({ keys, chosen, nameOf, onClose }: ManyProps) {
  const [by, setBy] = useState<Expiry>(NO_EXPIRY);
  // Fixed for all attempts: a different time would make a different request.
  const [openedAt] = useState(useNow());
  const choice = useExtensionChoice(['days', 'never']);
  const mayPutBack = limitAt(useSession(), '/updateLicense') === undefined;
  const endless = keys.filter((key) => chosen.get(key)?.expiresAt === null).length;
  const isValid = endless < keys.length && expiryOf(by, openedAt, choice.maxDays) !== undefined;
  // The list may be older than the license, so each end is read when it is extended.
  const extension = async (licenseKey: string): Promise<RequestOf<'/updateLicense'> | null> => {
    const { license } = await call('/getLicense', { licenseKey, activationLimit: 1 });
    const { expiresAt } = license;
    const end = expiresAt === null ? undefined : extendedEnd(expiresAt, by, openedAt, choice.maxDays);
    return end === undefined ? null : { licenseKey, expiresAt: end, wasExpiresAt: expiresAt };
  };
  return (
    <BulkDialog
      path="/updateLicense"
      names={keys}
      requestOf={isValid ? (licenseKey) => () => extension(licenseKey) : null}
      nameOf={nameOf}
      title={`Extend ${counted(keys.length, 'license')}`}
      description={`The days count from the end of each license, or from now if it has expired.${endless === 0 ? '' : ` ${endlessText(endless)} and ${endless === 1 ? 'stays as it is' : 'stay as they are'}.`}`}
      verb={`Extend ${keys.length - endless}`}
      doneText={(count) => `${countText(count)} extended`}
      skippedText={endlessText}
      {...(mayPutBack
        ? {
            changeOf: (licenseKey: string, { expiresAt, wasExpiresAt }: RequestOf<'/updateLicense'>) => ({
              type: 'license.updated' as const,
              licenseKey,
              before: { expiresAt: wasExpiresAt },
              after: { expiresAt },
            }),
          }
        : {})}
      onClose={onClose}
    >
      <ExpiryFields expiry={by} onChange={setBy} from="after its end" {...choice} />
    </BulkDialog>
  );
}

/** The licenses that were revoked before. */
function alreadyText(count: number): string {
  return count === 1
    ? 'One is revoked already; "Undo" leaves it revoked'
    : `${countText(count)} are revoked already; "Undo" leaves them revoked`;
}

/** The licenses that an extension passes over. */
function endlessText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'has' : 'have'} no end`;
}

function ResolveMany({ keys, chosen, nameOf, onClose }: ManyProps) {
  const [staysRevoked, setStaysRevoked] = useState(false);
  const revoked = keys.filter((key) => chosen.get(key)?.status === 'revoked').length;
  const open = async (licenseKey: string) => {
    const { violations } = await call('/getLicense', { licenseKey, activationLimit: 1 });
    const violationIds = violations.filter(({ resolvedAt }) => resolvedAt === null).map(({ id }) => id);
    return violationIds.length === 0 ? null : { licenseKey, violationIds, ...(staysRevoked ? { staysRevoked } : {}) };
  };
  return (
    <BulkDialog
      path="/resolveLicense"
      names={keys}
      requestOf={(key) => () => open(key)}
      nameOf={nameOf}
      title={`Resolve the violations of ${counted(keys.length, 'license')}`}
      description="All open violations of each are marked as resolved, which cannot be undone."
      verb={`Resolve ${keys.length}`}
      onClose={onClose}
    >
      {revoked > 0 && !staysRevoked && (
        <Notice tone="danger" title={`${counted(revoked, 'license')} ${revoked === 1 ? 'is' : 'are'} revoked.`}>
          Resolving lifts a revocation for a refund or fraud: the apps work again.
        </Notice>
      )}
      {revoked > 0 && (
        <Checkbox label="Revoked licenses stay revoked" checked={staysRevoked} onChange={setStaysRevoked} />
      )}
    </BulkDialog>
  );
}

interface NameOfProps {
  readonly licenseKey: string;
  readonly row: LicenseSummary | undefined;
  /** Whether the row is out of sight. */
  readonly isHidden: boolean;
}

function NameOf({ licenseKey, row, isHidden }: NameOfProps) {
  return (
    <>
      <Key value={licenseKey} /> <span className={styles.quiet}>{row?.email}</span>
      {isHidden && <span className={styles.quiet}> (not shown)</span>}
    </>
  );
}
