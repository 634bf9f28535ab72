/** The dialogs of one code. */
import { useState } from 'react';
import { useQuickChange } from '../actions/change.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { DiscountCode } from '../api/contract.ts';
import { TextField } from '../parts/field.tsx';
import { toast } from '../parts/toast.tsx';
import { CreatorField, LimitFields, TrialFields } from './code-fields.tsx';
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
      <CreatorField form={form} onChange={setForm} />
      <LimitFields form={form} onChange={setForm} />
    </WriteDialog>
  );
}

/** Changes the maximum uses and the expiry of a code. */
export function ChangeCodeDialog({ of: code, onClose }: { readonly of: DiscountCode; readonly onClose: () => void }) {
  const [form, setForm] = useState(() => formOf(code));
  return (
    <WriteDialog
      path="/updateDiscountCode"
      title={`Change ${code.code}`}
      description={`${usesText(code)} so far. Licenses that it gave are not touched.`}
      verb="Save"
      request={updateRequest(code, form)}
      onClose={onClose}
      onDone={() => toast({ title: `${code.code} was changed.` })}
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
}: {
  readonly of: DiscountCode;
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}) {
  return (
    <WriteDialog
      path="/deleteDiscountCode"
      title={`Delete ${code.code}`}
      description={
        code.usedCount === 0
          ? 'Nobody has redeemed it. It cannot be brought back.'
          : `${usesText(code)}: the memory of who redeemed it goes, too. Their licenses stay. It cannot be brought back; to stop it only, switch it off.`
      }
      verb="Delete for good"
      danger
      request={{ code: code.code }}
      onClose={onClose}
      onDone={() => {
        toast({ title: `${code.code} was deleted.` });
        onDeleted?.();
      }}
    />
  );
}

/** Switches a code off or on without confirmation, because the same button undoes it. */
export function useSwitchCode(): (code: DiscountCode) => void {
  const { make } = useQuickChange('/updateDiscountCode', (_, { request: { code, active = true } }) =>
    toast({
      title: active ? `${code} works again.` : `${code} is switched off.`,
      action: { title: 'Undo', run: () => void make({ code, active: !active }) },
    }),
  );
  return ({ code, active }) => void make({ code, active: !active });
}
