/** Reads one order for the screens that show it, with placeholders while it is missing. */
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { NoItem } from '../actions/no-item.tsx';
import type { StudioOrder } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';

/** The link back to the list. */
export const ORDERS = { title: 'Orders', href: '#/orders' };

/** Shows the order that the address names. */
export function OneOrder({ children }: { readonly children: (order: StudioOrder) => ReactNode }) {
  const { orderId = '' } = useParams({ strict: false }) as { readonly orderId?: string };
  const read = useRead('/getStudioOrder', { studioOrderId: orderId });
  if (read.data !== undefined) return <>{children(read.data.studioOrder)}</>;
  const missing = 'studio_order_not_found';
  return <NoItem title="Order" what="the order" back={ORDERS} all="All orders" read={read} missing={missing} />;
}
