import { listFile } from '../actions/list-file.ts';
import { ageOf } from '../actions/listing-of.tsx';
import { readNotice } from '../actions/refusal-notice.tsx';
import type { DiscountCode, Product } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { LinkButton } from '../parts/button.tsx';
import { Mono } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { Meter } from '../parts/meter.tsx';
import { Section } from '../parts/section.tsx';
import { daysText } from '../parts/span-words.ts';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';

const SHOWN = 10;

const COLUMNS: readonly Column<DiscountCode>[] = [
  { title: 'Code', cell: ({ code }) => <Mono>{code}</Mono> },
  { title: 'Trial', cell: ({ trialDays }) => daysText(trialDays), phone: 'second' },
  {
    title: 'Used',
    cell: ({ usedCount, maxUses }) => <Meter label="Used" used={usedCount} limit={maxUses} />,
    phone: 'firstEnd',
  },
  {
    title: 'Works until',
    cell: ({ active, expiresAt }) =>
      active ? expiresAt === null ? 'No end' : <Time at={expiresAt} as="day" /> : 'Switched off',
    phone: 'secondEnd',
  },
];

/** The newest codes that give trials of one product. */
export function ProductCodes({ product }: { readonly product: Product }) {
  const request = { productId: product.productId, limit: SHOWN };
  const list = useRead('/listDiscountCodes', request);
  const all = `#/codes?product=${encodeURIComponent(product.productId)}`;
  const mayCreate = useCan('/createDiscountCode') && product.status !== 'archived';
  return (
    <Section
      title="Trial codes"
      hint="Codes for this product only."
      actions={
        <>
          {list.data?.nextCursor !== undefined && <LinkButton href={all}>All codes</LinkButton>}
          {mayCreate && <LinkButton href={`${all}&new=one`}>New code</LinkButton>}
        </>
      }
    >
      <Table
        caption={`Trial codes of ${product.name}`}
        file={listFile(`codes-of-${product.productId}`, '/listDiscountCodes', request, ({ codes }) => codes)}
        rows={list.data?.codes}
        keyOf={({ code }) => code}
        hrefOf={({ code }) => `#/codes/${encodeURIComponent(code)}`}
        columns={COLUMNS}
        empty={<Empty title="No codes yet">A code gives its redeemer a license for some days.</Empty>}
        notice={readNotice(list)}
        age={ageOf(list)}
      />
    </Section>
  );
}
