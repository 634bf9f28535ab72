import { useState } from 'react';
import { ageOf } from '../actions/listing-of.tsx';
import { readNotice } from '../actions/refusal-notice.tsx';
import type { Product, Variant } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Menu } from '../parts/menu.tsx';
import { Section } from '../parts/section.tsx';
import { daysText } from '../parts/span-words.ts';
import { Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Editions } from './editions.tsx';
import { EditVariantDialog, NewVariantDialog, RetireVariantDialog } from './variant-dialogs.tsx';
import { VariantTermsDialog } from './variant-terms-fields.tsx';
import { durationText, LICENSE_TYPE_WORDS, limitText, priceText } from './words.ts';

/** Page size: more variants than any product has. */
const MOST = 1000;

const COLUMNS: readonly Column<Variant>[] = [
  { title: 'Name', cell: ({ name }) => name },
  {
    title: 'State',
    cell: ({ active }) => <Status tone={active ? 'good' : 'quiet'}>{active ? 'Offered' : 'Retired'}</Status>,
    phone: 'firstEnd',
  },
  { title: 'Type', cell: ({ licenseType }) => LICENSE_TYPE_WORDS[licenseType] },
  { title: 'Limit', cell: limitText, phone: 'second' },
  { title: 'Lasts', cell: durationText, phone: 'secondEnd' },
  { title: 'Trial', cell: ({ defaultTrialDays }) => daysText(defaultTrialDays) },
  { title: 'Price', cell: ({ price }) => (price === null ? '–' : priceText(price)), align: 'end' },
];

type Opened = { readonly what: 'new' } | { readonly what: 'edit' | 'terms' | 'retire'; readonly variant: Variant };

/** The variants of a product, with their actions. */
export function ProductVariants({ product }: { readonly product: Product }) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  const list = useRead('/listVariants', { productId: product.productId, includeInactive: true, limit: MOST });
  const isOpen = product.status !== 'archived';
  const mayCreate = useCan('/createVariant') && isOpen;
  const mayChange = useCan('/updateVariant') && isOpen;
  const adding = <Button onClick={() => setOpened({ what: 'new' })}>New variant</Button>;
  return (
    <>
      <Section
        title="Variants"
        hint="The editions in which it is sold. A license keeps the values that its variant had when it was issued."
        actions={mayCreate && adding}
      >
        <Table
          caption={`Variants of ${product.name}`}
          file={`variants-of-${product.productId}`}
          rows={list.data?.variants}
          keyOf={({ name }) => name}
          columns={COLUMNS}
          {...(mayChange
            ? {
                actions: (variant: Variant) => (
                  <Menu
                    label={`Actions of ${variant.name}`}
                    groups={[
                      [
                        { title: 'Change', onSelect: () => setOpened({ what: 'edit', variant }) },
                        { title: 'Terms and features', onSelect: () => setOpened({ what: 'terms', variant }) },
                      ],
                      [
                        {
                          title: variant.active ? 'Retire' : 'Offer again',
                          onSelect: () => setOpened({ what: 'retire', variant }),
                        },
                      ],
                    ]}
                  />
                ),
              }
            : {})}
          empty={
            <Empty title="No variants yet">
              Without one, a license is for two machines and lasts for ever, unless its issuer chooses otherwise.
            </Empty>
          }
          notice={readNotice(list)}
          age={ageOf(list)}
        />
        {opened?.what === 'new' && (
          <NewVariantDialog product={product} variants={list.data?.variants ?? []} onClose={close} />
        )}
        {opened?.what === 'edit' && <EditVariantDialog of={opened.variant} onClose={close} />}
        {opened?.what === 'terms' && <VariantTermsDialog of={opened.variant} onClose={close} />}
        {opened?.what === 'retire' && <RetireVariantDialog of={opened.variant} onClose={close} />}
      </Section>
      <Editions productId={product.productId} variants={list.data?.variants ?? []} />
    </>
  );
}
