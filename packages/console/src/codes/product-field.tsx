/** A field for a product: a choice from the catalogue, or a text field for the identifier if the catalogue is long. */
import { useRead } from '../api/reads.ts';
import { SelectField, TextField } from '../parts/field.tsx';

/** Longer catalogues get a text field. */
const MOST = 200;

export interface ProductFieldProps {
  readonly label: string;
  /** The label of the empty choice. */
  readonly none: string;
  /** The identifier; '' for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Offers the products that can still be sold. */
export function ProductField({ label, none, value, onChange }: ProductFieldProps) {
  const list = useRead('/listProducts', { status: 'live,unlisted', limit: MOST });
  const shared = { label, value, onChange };
  if (list.data?.nextCursor !== undefined)
    return <TextField {...shared} placeholder="Identifier" hint={`Empty: ${none}.`} mono />;
  const known = list.data?.products ?? [];
  const options = known.map(({ productId, name }) => ({ value: productId, title: name }));
  const isMissing = value !== '' && !known.some(({ productId }) => productId === value);
  return (
    <SelectField
      {...shared}
      options={[{ value: '', title: none }, ...options, ...(isMissing ? [{ value, title: value }] : [])]}
    />
  );
}
