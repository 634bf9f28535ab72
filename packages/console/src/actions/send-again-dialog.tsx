/** Asks before a failed e-mail is sent again. */
import type { Mail } from '../api/contract.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import { toast } from '../parts/toast.tsx';
import { WriteDialog } from './write-dialog.tsx';

/** @param reason sentences that name the e-mail and its failure */
export function SendAgainDialog({ of: { mailId, to }, reason, onClose }: DialogOf<Mail> & { readonly reason: string }) {
  return (
    <WriteDialog
      path="/mailLicense"
      title="Send again"
      description={`${reason} If the address is wrong, correct it on the license and mail the key there.`}
      verb="Send again"
      request={{ mailId }}
      onClose={onClose}
      onDone={() => toast({ title: `The e-mail to ${to} is on its way.` })}
    />
  );
}
