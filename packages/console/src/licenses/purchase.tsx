/** The origin of a license, and related licenses. */
import type { License } from '../api/contract.ts';
import { Mono } from '../parts/copy.tsx';
import { Facts } from '../parts/section.tsx';
import { Time } from '../parts/time.tsx';
import styles from './licenses.module.css';

const DISPUTES = { refund: 'Refunded', chargeback: 'Taken back by the bank' } as const;

export function Purchase({ license }: { readonly license: License }) {
  const { purchasedAt, createdAt, purchaseId, bundleId, discountCode, disputeReason, unlockedProducts } = license;
  return (
    <>
      <Facts
        facts={[
          { title: 'Bought', value: <Time at={purchasedAt} as="day" /> },
          { title: 'Issued', value: <Time at={createdAt} as="day" /> },
          {
            title: 'Purchase',
            value:
              purchaseId === null ? (
                'None: issued without a shop'
              ) : (
                <a href={`#/licenses?purchase=${encodeURIComponent(purchaseId)}`}>
                  <Mono>{purchaseId}</Mono>
                </a>
              ),
          },
          { title: 'Bundle', value: bundleId && <Mono>{bundleId}</Mono> },
          { title: 'Code used', value: discountCode && <Mono>{discountCode}</Mono> },
          { title: 'Dispute', value: disputeReason && DISPUTES[disputeReason] },
          { title: 'Also opens', value: unlockedProducts.length === 0 ? null : unlockedProducts.join(', ') },
          {
            title: 'Product',
            value: <a href={`#/products/${encodeURIComponent(license.productId)}`}>{license.productId}</a>,
          },
        ]}
      />
      <p className={styles.sheetLink}>
        <a href={`#/licenses/${encodeURIComponent(license.key)}/evidence`}>Evidence on one page</a>, for the answer to a
        chargeback
      </p>
    </>
  );
}
