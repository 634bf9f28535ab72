/** The products that whoever is signed in may see, as a filter of a list. */
import { useRead } from '../api/reads.ts';
import { SelectField } from '../parts/field.tsx';

export interface ProductFilterProps {
  /** The chosen product; '' is all of them. */
  readonly value: string;
  readonly onChange: (productId: string) => void;
}

/** A field that chooses a product. It is left out where there is nothing to choose from. */
export function ProductFilter({ value, onChange }: ProductFilterProps) {
  const { data } = useRead('/listProducts', { includeAll: true }, { later: true });
  const products = data?.products ?? [];
  const isKnown = value === '' || products.some(({ productId }) => productId === value);
  if (products.length < 2 && value === '') return null;
  return (
    <SelectField
      label="Product"
      hideLabel
      value={value}
      onChange={onChange}
      options={[
        { value: '', title: 'All products' },
        ...(isKnown ? [] : [{ value, title: value }]),
        ...products.map(({ productId, name }) => ({ value: productId, title: name })),
      ]}
    />
  );
}
