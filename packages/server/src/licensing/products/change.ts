/** The only writer of products and variants; records every change. */
import { difference, type Facts, type Origin, type Recorded } from '../../platform/events/event.ts';
import { recording } from '../../platform/events/record.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { changedLicenses, EVERY_LICENSE } from './changed-licenses.ts';
import type { Product } from './product.ts';
import { insertProduct, updateProduct } from './store.ts';
import { setTerms } from './terms.ts';
import type { Variant } from './variant.ts';
import { findVariant, saveVariant } from './variant-store.ts';

/** Adds a product; returns false and writes nothing when its slug is taken. */
export async function addProduct(tx: Tx, origin: Origin, product: Product): Promise<boolean> {
  const { productId } = product;
  const created: Recorded = { type: 'product.created', productId, after: factsOf(product), origin };
  return recording(
    tx,
    (isNew) => (isNew ? [created] : []),
    (tx) => insertProduct(tx, product),
  );
}

/** Writes the new state of a locked product. */
export async function changeProduct(tx: Tx, origin: Origin, product: Product, changed: Product): Promise<void> {
  const { productId, creatorId } = product;
  const differing = difference(factsOf(product), factsOf(changed));
  // The owner at the time of the change, even when the change transfers the product.
  await recording(tx, [{ type: 'product.updated', productId, creatorId, ...differing, origin }], (tx) =>
    updateProduct(tx, product, changed),
  );
}

/** Adds a variant of a locked product, or replaces the variant of the same name. */
export async function putVariant(tx: Tx, origin: Origin, variant: Variant): Promise<void> {
  const { productId, variantId: subject } = variant;
  const before = await findVariant(tx, productId, variant.name);
  const changes: Recorded[] = [];
  if (before === undefined) {
    // A license may have been sold with a variant that the catalogue did not know.
    if (Object.keys(setTerms(variant.terms)).length > 0) tx.publish(changedLicenses, EVERY_LICENSE);
    changes.push({ type: 'variant.created', productId, subject, after: factsOfVariant(variant), origin });
  } else {
    if (JSON.stringify(before.terms) !== JSON.stringify(variant.terms)) tx.publish(changedLicenses, EVERY_LICENSE);
    const differing = difference(factsOfVariant(before), factsOfVariant(variant));
    if (Object.keys(differing.after).length > 0)
      changes.push({ type: 'variant.updated', productId, subject, ...differing, origin });
  }
  await recording(tx, changes, (tx) => saveVariant(tx, variant));
}

function factsOfVariant({ variantId: _, productId: __, terms, ...facts }: Variant): Facts {
  return { ...facts, ...setTerms(terms) };
}

function factsOf({ name, creatorId, status }: Product): Facts {
  return { name, creatorId, status };
}
