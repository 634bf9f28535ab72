/** Issues the first license: all that is asked is whose it is. */
import { useState } from 'react';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { Product, Variant } from '../api/contract.ts';
import { SelectField, TextField } from '../parts/field.tsx';

export interface FirstLicenseDialogProps {
  readonly product: Product;
  readonly variants: readonly Variant[];
  readonly onClose: () => void;
}

/** Mount it only while it is open. */
export function FirstLicenseDialog({ product, variants, onClose }: FirstLicenseDialogProps) {
  const [email, setEmail] = useState('');
  const [variant, setVariant] = useState(variants[0]?.name ?? '');
  const isAddress = /^[^@\s]+@[^@\s]+$/.test(email.trim());
  return (
    <WriteDialog
      path="/createLicense"
      title={`A license for ${product.name}`}
      verb="Issue license"
      request={
        isAddress ? { email: email.trim(), productId: product.productId, ...(variant === '' ? {} : { variant }) } : null
      }
      onClose={onClose}
      onDone={() => undefined}
    >
      <TextField
        label="Your e-mail address"
        type="email"
        autoComplete="email"
        hint="The license is yours, to try it."
        value={email}
        onChange={setEmail}
        required
      />
      {variants.length > 1 && (
        <SelectField
          label="Variant"
          value={variant}
          onChange={setVariant}
          options={variants.map(({ name }) => ({ value: name, title: name }))}
        />
      )}
    </WriteDialog>
  );
}
