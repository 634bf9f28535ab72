import type { LicenseSummary } from '../api/contract.ts';
import { Key } from '../parts/copy.tsx';
import { counted } from '../parts/count-words.ts';
import { Meter } from '../parts/meter.tsx';
import { Badge, StatusOf } from '../parts/status.tsx';
import type { Column, ColumnSort } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { THREAT_HINT, threatText } from '../sentences/violations.ts';
import { WAITS } from '../sentences/waiting.ts';
import styles from './licenses.module.css';
import { endsSoon, STATUS_WORDS } from './words.ts';

/** The order of the list by creation and by expiry. */
export interface ListOrder {
  readonly created: ColumnSort;
  readonly expires: ColumnSort;
}

/**
 * The columns of the list of licenses.
 *
 * @param now the present time, which marks licenses that end soon
 * @param order absent for rows in an order of their own
 */
export function licenseColumns(now: number, order?: ListOrder): readonly Column<LicenseSummary>[] {
  return [
    { title: 'Key', cell: ({ key }) => <Key value={key} />, phone: 'second', width: '148px' },
    { title: 'Customer', cell: ({ email }) => email, phone: 'first' },
    { title: 'Product', cell: (license) => <ProductOf {...license} /> },
    {
      title: 'Status',
      cell: ({ status, threatLevel = 0 }) => (
        <span className={styles.inLine}>
          <StatusOf {...STATUS_WORDS[status]} />
          {threatLevel > 0 && status === 'active' && (
            <Badge tone={threatLevel >= 3 ? 'danger' : 'warn'} title={`${threatText(threatLevel)}. ${THREAT_HINT}`}>
              Threat {threatLevel}
            </Badge>
          )}
        </span>
      ),
      phone: 'firstEnd',
    },
    {
      title: 'Machines',
      // The limit of a floating license is its seats, regardless of the number of machines.
      cell: ({ licenseType, machinesUsed = 0, maxMachines, maxConcurrent }) =>
        licenseType === 'floating' ? (
          `${counted(machinesUsed, 'machine')}, ${counted(maxConcurrent ?? maxMachines, 'seat')}`
        ) : (
          <Meter label="Machines" used={machinesUsed} limit={maxMachines} />
        ),
    },
    {
      title: 'Expires',
      cell: ({ expiresAt, waiting }) =>
        expiresAt === null || expiresAt === undefined ? (
          <span className={styles.quiet}>{waiting === true ? WAITS : 'Never'}</span>
        ) : (
          <Time at={expiresAt} as={endsSoon(expiresAt, now) ? 'relative' : 'day'} />
        ),
      ...(order === undefined ? {} : { sort: order.expires }),
    },
    {
      title: 'Created',
      cell: ({ createdAt }) => <Time at={createdAt} />,
      align: 'end',
      phone: 'secondEnd',
      ...(order === undefined ? {} : { sort: order.created }),
    },
  ];
}

function ProductOf({ productId, variant }: Pick<LicenseSummary, 'productId' | 'variant'>) {
  return (
    <span>
      {productId} <span className={styles.quiet}>/ {variant}</span>
    </span>
  );
}
