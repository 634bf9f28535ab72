/** Products, variants, codes and their redemptions as lines. */
import Type from 'typebox';
import { addDiscountCode, addRedemption } from '../../commerce/discount-codes/change.ts';
import { codeField, type DiscountCode } from '../../commerce/discount-codes/discount-code.ts';
import {
  codeTable,
  findDiscountCode,
  findRedemptionOf,
  listRedemptionsOfMoment,
  redemptionTable,
  type StoredRedemption,
} from '../../commerce/discount-codes/store.ts';
import { foldCode, foldEmail } from '../../ground/base/typed-text.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { isPseudonym, PSEUDONYMS } from '../../licensing/licenses/pseudonym.ts';
import { addProduct, putVariant } from '../../licensing/products/change.ts';
import { slugField } from '../../licensing/products/create-product.ts';
import { LICENSE_TYPES } from '../../licensing/products/license-type.ts';
import { PRODUCT_STATUSES, type Product } from '../../licensing/products/product.ts';
import { findProduct, lockProduct, productTable } from '../../licensing/products/store.ts';
import {
  changedVariantTerms,
  NO_VARIANT_TERMS,
  setTerms,
  termsAfter,
  type VariantTerms,
} from '../../licensing/products/terms.ts';
import { type Variant, variantIdOf } from '../../licensing/products/variant.ts';
import { findVariant, variantTable } from '../../licensing/products/variant-store.ts';
import {
  amountOfMoney,
  email,
  endTimestamp,
  flag,
  licenseKeyField,
  machineLimit,
  nullable,
  oneOf,
  text,
  timestamp,
  wholeNumber,
} from '../../platform/endpoint/field-types.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import { licensesThere, NO_LICENSE } from './license-records.ts';
import { fromTable, type RecordKind } from './record.ts';

const EVERYTHING = { creatorId: null } as const;

/** Looks things up one by one, because there are few of these kinds. */
async function found<Content>(
  given: readonly Content[],
  idOf: (content: Content) => string,
  find: (content: Content) => Promise<Content | undefined>,
): Promise<Map<string, Content>> {
  const present = new Map<string, Content>();
  for (const content of given) {
    const known = await find(content);
    if (known !== undefined) present.set(idOf(content), known);
  }
  return present;
}

/**
 * The ids of the products that exist; locked in a writing transaction, because their lock is that of their variants.
 */
async function productsThere(sql: Sql, tx: Tx | null, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const there = new Set<string>();
  for (const id of [...new Set(ids)].sort()) {
    const product = await (tx === null ? findProduct(sql, id, EVERYTHING) : lockProduct(tx, id, EVERYTHING));
    if (product !== undefined) there.add(id);
  }
  return there;
}

export const productRecords: RecordKind<Product> = {
  ...fromTable(
    productTable,
    Type.Object({
      productId: slugField,
      name: text('Its name for people.'),
      creatorId: text('Owner.'),
      status: Type.Optional(oneOf('`live` unless given.', PRODUCT_STATUSES)),
      createdAt: Type.Optional(timestamp('When it was made.')),
      updatedAt: Type.Optional(timestamp('When it last changed.')),
    }),
    {},
  ),
  missing: 'lacks productId, name or creatorId',
  content(fields, now) {
    const given = fields as Pick<Product, 'productId' | 'name' | 'creatorId'> & Partial<Product>;
    const createdAt = given.createdAt ?? now;
    return {
      id: given.productId,
      content: { status: 'live', ...given, createdAt, updatedAt: given.updatedAt ?? createdAt },
    };
  },
  async loadExisting(sql, _tx, given) {
    const present = await found(
      given,
      ({ productId }) => productId,
      ({ productId }) => findProduct(sql, productId, EVERYTHING),
    );
    return { present, refusal: () => null };
  },
  async add(tx, products, origin) {
    for (const product of products) await addProduct(tx, origin, product);
  },
};

/** A variant as its line states it: each term is a field of its own. */
type VariantLine = Omit<Variant, 'terms'> & VariantTerms;

const lineOf = ({ terms, ...variant }: Variant): VariantLine => ({ ...variant, ...terms });

function variantOf(line: VariantLine): Variant {
  const terms = termsAfter(NO_VARIANT_TERMS, { ...line });
  const variant = Object.fromEntries(Object.entries(line).filter(([name]) => !(name in NO_VARIANT_TERMS)));
  return { ...variant, terms } as Variant;
}

/** Product and name identify a variant; JSON escapes line ends in both. */
const variantKey = ({ productId, name }: VariantLine) => JSON.stringify([productId, name]);

export const variantRecords: RecordKind<VariantLine> = {
  ...fromTable(
    variantTable,
    Type.Object({
      productId: slugField,
      name: text('Name within the product.'),
      licenseType: Type.Optional(oneOf('`per-machine` unless given.', LICENSE_TYPES)),
      maxMachines: Type.Optional(machineLimit('2 unless given.')),
      maxConcurrent: Type.Optional(nullable(wholeNumber('Floating sessions at once.', 1))),
      defaultTrialDays: Type.Optional(nullable(wholeNumber('Trial length.', 1))),
      durationDays: Type.Optional(nullable(wholeNumber('Days a license lasts.', 1))),
      price: Type.Optional(nullable(amountOfMoney('Smallest currency unit.'))),
      active: Type.Optional(flag('True unless given.')),
      ...changedVariantTerms,
    }),
    { variantId: 'made of productId and name', terms: 'each term is a field of its own' },
    ({ terms }) => setTerms(terms),
  ),
  missing: 'lacks productId or name',
  content(fields) {
    const given = fields as Pick<Variant, 'productId' | 'name'> & Partial<VariantLine>;
    const content: VariantLine = {
      ...NO_VARIANT_TERMS,
      licenseType: 'per-machine',
      maxMachines: 2,
      maxConcurrent: null,
      defaultTrialDays: null,
      durationDays: null,
      price: null,
      active: true,
      ...given,
      variantId: variantIdOf(given.productId, given.name),
    };
    return { id: variantKey(content), content };
  },
  async loadExisting(sql, tx, given, planned) {
    const products = await productsThere(
      sql,
      tx,
      given.map(({ productId }) => productId),
    );
    const present = await found(given, variantKey, async ({ productId, name }) => {
      const variant = await findVariant(sql, productId, name);
      return variant && lineOf(variant);
    });
    return {
      present,
      refusal: ({ productId }) =>
        products.has(productId) || planned.has('product', productId) ? null : 'there is no product of this productId',
    };
  },
  async add(tx, variants, origin) {
    for (const line of variants) await putVariant(tx, origin, variantOf(line));
  },
};

export const codeRecords: RecordKind<DiscountCode> = {
  ...fromTable(
    codeTable,
    Type.Object({
      code: codeField,
      productId: Type.Optional(nullable(text('Product that it is for.'))),
      creatorId: Type.Optional(nullable(text('Owner.'))),
      trialDays: wholeNumber('Length of the trial.', 1),
      maxUses: Type.Optional(nullable(wholeNumber('Redemptions in all.', 1))),
      usedCount: Type.Optional(wholeNumber('Redemptions so far.', 0)),
      active: Type.Optional(flag('True unless given.')),
      createdAt: Type.Optional(timestamp('When it was made.')),
      expiresAt: Type.Optional(nullable(endTimestamp('When it stops working.'))),
    }),
    { codeFolded: 'made of the code' },
  ),
  missing: 'lacks code or trialDays',
  content(fields, now) {
    const given = fields as Pick<DiscountCode, 'code' | 'trialDays'> & Partial<DiscountCode>;
    if (foldCode(given.code) === '') return { fault: 'code must not be blank' };
    return {
      id: foldCode(given.code),
      content: {
        productId: null,
        creatorId: null,
        maxUses: null,
        usedCount: 0,
        active: true,
        createdAt: now,
        expiresAt: null,
        ...given,
      },
    };
  },
  async loadExisting(sql, _tx, given) {
    const present = await found(
      given,
      ({ code }) => foldCode(code),
      ({ code }) => findDiscountCode(sql, code, EVERYTHING),
    );
    return { present, refusal: () => null };
  },
  async add(tx, codes, origin) {
    for (const code of codes) await addDiscountCode(tx, origin, code);
  },
};

/**
 * The same redemption, whose address was forgotten. The line is compared with it, so that an older file that still
 * contains the address does not bring it back.
 */
async function forgottenRedemption(sql: Sql, content: StoredRedemption): Promise<StoredRedemption | undefined> {
  if (isPseudonym(content.email)) return undefined;
  const same = await listRedemptionsOfMoment(sql, content, PSEUDONYMS);
  const email = same.map((each) => each.email).find(isPseudonym);
  return email === undefined ? undefined : { ...content, email };
}

const redemptionKey = ({ code, email: address }: StoredRedemption) => JSON.stringify([code, address]);

export const redemptionRecords: RecordKind<StoredRedemption> = {
  ...fromTable(
    redemptionTable,
    Type.Object({
      code: codeField,
      email: email('Who redeemed it.'),
      licenseKey: licenseKeyField,
      redeemedAt: timestamp('When.'),
    }),
    {},
  ),
  missing: 'lacks code, email, licenseKey or redeemedAt',
  content(fields) {
    const given = fields as unknown as StoredRedemption;
    const content = {
      code: foldCode(given.code),
      email: foldEmail(given.email),
      licenseKey: storedLicenseKey(given.licenseKey),
      redeemedAt: given.redeemedAt,
    };
    return { id: redemptionKey(content), content };
  },
  async loadExisting(sql, _tx, given, planned) {
    const present = await found(given, redemptionKey, async (content) => {
      const known = await findRedemptionOf(sql, content, content.email);
      return known === undefined ? forgottenRedemption(sql, content) : { ...content, ...known };
    });
    const codes = new Set<string>();
    for (const code of new Set(given.map((each) => each.code)))
      if ((await findDiscountCode(sql, code, EVERYTHING)) !== undefined) codes.add(code);
    const isLicenseThere = await licensesThere(sql, null, given, planned);
    return {
      present,
      refusal({ code, licenseKey }) {
        if (!codes.has(code) && !planned.has('code', code)) return 'there is no such code';
        return isLicenseThere(licenseKey) ? null : NO_LICENSE;
      },
    };
  },
  async add(tx, redemptions, origin) {
    for (const redemption of redemptions) {
      const code = await findDiscountCode(tx, redemption.code, EVERYTHING);
      if (code !== undefined) await addRedemption(tx, origin, code, redemption);
    }
  },
};
