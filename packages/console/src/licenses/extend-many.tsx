import { useState } from 'react';
import { BulkDialog } from '../actions/bulk-dialog.tsx';
import { call } from '../api/call.ts';
import type { RequestOf } from '../api/contract.ts';
import { limitAt, useSession } from '../api/session.ts';
import { counted, countText } from '../parts/count-words.ts';
import { useNow } from '../parts/now.ts';
import { type Expiry, expiryOf, extendedEnd, NO_EXPIRY } from './expiry.ts';
import { useExtensionChoice } from './expiry-choice.ts';
import { ExpiryFields } from './expiry-fields.tsx';
import type { ManyProps } from './many-props.ts';
import { useNoteField } from './note-field.tsx';

/** Extends each license from its own end, and passes over those without an end. */
export function ExtendMany({ keys, chosen, nameOf, onClose }: ManyProps) {
  const [by, setBy] = useState<Expiry>(NO_EXPIRY);
  // Fixed for all attempts: a different time would make a different request.
  const [openedAt] = useState(useNow());
  const [note, noteOf] = useNoteField();
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
      noteOf={noteOf}
      nameOf={nameOf}
      title={`Extend ${counted(keys.length, 'license')}`}
      description={`The days count from the end of each license, or from now if it has expired.${endless === 0 ? '' : ` ${endlessText(endless)} and ${endless === 1 ? 'stays as it is' : 'stay as they are'}.`}`}
      verb={`Extend ${countText(keys.length - endless)}`}
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
      {note}
    </BulkDialog>
  );
}

/** The licenses that an extension passes over. */
function endlessText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'has' : 'have'} no end`;
}
