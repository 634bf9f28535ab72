/** Asks before a remedy is carried out, and says its effect. */
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { ShopEvent, ShopRemedy } from '../api/contract.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import { toast } from '../parts/toast.tsx';
import { REMEDIES } from './words.ts';

export function DecideDialog({
  of: { eventId },
  remedy,
  onClose,
}: DialogOf<ShopEvent> & { readonly remedy: ShopRemedy }) {
  const { title, effect, done, danger } = REMEDIES[remedy];
  return (
    <WriteDialog
      path="/decideShopEvent"
      title={title}
      description={effect}
      verb={title}
      danger={danger === true}
      request={{ eventId, remedy }}
      onClose={onClose}
      onDone={() => toast({ title: done })}
    />
  );
}
