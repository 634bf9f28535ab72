import type { FullPool } from '../api/contract.ts';
import { Meter } from '../parts/meter.tsx';
import { Section } from '../parts/section.tsx';
import { Table } from '../parts/table.tsx';
import styles from './overview.module.css';

export interface FullestPoolsProps {
  /** Undefined while loading. */
  readonly pools: readonly FullPool[] | undefined;
  /** Whether licenses have been counted since the service started. */
  readonly isCounted: boolean;
}

/** Licenses that use at least 90 % of their machines or seats. Their customers will soon be refused, or buy more. */
export function FullestPools({ pools, isCounted }: FullestPoolsProps) {
  return (
    <Section title="Nearly full" hint="Licenses that use at least 90 % of their machines or seats.">
      <Table
        caption="Licenses that are nearly full"
        file="nearly-full-licenses"
        rows={pools}
        keyOf={({ licenseKey }) => licenseKey}
        hrefOf={({ licenseKey }) => `#/licenses/${encodeURIComponent(licenseKey)}`}
        columns={[
          { title: 'Customer', cell: ({ email }) => email },
          { title: 'Product', cell: ({ productId }) => productId, phone: 'second' },
          {
            title: 'In use',
            cell: ({ email, used, limit, licenseType }) => (
              <Meter
                label={`${licenseType === 'floating' ? 'Seats' : 'Machines'} of ${email}`}
                used={used}
                limit={limit}
              />
            ),
            phone: 'secondEnd',
          },
        ]}
        empty={
          <p className={styles.nothing}>
            {isCounted ? 'No license is nearly full.' : 'Licenses are counted a minute after the start.'}
          </p>
        }
      />
    </Section>
  );
}
