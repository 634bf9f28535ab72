/** The dialogs of one code. */
import { useState } from 'react';
import { useQuickChange } from '../actions/change.ts';
import { undoOfCode, undoOfDeletion } from '../actions/undo-catalogue.ts';
import { useUndoToast } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { DiscountCode } from '../api/contract.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { toast } from '../parts/toast.tsx';
import { LimitFields, OwnerField, TrialFields } from './code-fields.tsx';
import { createRequest, formOf, NEW_CODE, updateRequest } from './code-form.ts';
import { usesText } from './words.ts';

/** Creates one code. */
export function NewCodeDialog({ product, onClose }: { readonly product: string; readonly onClose: () => void }) {
  const [code, setCode] = useState('');
  const [form, setForm] = useState({ ...NEW_CODE, product });
  return (
    <WriteDialog
      path="/createDiscountCode"
      title="New code"
      description="Redeeming it gives a license for some days."
      verb="Create code"
      request={createRequest(code, form)}
      onClose={onClose}
      onDone={(reply) => {
        location.hash = `#/codes/${encodeURIComponent(reply.code)}`;
        toast({ title: `${reply.code} works from now on.` });
      }}
    >
      <TextField
        label="Code"
        value={code}
        onChange={setCode}
        hint="As customers type it; upper and lower case are the same."
        maxLength={100}
        mono
        required
      />
      <TrialFields form={form} onChange={setForm} />
      <OwnerField form={form} onChange={setForm} />
      <LimitFields form={form} onChange={setForm} />
    </WriteDialog>
  );
}

/** Changes the maximum uses and the expiry of a code. */
export function ChangeCodeDialog({ of: code, onClose }: DialogOf<DiscountCode>) {
  // Keeps the values from the opening: the service refuses the change if they are no longer the stored ones.
  const [before] = useState(code);
  const [form, setForm] = useState(() => formOf(before));
  const undo = useUndoToast();
  const request = updateRequest(before, form);
  return (
    <WriteDialog
      path="/updateDiscountCode"
      title={`Change ${code.code}`}
      description={`${usesText(code)} so far. Licenses that it gave are not touched.`}
      verb="Save"
      request={request}
      onClose={onClose}
      onDone={() => toast({ title: `${code.code} was changed.`, ...undo(undoOfCode(before, request ?? {})) })}
    >
      <LimitFields form={form} onChange={setForm} />
    </WriteDialog>
  );
}

/** Deletes a code permanently. */
export function DeleteCodeDialog({
  of: code,
  onClose,
  onDeleted,
}: DialogOf<DiscountCode> & { readonly onDeleted?: () => void }) {
  const undo = useUndoToast();
  const undoing = undoOfDeletion(code);
  return (
    <WriteDialog
      path="/deleteDiscountCode"
      title={`Delete ${code.code}`}
      description={
        undoing !== null
          ? 'Nobody has redeemed it. Until somebody creates another one of this name, "Undo" creates it again.'
          : code.usedCount === 0
            ? 'Nobody has redeemed it. It cannot be brought back, because it is switched off.'
            : `${usesText(code)}: the record of who redeemed it is deleted, too. Their licenses stay. It cannot be brought back; to stop it only, switch it off.`
      }
      verb={undoing === null ? 'Delete for good' : 'Delete'}
      danger
      request={{ code: code.code }}
      onClose={onClose}
      onDone={() => {
        toast({ title: `${code.code} was deleted.`, ...undo(undoing) });
        onDeleted?.();
      }}
    />
  );
}

/** Switches a code off or on without confirmation, because the same button undoes it. */
export function useSwitchCode(): (code: DiscountCode) => void {
  const undo = useUndoToast();
  const { make } = useQuickChange('/updateDiscountCode', (_, { request: { code, active = true } }) =>
    toast({
      title: active ? `${code} works again.` : `${code} is switched off.`,
      ...undo(undoOfCode({ code, active: !active }, { active })),
    }),
  );
  return ({ code, active }) => void make({ code, active: !active, wasActive: active });
}
