/** Asks before a failed e-mail is sent again. */
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Mail } from '../api/contract.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import { toast } from '../parts/toast.tsx';
import { kindText } from './names.ts';
import { reasonText } from './words.ts';

export function SendAgainDialog({ of: { mailId, kind, to, lastError }, onClose }: DialogOf<Mail>) {
  return (
    <WriteDialog
      path="/mailLicense"
      title="Send again"
      description={`${kindText(kind)}, to ${to}. ${reasonText(lastError)} If the address is wrong, correct it on the license and mail the key there.`}
      verb="Send again"
      request={{ mailId }}
      onClose={onClose}
      onDone={() => toast({ title: `The e-mail to ${to} is on its way.` })}
    />
  );
}
