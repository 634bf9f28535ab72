/** Reads one order for the screens that show it, with placeholders while it is missing. */
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { NotThere, RefusalNotice } from '../actions/refusal-notice.tsx';
import type { StudioOrder } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { LinkButton } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';
import { Loading } from '../parts/skeleton.tsx';

/** The link back to the list. */
export const ORDERS = { title: 'Orders', href: '#/orders' };

/** Shows the order that the address names. */
export function OneOrder({ children }: { readonly children: (order: StudioOrder) => ReactNode }) {
  const { orderId = '' } = useParams({ strict: false }) as { readonly orderId?: string };
  const read = useRead('/getStudioOrder', { studioOrderId: orderId });
  if (read.data !== undefined) return <>{children(read.data.studioOrder)}</>;
  return (
    <Page title="Order" back={ORDERS}>
      {read.error === null ? (
        <Loading what="the order" lines={8} />
      ) : read.error.code === 'studio_order_not_found' ? (
        <NotThere refusal={read.error} back={<LinkButton href={ORDERS.href}>All orders</LinkButton>} />
      ) : (
        <RefusalNotice refusal={read.error} onRetry={() => void read.refetch()} />
      )}
    </Page>
  );
}
