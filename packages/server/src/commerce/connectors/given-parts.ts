/** Reads the parts of connectors that requests give: mappings and settings. */
import { readAddress } from '../../ground/base/typed-text.ts';
import { FieldFault, readField } from '../../platform/endpoint/field-types.ts';
import { MAIL_LANGUAGES } from '../../platform/endpoint/mail-kind.ts';
import { isRecord, isText } from '../../storage/contract/stored-json.ts';
import { MAX_MAPPINGS } from './connector.ts';
import { type MappedProduct, type Mapping, QUANTITY_RULES } from './mapping.ts';
import { type ConnectorSettings, DISPUTES_WON, PARTIAL_REFUNDS } from './settings.ts';
import { MATCHES } from './sources/facts.ts';

const MAX_TEXT = 255;
const MAX_AMOUNT = 1e15;
const MAX_DAYS = 365;
const MAX_ADDRESSES = 10;
const MAX_ORIGINS = 10;
const MAX_UNLOCKED = 20;

/** A mapping as requests and replies have it. */
export interface MappingView {
  readonly match: Mapping['match'];
  /** Absent for `any`. */
  readonly id?: string;
  readonly productId?: string;
  readonly variant?: string;
  readonly quantity?: NonNullable<MappedProduct['quantity']>;
  readonly kind?: NonNullable<MappedProduct['kind']>;
  readonly keys?: MappedProduct['keys'];
  readonly minimumAmount?: number;
  readonly unlockedProducts?: readonly string[];
  readonly ignore?: true;
}

/** Identifies a mapping: the kind of its name, and the name. */
export type MappingName = Pick<Mapping, 'match' | 'id'>;

const isShortText = (value: unknown): value is string =>
  isText(value) && value !== '' && value.length <= MAX_TEXT && !value.includes('\0') && value.isWellFormed();

function within<const Choices extends readonly string[]>(
  value: unknown,
  choices: Choices,
): Choices[number] | undefined {
  return choices.find((choice) => choice === value);
}

const fault = (name: string, text: string) => new FieldFault(`.${name} ${text}`);
const SHORT_TEXT = `must be a string of at most ${MAX_TEXT} characters`;

function readName(given: Readonly<Record<string, unknown>>): MappingName | FieldFault {
  const match = within(given.match, MATCHES);
  if (match === undefined) return fault('match', `must be one of ${MATCHES.join(', ')}`);
  if (match === 'any') return given.id == null ? { match, id: null } : fault('id', 'is not for any');
  return isShortText(given.id) ? { match, id: given.id } : fault('id', SHORT_TEXT);
}

function readMapping(given: unknown): MappingView | FieldFault {
  if (!isRecord(given)) return new FieldFault('must be an object');
  const name = readName(given);
  if (name instanceof FieldFault) return name;
  if (given.ignore === true) return mappingView({ ...name, target: 'ignore' });
  if (given.ignore !== undefined && given.ignore !== null && given.ignore !== false)
    return fault('ignore', 'must be true or false');
  const { productId, variant = null, quantity = null, kind = null, keys = 'ours' } = given;
  if (!isShortText(productId)) return fault('productId', SHORT_TEXT);
  if (variant !== null && !isShortText(variant)) return fault('variant', SHORT_TEXT);
  const rule = quantity === null ? null : within(quantity, QUANTITY_RULES);
  if (rule === undefined) return fault('quantity', `must be one of ${QUANTITY_RULES.join(', ')}`);
  const sold = kind === null ? null : within(kind, ['once', 'subscription']);
  if (sold === undefined) return fault('kind', 'must be one of once, subscription');
  const whose = within(keys, ['ours', 'theirs']);
  if (whose === undefined) return fault('keys', 'must be one of ours, theirs');
  const minimumAmount = given.minimumAmount ?? null;
  if (minimumAmount !== null && !isWholeTo(minimumAmount, MAX_AMOUNT))
    return fault('minimumAmount', `must be a whole number from 0 to ${MAX_AMOUNT}`);
  const unlockedProducts = given.unlockedProducts ?? [];
  if (
    !Array.isArray(unlockedProducts) ||
    unlockedProducts.length > MAX_UNLOCKED ||
    !unlockedProducts.every(isShortText)
  )
    return fault('unlockedProducts', `must be a list of at most ${MAX_UNLOCKED} strings`);
  const target = { productId, variant, quantity: rule, kind: sold, keys: whose, minimumAmount, unlockedProducts };
  return mappingView({ ...name, target });
}

function isWholeTo(value: unknown, maximum: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= maximum;
}

const MAPPING_PROPERTIES = {
  match: { type: 'string', enum: [...MATCHES] },
  id: { type: 'string', description: "The seller's name; none for `any`." },
  productId: { type: 'string' },
  variant: { type: 'string', description: 'The variant of new licenses; `indie` by default.' },
  quantity: {
    type: 'string',
    enum: [...QUANTITY_RULES],
    description: 'A license for each unit, or one with the limits of its variant times the units.',
  },
  kind: { type: 'string', enum: ['once', 'subscription'], description: 'Needed where the order does not say it.' },
  keys: { type: 'string', enum: ['ours', 'theirs'], description: "`theirs`: the seller's license key is the key." },
  minimumAmount: { type: 'integer', description: 'The least price of a unit, in the smallest unit of its currency.' },
  unlockedProducts: { type: 'array', items: { type: 'string' } },
  ignore: { type: 'boolean', description: 'The product has no license.' },
};

/** The schema of a mapping in requests and replies. */
export const mappingSchema = {
  component: 'ShopMapping',
  type: 'object',
  required: ['match'],
  properties: MAPPING_PROPERTIES,
};

function readList<Value>(
  read: (given: unknown) => Value | FieldFault,
): (given: unknown) => readonly Value[] | FieldFault {
  return (given) => {
    if (!Array.isArray(given) || given.length > MAX_MAPPINGS) return new FieldFault(LIST_TEXT);
    const found: Value[] = [];
    for (const [index, each] of given.entries()) {
      const value = read(each);
      if (value instanceof FieldFault)
        return new FieldFault(`.${index}${value.text.startsWith('.') ? '' : ' '}${value.text}`);
      found.push(value);
    }
    return found;
  };
}
const LIST_TEXT = `must be a list of at most ${MAX_MAPPINGS} objects`;

/** Mappings as a field. */
export function mappingsField(description: string) {
  const schema = { type: 'array', items: mappingSchema, maxItems: MAX_MAPPINGS, description };
  return readField<readonly MappingView[]>(schema, LIST_TEXT, readList(readMapping));
}

/** Names of mappings as a field. */
export function mappingNamesField(description: string) {
  const { match, id } = MAPPING_PROPERTIES;
  const items = { type: 'object', required: ['match'], properties: { match, id } };
  const schema = { type: 'array', items, maxItems: MAX_MAPPINGS, description };
  const read = (given: unknown) => {
    const name = isRecord(given) ? readName(given) : new FieldFault('must be an object');
    if (name instanceof FieldFault) return name;
    return name.id === null ? { match: name.match } : { match: name.match, id: name.id };
  };
  return readField<readonly Pick<MappingView, 'match' | 'id'>[]>(schema, LIST_TEXT, readList(read));
}

/** The mapping as replies show it. */
export function mappingView({ match, id, target }: Mapping): MappingView {
  const name = { match, ...(id === null ? {} : { id }) };
  if (target === 'ignore') return { ...name, ignore: true };
  const { productId, variant, quantity, kind, keys, minimumAmount, unlockedProducts } = target;
  return {
    ...name,
    productId,
    ...(variant === null ? {} : { variant }),
    ...(quantity === null ? {} : { quantity }),
    ...(kind === null ? {} : { kind }),
    ...(keys === 'ours' ? {} : { keys }),
    ...(minimumAmount === null ? {} : { minimumAmount }),
    ...(unlockedProducts.length === 0 ? {} : { unlockedProducts }),
  };
}

/** The mapping that a request gives. */
export function mappingOf(view: MappingView): Mapping {
  const { match, id = null, productId = '', variant = null, quantity = null, kind = null, keys = 'ours' } = view;
  const { minimumAmount = null, unlockedProducts = [] } = view;
  const target = { productId, variant, quantity, kind, keys, minimumAmount, unlockedProducts };
  return { match, id, target: view.ignore === true ? 'ignore' : target };
}

const isOrigin = (value: unknown): value is string =>
  isShortText(value) && URL.parse(value)?.origin === value && value.startsWith('https://');

/** How each setting is read; a fault is the text after its name. */
const SETTINGS: {
  readonly [Name in keyof ConnectorSettings]: {
    readonly schema: Readonly<Record<string, unknown>>;
    readonly form: string;
    read(given: unknown): ConnectorSettings[Name] | undefined;
  };
} = {
  graceDays: daysSetting('Days after the end of a paid period in which a license goes on.'),
  dunningDays: daysSetting('The same while the seller tries to collect a payment that failed.'),
  partialRefund: choiceSetting('What a refund of a part does where the seller names no line.', PARTIAL_REFUNDS),
  disputeWon: choiceSetting('Whether a person decides about a dispute that was won.', DISPUTES_WON),
  mail: {
    schema: { type: 'boolean', description: 'Whether buyers get their keys by e-mail.' },
    form: 'must be true or false',
    read: (given) => (typeof given === 'boolean' ? given : undefined),
  },
  languages: {
    schema: { type: 'array', items: { type: 'string', enum: [...MAIL_LANGUAGES] }, description: "Empty: the buyer's." },
    form: `must be a list of ${MAIL_LANGUAGES.join(', ')}`,
    read: (given) =>
      Array.isArray(given) && given.every((each) => within(each, MAIL_LANGUAGES) !== undefined)
        ? [...new Set(given as string[])]
        : undefined,
  },
  notify: {
    schema: { type: 'array', items: { type: 'string' }, description: 'Addresses for what needs attention.' },
    form: `must be a list of at most ${MAX_ADDRESSES} e-mail addresses`,
    read: (given) => {
      const addresses = Array.isArray(given) && given.length <= MAX_ADDRESSES ? given.map(addressOf) : [null];
      return addresses.every((each) => each !== null) ? (addresses as string[]) : undefined;
    },
  },
  origins: {
    schema: { type: 'array', items: { type: 'string' }, description: 'Origins of thank-you pages.' },
    form: `must be a list of at most ${MAX_ORIGINS} origins such as https://shop.example.com`,
    read: (given) => (Array.isArray(given) && given.length <= MAX_ORIGINS && given.every(isOrigin) ? given : undefined),
  },
};

function daysSetting(description: string) {
  return {
    schema: { type: 'integer', minimum: 0, maximum: MAX_DAYS, description },
    form: `must be a whole number from 0 to ${MAX_DAYS}`,
    read: (given: unknown) => (isWholeTo(given, MAX_DAYS) ? given : undefined),
  };
}

function choiceSetting<const Choices extends readonly string[]>(description: string, choices: Choices) {
  return {
    schema: { type: 'string', enum: [...choices], description },
    form: `must be one of ${choices.join(', ')}`,
    read: (given: unknown) => within(given, choices),
  };
}

function addressOf(given: unknown): string | null {
  return isShortText(given) && /^[^\s@]+@[^\s@]+$/.test(given) ? readAddress(given) : null;
}

/** The schema of settings in requests and replies. */
export const settingsSchema = {
  component: 'ShopSettings',
  type: 'object',
  description: 'Settings of a connector; in a request those that it leaves out stay as they are.',
  properties: Object.fromEntries(Object.entries(SETTINGS).map(([name, { schema }]) => [name, schema])),
};

/** Some settings as a field; the others stay as they are. */
export function settingsField() {
  return readField<Partial<ConnectorSettings>>(settingsSchema, 'must be an object', (given) => {
    if (!isRecord(given)) return new FieldFault('must be an object');
    const read: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(given)) {
      const setting = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as keyof ConnectorSettings] : undefined;
      if (setting === undefined)
        return new FieldFault(
          `has no ${JSON.stringify(name.slice(0, 40))}; its names are ${Object.keys(SETTINGS).join(', ')}`,
        );
      const found = setting.read(value);
      if (found === undefined) return fault(name, setting.form);
      read[name] = found;
    }
    return read;
  });
}
