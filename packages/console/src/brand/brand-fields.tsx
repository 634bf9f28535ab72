/** The form of a brand, with its preview. A refused field says why, and gets the focus. */
import { useEffect, useRef, useState } from 'react';
import { useChange } from '../actions/change.ts';
import { CopyAsCurl } from '../actions/curl.tsx';
import { withLaterEdits } from '../actions/later-edits.ts';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import { undoOfBrand } from '../actions/undo-catalogue.ts';
import { useUndoToast } from '../actions/undo-toast.ts';
import type { Brand, UpdateBrandReply } from '../api/contract.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Checkbox, ColourField, Fields, FileField, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { RequestIds } from '../parts/request-id.tsx';
import { Section } from '../parts/section.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import styles from './brand.module.css';
import {
  type BrandField,
  type BrandForm,
  base64Of,
  DEFAULT_ACCENT,
  faultOf,
  fileFault,
  formOf,
  LABELS,
  updateRequest,
} from './brand-form.ts';
import { LinkFields } from './link-fields.tsx';
import { Preview } from './preview.tsx';

export interface BrandFieldsProps {
  /** Null before the first one is stored. */
  readonly brand: Brand | null;
  /** The creator; '' for the operator, or for the creator who is signed in. */
  readonly owner: string;
  /** The text shown without a brand. */
  readonly withoutBrand: string;
}

export function BrandFields({ brand, owner, withoutBrand }: BrandFieldsProps) {
  // The brand that the fields were filled from. `brand` follows the changes of others, which a request must not
  // overwrite.
  const [shown, setShown] = useState(brand);
  const [form, setForm] = useState(() => formOf(brand));
  const [logoFault, setLogoFault] = useState<string | null>(null);
  const [files, setFiles] = useState(0);
  const mayChange = useCan('/updateBrand');
  const fields = useRef<HTMLFormElement>(null);
  const undo = useUndoToast();
  const show = (stored: Brand | null) => {
    setShown(stored);
    setForm(formOf(stored));
  };
  const change = useChange('/updateBrand', (reply) => {
    setShown(reply.brand);
    setForm((now) => withLaterEdits(formOf(reply.brand), form, now));
    toast({
      title: owner === '' ? 'The brand was saved.' : `The brand of ${owner} was saved.`,
      ...undo(undoOfBrand(shown, reply.brand), (undone) => show((undone as UpdateBrandReply).brand)),
    });
  });
  const { refusal, forget } = change;
  const clearFile = () => {
    setLogoFault(null);
    setFiles(files + 1);
  };
  // The refusal has read the brand again.
  const load = () => {
    show(brand);
    clearFile();
    forget();
  };
  const fault = refusal === null ? null : faultOf(refusal);
  const request = logoFault === null ? updateRequest(shown, form, owner) : null;
  const set = (changes: Partial<BrandForm>) => {
    setForm((now) => ({ ...now, ...changes }));
    if (refusal !== null) forget();
  };
  const field = (name: BrandField) => ({
    label: LABELS[name],
    disabled: !mayChange,
    wrong: fault?.field === name ? fault.why : undefined,
  });
  const choose = async (file: File) => {
    const wrong = fileFault(file.size);
    setLogoFault(wrong);
    if (wrong === null) set({ logo: base64Of(new Uint8Array(await file.arrayBuffer())) });
  };
  useEffect(() => {
    if (refusal !== null) fields.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [refusal]);
  return (
    <div className={styles.columns}>
      <Form
        ref={fields}
        className={styles.form}
        onSubmit={() => {
          if (request !== null && !change.isPending) void change.make(request);
        }}
      >
        <p className={styles.quiet}>
          {shown === null ? (
            withoutBrand
          ) : (
            <>
              Changed <Time at={shown.updatedAt} />.
            </>
          )}
        </p>
        <Fields>
          <TextField
            {...field('name')}
            value={form.name}
            onChange={(name) => set({ name })}
            hint="At the top of every page, and the sender of e-mails."
            maxLength={100}
            required
          />
          <TextField
            {...field('supportAddress')}
            type="email"
            value={form.supportAddress}
            onChange={(supportAddress) => set({ supportAddress })}
            hint="Customers write to it, and answers to e-mails reach it."
          />
          <TextField
            {...field('supportUrl')}
            type="url"
            value={form.supportUrl}
            onChange={(supportUrl) => set({ supportUrl })}
            {...(mayChange ? { placeholder: 'https://example.com/support' } : {})}
            hint="An https address. Pages show it in place of the support address."
          />
          <ColourField
            {...field('accent')}
            value={form.accent}
            onChange={(accent) => set({ accent })}
            fallback={DEFAULT_ACCENT}
            hint="Of the line at the top and of buttons, as #1a5fb4. It must be visible on white and on black."
          />
          {mayChange && (
            <FileField
              key={files}
              {...field('logo')}
              wrong={logoFault ?? field('logo').wrong}
              accept="image/png,image/jpeg,image/webp"
              onChoose={(file) => void choose(file)}
              hint="PNG, JPEG or WebP, at most 32 KiB. Pages show it up to 40 pixels high."
            />
          )}
          {mayChange && form.logo !== '' && (
            <div>
              <Button
                small
                onClick={() => {
                  set({ logo: '' });
                  clearFile();
                }}
              >
                Remove the logo
              </Button>
            </div>
          )}
        </Fields>
        <LinkFields
          {...field('productLinks')}
          links={form.productLinks}
          onChange={(productLinks) => set({ productLinks })}
        />
        <Fields>
          <Checkbox
            label={LABELS.allowsNewKeys}
            hint="At /my, once in 30 days for a license. Its old key stops working, and the new one is e-mailed to its address."
            checked={form.allowsNewKeys}
            disabled={!mayChange}
            onChange={(allowsNewKeys) => set({ allowsNewKeys })}
          />
        </Fields>
        {refusal !== null && fault === null && (
          <Fields>
            <RefusalNotice
              refusal={refusal}
              actions={
                refusal.code === 'changed_meanwhile' && (
                  <Button small onClick={load}>
                    Load the present values
                  </Button>
                )
              }
            />
          </Fields>
        )}
        {mayChange && (
          <div className={styles.actions}>
            <Button type="submit" look="primary" disabled={request === null} pending={change.isPending}>
              Save
            </Button>
            {request !== null && <CopyAsCurl path="/updateBrand" request={request} />}
            {fault !== null && <RequestIds of={[refusal?.requestId ?? null]} />}
          </div>
        )}
      </Form>
      <Section title="Preview" hint="The head of the pages at /my.">
        <Preview form={form} onBrokenLogo={() => setLogoFault('Browsers cannot show this picture.')} />
      </Section>
    </div>
  );
}
