/** The fields of connected shops in forms, and the requests that they make: pure. */
import type {
  Connector,
  ConnectorMode,
  CreateConnectorRequest,
  MailLanguage,
  ShopMatch,
  ShopSource,
  UpdateConnectorRequest,
} from '../api/contract.ts';
import { given } from '../api/given.ts';
import { wholeNumber } from '../parts/whole-number.ts';
import type { Mapping } from './words.ts';

/** The fields of a new shop. */
export interface ConnectForm {
  readonly source: ShopSource;
  readonly name: string;
  readonly mode: ConnectorMode;
  /** '' for the signed-in person. */
  readonly creator: string;
  /** '' for the name of the seller. */
  readonly prefix: string;
}

export const NEW_SHOP: ConnectForm = { source: 'stripe', name: '', mode: 'live', creator: '', prefix: '' };

const PREFIX_FORM = /^[a-z0-9-]{1,40}$/;

/** The error in a prefix; undefined for a correct or empty one. */
export function wrongPrefix(text: string): string | undefined {
  return text.trim() === '' || PREFIX_FORM.test(text.trim())
    ? undefined
    : 'Use at most 40 lower-case letters, digits and hyphens.';
}

/** The request for a new connector, which watches; null while a field is missing or wrong. */
export function connectRequest({ source, name, mode, creator, prefix }: ConnectForm): CreateConnectorRequest | null {
  if (name.trim() === '' || wrongPrefix(prefix) !== undefined) return null;
  return { source, name: name.trim(), mode, ...given({ creatorId: creator.trim(), prefix: prefix.trim() }) };
}

/** The name and the settings of a connector as typed. */
export interface SettingsForm {
  readonly name: string;
  readonly graceDays: string;
  readonly dunningDays: string;
  readonly partialRefund: 'keep' | 'revoke';
  readonly disputeWon: 'attention' | 'reinstate';
  readonly mail: boolean;
  /** '' for the language of the buyer. */
  readonly language: MailLanguage | '';
  /** Addresses, divided by commas or spaces. */
  readonly notify: string;
  /** Origins of thank-you pages, divided by commas or spaces. */
  readonly origins: string;
}

export function settingsFormOf({ name, settings }: Pick<Connector, 'name' | 'settings'>): SettingsForm {
  return {
    name,
    graceDays: String(settings.graceDays ?? 0),
    dunningDays: String(settings.dunningDays ?? 0),
    partialRefund: settings.partialRefund ?? 'keep',
    disputeWon: settings.disputeWon ?? 'attention',
    mail: settings.mail ?? true,
    language: settings.languages?.[0] ?? '',
    notify: (settings.notify ?? []).join(', '),
    origins: (settings.origins ?? []).join(', '),
  };
}

/** The request with the changed fields; null if nothing is changed or a field is wrong. */
export function settingsRequest(
  connector: Pick<Connector, 'connectorId' | 'name' | 'settings'>,
  form: SettingsForm,
): UpdateConnectorRequest | null {
  const before = settingsFormOf(connector);
  const graceDays = wholeNumber(form.graceDays, 0);
  const dunningDays = wholeNumber(form.dunningDays, 0);
  if (form.name.trim() === '' || graceDays == null || dunningDays == null) return null;
  const { partialRefund, disputeWon, mail, language } = form;
  const all = {
    ...{ graceDays, dunningDays, partialRefund, disputeWon, mail },
    language: language === '' ? [] : [language],
    notify: wordsOf(form.notify),
    origins: wordsOf(form.origins),
  };
  const changed = Object.entries(all)
    .filter(([field]) => form[field as keyof SettingsForm] !== before[field as keyof SettingsForm])
    .map(([field, value]) => [field === 'language' ? 'languages' : field, value]);
  const name = form.name.trim() === before.name ? undefined : form.name.trim();
  if (changed.length === 0 && name === undefined) return null;
  const settings = changed.length === 0 ? {} : { settings: Object.fromEntries(changed) };
  return { connectorId: connector.connectorId, ...given({ name }), ...settings };
}

/** A mapping as typed. */
export interface MappingForm {
  readonly match: ShopMatch;
  readonly id: string;
  /** The sale has no license. */
  readonly isIgnored: boolean;
  readonly productId: string;
  /** '' for the usual one. */
  readonly variant: string;
  /** '' for the rule of the kind of sale. */
  readonly quantity: 'licenses' | 'scale' | '';
  /** '' for either kind. */
  readonly kind: 'once' | 'subscription' | '';
  readonly isTheirKey: boolean;
  readonly minimumAmount: string;
  /** Product identifiers, divided by commas or spaces. */
  readonly unlockedProducts: string;
}

export const NEW_MAPPING: MappingForm = {
  match: 'price',
  id: '',
  isIgnored: false,
  productId: '',
  variant: '',
  quantity: '',
  kind: '',
  isTheirKey: false,
  minimumAmount: '',
  unlockedProducts: '',
};

export function mappingFormOf(mapping: Mapping): MappingForm {
  return {
    match: mapping.match,
    id: mapping.id ?? '',
    isIgnored: mapping.ignore === true,
    productId: mapping.productId ?? '',
    variant: mapping.variant ?? '',
    quantity: mapping.quantity ?? '',
    kind: mapping.kind ?? '',
    isTheirKey: mapping.keys === 'theirs',
    minimumAmount: mapping.minimumAmount === undefined ? '' : String(mapping.minimumAmount),
    unlockedProducts: (mapping.unlockedProducts ?? []).join(', '),
  };
}

/** The request that sets a mapping; null while a field is missing or wrong. */
export function mappingRequest(connectorId: string, form: MappingForm): UpdateConnectorRequest | null {
  const { match, isIgnored, productId, variant, quantity, kind } = form;
  const id = form.id.trim();
  const minimumAmount = wholeNumber(form.minimumAmount, 0);
  if ((match !== 'any' && id === '') || minimumAmount === undefined) return null;
  const name = { match, ...(match === 'any' ? {} : { id }) };
  if (isIgnored) return { connectorId, mappings: [{ ...name, ignore: true }] };
  if (productId === '') return null;
  const unlockedProducts = wordsOf(form.unlockedProducts);
  const mapping = {
    ...{ ...name, productId },
    ...given({ variant, quantity, kind, minimumAmount }),
    ...(form.isTheirKey ? { keys: 'theirs' as const } : {}),
    ...(unlockedProducts.length === 0 ? {} : { unlockedProducts }),
  };
  return { connectorId, mappings: [mapping] };
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}
