/** One product: its sales, its variants, and the codes for trials of it. */
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { NoItem } from '../actions/no-item.tsx';
import type { Product, ProductStatus } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { Refusal } from '../api/refusal.ts';
import { useCan, useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Mono, WithCopy } from '../parts/copy.tsx';
import { Menu } from '../parts/menu.tsx';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { StatusOf } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { ProductCodes } from './product-codes.tsx';
import { ReassignDialog, RenameDialog, StatusDialog } from './product-dialogs.tsx';
import { ProductSales } from './product-sales.tsx';
import styles from './product-screen.module.css';
import { ProductVariants } from './product-variants.tsx';
import { PRODUCT_STATUS_WORDS } from './words.ts';

const BACK = { title: 'Products', href: '#/products' };

export function Screen() {
  const { productId = '' } = useParams({ strict: false }) as { readonly productId?: string };
  const read = useRead('/listProducts', { productId, includeAll: true });
  const product = read.data?.products[0];
  if (product !== undefined) return <ProductPage product={product} />;
  const missing = 'product_not_found';
  const error = read.data === undefined ? read.error : new Refusal(missing, 'Product not found');
  const one = { error, refetch: read.refetch };
  return <NoItem title="Product" what="the product" back={BACK} all="All products" read={one} missing={missing} />;
}

type Opened = 'rename' | 'reassign' | ProductStatus;

function ProductPage({ product }: { readonly product: Product }) {
  const isOperator = useSession().kind === 'operator';
  const mayChange = useCan('/updateProduct');
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  const isArchived = product.status === 'archived';
  const open = (what: Opened) => () => setOpened(what);
  return (
    <Page
      title={product.name}
      back={BACK}
      subtitle={
        <>
          <StatusOf {...PRODUCT_STATUS_WORDS[product.status]} />
          <WithCopy text={product.productId} label="Copy the identifier">
            <Mono>{product.productId}</Mono>
          </WithCopy>
          {isOperator && <span>Creator {product.creatorId}</span>}
          <span>
            Created <Time at={product.createdAt} />
          </span>
        </>
      }
      actions={
        mayChange && (
          <>
            {product.status !== 'live' && <Button onClick={open('live')}>Put on sale</Button>}
            {!isArchived && <Button onClick={open('rename')}>Rename</Button>}
            <Menu
              label={`More for ${product.name}`}
              groups={[
                product.status === 'live' ? [{ title: 'Unlist', onSelect: open('unlisted') }] : [],
                isOperator && !isArchived ? [{ title: 'Give to another creator', onSelect: open('reassign') }] : [],
                isArchived ? [] : [{ title: 'Archive', onSelect: open('archived'), danger: true }],
              ]}
            >
              More
            </Menu>
          </>
        )
      }
    >
      {isArchived && (
        <div className={styles.archived}>
          <Notice title="This product is archived.">
            Its licenses keep working. It cannot be changed until it is put on sale again.
          </Notice>
        </div>
      )}
      <ProductSales productId={product.productId} />
      <ProductVariants product={product} />
      <ProductCodes product={product} />
      {opened === 'rename' && <RenameDialog of={product} onClose={close} />}
      {opened === 'reassign' && <ReassignDialog of={product} onClose={close} />}
      {(opened === 'live' || opened === 'unlisted' || opened === 'archived') && (
        <StatusDialog of={product} to={opened} onClose={close} />
      )}
    </Page>
  );
}
