/** The editions of a product by their features. */
import type { Variant } from '../api/contract.ts';
import { Section } from '../parts/section.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { featureText } from '../sentences/features.ts';

interface FeatureRow {
  readonly name: string;
}

/** A row for each feature that an offered variant has, a column for each such variant. Nothing without features. */
export function Editions({
  productId,
  variants,
}: {
  readonly productId: string;
  readonly variants: readonly Variant[];
}) {
  const editions = variants.filter(({ active }) => active);
  const names = [...new Set(editions.flatMap(({ features }) => Object.keys(features ?? {})))].sort();
  if (names.length === 0) return null;
  const columns: readonly Column<FeatureRow>[] = [
    { title: 'Feature', cell: ({ name }) => name, phone: 'first' },
    ...editions.map((variant, place) => ({
      title: variant.name,
      cell: ({ name }: FeatureRow) => {
        const value = variant.features?.[name];
        return value === undefined ? '–' : featureText(value);
      },
      phone: place === 0 ? ('firstEnd' as const) : place === 1 ? ('second' as const) : ('none' as const),
    })),
  ];
  return (
    <Section title="Editions" hint="What each variant includes. Licenses follow their variant at once.">
      <Table
        caption={`Features of the variants of ${productId}`}
        file={`editions-of-${productId}`}
        rows={names.map((name) => ({ name }))}
        keyOf={({ name }) => name}
        columns={columns}
        empty={null}
      />
    </Section>
  );
}
