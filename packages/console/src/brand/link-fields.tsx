import { useRead } from '../api/reads.ts';
import { Button } from '../parts/button.tsx';
import { Fields, SelectField, TextField } from '../parts/field.tsx';
import styles from './brand.module.css';
import { EMPTY_LINKS, LINK_LABELS, type LinksForm } from './brand-form.ts';

export interface LinkFieldsProps {
  readonly label: string;
  readonly links: readonly LinksForm[];
  readonly disabled: boolean;
  /** Why the service refused a link, as a sentence. */
  readonly wrong: string | undefined;
  readonly onChange: (links: readonly LinksForm[]) => void;
}

/** The links of products: a group of fields for each product, and a button that adds one. */
export function LinkFields({ label, links, disabled, wrong, onChange }: LinkFieldsProps) {
  const { data } = useRead('/listProducts', { includeAll: true }, { later: true });
  const products = (data?.products ?? []).map(({ productId, name }) => ({ value: productId, title: name }));
  const optionsFor = (chosen: string) => [
    ...(products.some(({ value }) => value === chosen)
      ? []
      : [{ value: chosen, title: chosen === '' ? 'Choose a product' : chosen }]),
    ...products,
  ];
  const replace = (index: number, changes: Partial<LinksForm>) =>
    onChange(links.map((each, at) => (at === index ? { ...each, ...changes } : each)));
  return (
    <fieldset className={styles.links} disabled={disabled}>
      <legend>{label}</legend>
      <p className={styles.quiet}>They stand beside the licenses of a product. Each is an https address, or empty.</p>
      {wrong !== undefined && (
        <p role="alert" className={styles.wrong}>
          {wrong}
        </p>
      )}
      {links.map((each, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has nothing else that stays while it is typed
        <Fields key={index}>
          <SelectField
            label="Product"
            value={each.productId}
            onChange={(productId) => replace(index, { productId })}
            options={optionsFor(each.productId)}
          />
          {(['download', 'renew', 'receipt'] as const).map((kind) => (
            <TextField
              key={kind}
              label={LINK_LABELS[kind]}
              type="url"
              maxLength={500}
              value={each[kind]}
              onChange={(link) => replace(index, { [kind]: link })}
            />
          ))}
          <div>
            <Button small onClick={() => onChange(links.filter((_, at) => at !== index))}>
              Remove the links of {each.productId === '' ? 'this product' : each.productId}
            </Button>
          </div>
        </Fields>
      ))}
      {!disabled && (
        <Button small onClick={() => onChange([...links, EMPTY_LINKS])}>
          Add links of a product
        </Button>
      )}
    </fieldset>
  );
}
