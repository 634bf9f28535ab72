/** A list filter with the products that the signed-in person may see. */
import { useRead } from '../api/reads.ts';
import { SelectField } from '../parts/field.tsx';

export interface ProductFilterProps {
  /** The chosen product; '' for all products. */
  readonly value: string;
  readonly onChange: (productId: string) => void;
}

/** A field that chooses a product. Hidden with fewer than two products. */
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
