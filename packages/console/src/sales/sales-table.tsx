import type { GetSalesReply, SalesOfVariant } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { counted, countText } from '../parts/count-words.ts';
import { Section } from '../parts/section.tsx';
import { type Column, Table } from '../parts/table.tsx';
import type { SalesRange } from './range.ts';
import { SaleSpark } from './sale-spark.tsx';
import styles from './sales.module.css';
import { growthText, shareText, wentBack } from './words.ts';

/** The figures of each variant, with a link to its licenses. */
export function SalesTable({ sales, range }: { readonly sales: GetSalesReply; readonly range: SalesRange }) {
  const seesLicenses = useCan('/listLicenses');
  const { data } = useRead('/listProducts', { includeAll: true }, { later: true, enabled: useCan('/listProducts') });
  const names = new Map(data?.products.map(({ productId, name }) => [productId, name]));
  const nameOf = ({ productId }: SalesOfVariant) => names.get(productId) ?? productId;
  const { others } = sales;
  return (
    <div className={styles.band}>
      <Section title="By product and variant" hint={`"Change" compares the licenses bought with ${range.before}.`}>
        <Table
          caption={`Sales by product and variant, ${range.title}`}
          columns={columnsOf(nameOf, range)}
          rows={sales.variants}
          keyOf={({ productId, variant }) => JSON.stringify([productId, variant])}
          {...(seesLicenses ? { hrefOf: licensesOf } : {})}
          file={{ name: 'sales', entries: () => sales.variants.map((each) => inFile(each, nameOf(each))) }}
          empty={null}
        />
        {others !== null && (
          <p className={styles.others}>
            {counted(others.variants, 'further variant')}: {countText(others.totals.purchased)} bought,{' '}
            {countText(others.totals.renewed)} renewed.
          </p>
        )}
      </Section>
    </div>
  );
}

function columnsOf(nameOf: (row: SalesOfVariant) => string, range: SalesRange): readonly Column<SalesOfVariant>[] {
  return [
    {
      title: 'Product',
      cell: (row) => (
        <>
          {nameOf(row)} <span className={styles.variant}>{row.variant}</span>
        </>
      ),
    },
    {
      title: 'Bought',
      cell: ({ totals }) => countText(totals.purchased),
      ...{ align: 'end', width: '88px', phone: 'firstEnd' },
    },
    {
      title: 'Change',
      cell: ({ totals, before }) => growthText(totals.purchased, before.purchased) || '–',
      ...{ align: 'end', width: '88px', phone: 'second' },
    },
    { title: 'Renewed', cell: ({ totals }) => countText(totals.renewed), align: 'end', width: '96px' },
    {
      title: 'Went back',
      cell: ({ totals }) => withShare(wentBack(totals), totals.purchased),
      ...{ align: 'end', width: '120px' },
    },
    {
      title: 'Trials bought',
      cell: ({ totals }) =>
        totals.trialsStarted + totals.trialsConverted === 0
          ? '–'
          : `${countText(totals.trialsConverted)} of ${countText(totals.trialsStarted)}`,
      ...{ align: 'end', width: '128px' },
    },
    {
      title: 'Over time',
      cell: ({ points, variant }) => (
        <SaleSpark values={points.purchased} label={`${variant}: bought over ${range.title}`} />
      ),
      width: '152px',
    },
  ];
}

/** "3", with its share of the licenses bought: "3 (2%)". */
function withShare(count: number, whole: number): string {
  const share = count === 0 ? null : shareText(count, whole);
  return share === null ? countText(count) : `${countText(count)} (${share})`;
}

function licensesOf({ productId, variant }: SalesOfVariant): string {
  return `#/licenses?${new URLSearchParams({ product: productId, variant })}`;
}

/** A variant as the file shows it. */
function inFile({ productId, variant, totals, before }: SalesOfVariant, product: string) {
  return { productId, product, variant, ...totals, before };
}
