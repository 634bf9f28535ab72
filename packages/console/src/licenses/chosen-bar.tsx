/** Actions on the licenses that are selected in the list. */

import { useState } from 'react';
import { BulkDialog } from '../actions/bulk-dialog.tsx';
import { call } from '../api/call.ts';
import type { LicenseSummary, RevocationReason } from '../api/contract.ts';
import { useCan } from '../api/session.ts';
import { ActionBar } from '../parts/action-bar.tsx';
import { Button } from '../parts/button.tsx';
import { Key } from '../parts/copy.tsx';
import { counted } from '../parts/count-words.ts';
import { SelectField } from '../parts/field.tsx';
import { useNow } from '../parts/now.ts';
import { type Expiry, ExpiryFields, expiryOf, NO_EXPIRY } from './expiry-fields.tsx';
import styles from './licenses.module.css';
import { REASONS } from './reasons.ts';

export interface ChosenBarProps {
  readonly keys: ReadonlySet<string>;
  /** The visible rows, which provide the labels. */
  readonly rows: readonly LicenseSummary[];
  readonly onClear: () => void;
}

type Doing = 'revoke' | 'extend' | 'resolve';

/** The bar; renders nothing without a selection. */
export function ChosenBar({ keys, rows, onClear }: ChosenBarProps) {
  const [doing, setDoing] = useState<Doing | null>(null);
  const may: Readonly<Record<Doing, boolean>> = {
    revoke: useCan('/revokeLicense'),
    extend: useCan('/updateLicense'),
    resolve: useCan('/resolveLicense'),
  };
  if (keys.size === 0) return null;
  const shared = {
    keys: [...keys],
    nameOf: (key: string) => <NameOf licenseKey={key} row={rows.find((row) => row.key === key)} />,
    onClose: () => setDoing(null),
  };
  return (
    <ActionBar label="Selected licenses" count={`${counted(keys.size, 'license')} selected`} onClear={onClear}>
      {may.extend && <Button onClick={() => setDoing('extend')}>Extend</Button>}
      {may.resolve && <Button onClick={() => setDoing('resolve')}>Resolve violations</Button>}
      {may.revoke && <Button onClick={() => setDoing('revoke')}>Revoke</Button>}
      {doing === 'revoke' && <RevokeMany {...shared} />}
      {doing === 'extend' && <ExtendMany {...shared} />}
      {doing === 'resolve' && <ResolveMany {...shared} />}
    </ActionBar>
  );
}

interface ManyProps {
  readonly keys: readonly string[];
  readonly nameOf: (key: string) => React.ReactNode;
  readonly onClose: () => void;
}

function RevokeMany({ keys, nameOf, onClose }: ManyProps) {
  const [reason, setReason] = useState('');
  const request = (licenseKey: string) => ({
    licenseKey,
    ...(reason === '' ? {} : { reason: reason as RevocationReason }),
  });
  return (
    <BulkDialog
      path="/revokeLicense"
      requests={new Map(keys.map((key) => [key, request(key)]))}
      nameOf={nameOf}
      title={`Revoke ${counted(keys.length, 'license')}`}
      description="Their apps stop working with the next check. Each can be reinstated."
      verb={`Revoke ${keys.length}`}
      danger
      onClose={onClose}
    >
      <SelectField label="Reason" value={reason} onChange={setReason} options={REASONS} />
    </BulkDialog>
  );
}

function ExtendMany({ keys, nameOf, onClose }: ManyProps) {
  const [expiry, setExpiry] = useState<Expiry>(NO_EXPIRY);
  // Fixed for all attempts: a different time would make a different request.
  const [openedAt] = useState(useNow());
  const expiresAt = expiryOf(expiry, openedAt);
  return (
    <BulkDialog
      path="/updateLicense"
      requests={
        expiresAt === undefined ? null : new Map(keys.map((licenseKey) => [licenseKey, { licenseKey, expiresAt }]))
      }
      nameOf={nameOf}
      title={`Extend ${counted(keys.length, 'license')}`}
      description="All of them end at the same time afterwards, also those that would have lasted longer."
      verb={`Extend ${keys.length}`}
      onClose={onClose}
    >
      <ExpiryFields expiry={expiry} onChange={setExpiry} />
    </BulkDialog>
  );
}

function ResolveMany({ keys, nameOf, onClose }: ManyProps) {
  const open = async (licenseKey: string) => {
    const { violations } = await call('/getLicense', { licenseKey, activationLimit: 1 });
    const violationIds = violations.filter(({ resolvedAt }) => resolvedAt === null).map(({ id }) => id);
    return violationIds.length === 0 ? null : { licenseKey, violationIds };
  };
  return (
    <BulkDialog
      path="/resolveLicense"
      requests={new Map(keys.map((key) => [key, () => open(key)]))}
      nameOf={nameOf}
      title={`Resolve the violations of ${counted(keys.length, 'license')}`}
      description="All open violations of each are marked as resolved. A revocation for a refund or fraud is lifted by that."
      verb={`Resolve ${keys.length}`}
      onClose={onClose}
    />
  );
}

function NameOf({ licenseKey, row }: { readonly licenseKey: string; readonly row: LicenseSummary | undefined }) {
  return (
    <>
      <Key value={licenseKey} /> <span className={styles.quiet}>{row?.email}</span>
    </>
  );
}
