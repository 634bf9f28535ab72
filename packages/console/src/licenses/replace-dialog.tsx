/** The dialog that gives a license another key. */
import { useState } from 'react';
import { WriteDialog } from '../actions/write-dialog.tsx';
import { counted } from '../parts/count-words.ts';
import { Checkbox, TextField } from '../parts/field.tsx';
import { toast } from '../parts/toast.tsx';
import type { LicenseDialogProps } from './change-dialogs.tsx';
import { LanguageField, useMailLanguage } from './mail-language.tsx';

/** Replaces the key, and shows the license with the new one. */
export function ReplaceDialog({ license, activationCount, onClose }: LicenseDialogProps) {
  const [reason, setReason] = useState('');
  const [isMailed, setMailed] = useState(true);
  const [language, setLanguage] = useMailLanguage(license.key);
  const machines =
    activationCount === 0
      ? 'No machine uses it.'
      : `Apps on ${counted(activationCount, 'machine')} go on by themselves if they know how; others ask for the new key.`;
  return (
    <WriteDialog
      path="/replaceLicense"
      request={{
        licenseKey: license.key,
        ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        ...(isMailed ? { mail: true, language } : {}),
      }}
      title="Replace the key"
      description={`The license gets a new key, which takes machines, purchase and history along. The old key is refused from then on. ${machines} This cannot be undone.`}
      verb="Replace"
      danger
      onClose={onClose}
      onDone={({ licenseKey, mailed }) => {
        toast({
          title: `The license of ${license.email} has a new key.`,
          ...(mailed === true ? { detail: `It is on its way to ${license.email}.` } : {}),
        });
        location.hash = `#/licenses/${encodeURIComponent(licenseKey)}`;
      }}
    >
      <TextField label="Reason" hint="For the timeline, if you like." value={reason} onChange={setReason} />
      <Checkbox label={`Mail the new key to ${license.email}`} checked={isMailed} onChange={setMailed} />
      {isMailed && <LanguageField language={language} onChange={setLanguage} />}
    </WriteDialog>
  );
}
