/** Sets and removes mappings: which name of the seller's is which product. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { WriteDialog } from '../actions/write-dialog.tsx';
import { call } from '../api/call.ts';
import type { Connector, ShopMatch } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import { Checkbox, FieldRow, type FormPartProps, NumberField, SelectField, TextField } from '../parts/field.tsx';
import { toast } from '../parts/toast.tsx';
import { type MappingForm, mappingFormOf, mappingRequest, NEW_MAPPING } from './forms.ts';
import { MATCHES, type Mapping, mappingName, SELLERS } from './words.ts';

/** Number of recent events whose product names are offered for a mapping. */
const EVENTS_ASKED = 8;

interface Seen {
  readonly match: ShopMatch;
  readonly id: string;
}

/** The names in an event, or in the newest sales without a mapping. */
function useSeenNames(connectorId: string, eventId: string | undefined, isAsked: boolean): readonly Seen[] {
  const { data = [] } = useQuery({
    queryKey: ['seenNames', connectorId, eventId ?? null],
    enabled: isAsked,
    queryFn: async ({ signal }) => {
      const ids = eventId === undefined ? await newestSales(connectorId, signal) : [eventId];
      const previews = await Promise.all(ids.map((id) => call('/previewShopEvent', { eventId: id }, { signal })));
      const all = previews.flatMap(({ names }) => names).map((name) => [mappingName(name), name] as const);
      return [...new Map(all).values()];
    },
  });
  return data;
}

/** The newest events that need a mapping, then those that were only watched. */
async function newestSales(connectorId: string, signal: AbortSignal): Promise<readonly string[]> {
  const states = ['attention', 'watched'] as const;
  const lists = await Promise.all(
    states.map((state) => call('/listShopEvents', { connectorId, state, limit: EVENTS_ASKED }, { signal })),
  );
  const events = lists.flatMap((list) => list.events);
  return events
    .filter(({ state, reason }) => state === 'watched' || reason === 'unmapped_product')
    .slice(0, EVENTS_ASKED)
    .map(({ eventId }) => eventId);
}

export interface MappingDialogProps extends DialogOf<Connector> {
  /** The mapping to change; a new one without it. */
  readonly mapping?: Mapping;
  /** The event whose names are offered; the newest sales without it. */
  readonly eventId?: string;
}

/** Sets a mapping. Events that waited for it are applied at once. */
export function MappingDialog({ of: connector, mapping, eventId, onClose }: MappingDialogProps) {
  const [form, setForm] = useState(mapping === undefined ? NEW_MAPPING : mappingFormOf(mapping));
  const { connectorId, source } = connector;
  return (
    <WriteDialog
      path="/updateConnector"
      title={mapping === undefined ? 'Map a product' : `Change ${mappingName(mapping)}`}
      description="The most exact name counts: price, variant, SKU, payment link, path, product. Sales that wait for this mapping are applied at once."
      verb="Save"
      wide
      request={mappingRequest(connectorId, form)}
      onClose={onClose}
      onDone={() => toast({ title: 'The mapping was saved.' })}
    >
      {mapping === undefined && (
        <NameFields form={form} onChange={setForm} connectorId={connectorId} eventId={eventId} />
      )}
      <SelectField
        label="It is sold with"
        value={form.isIgnored ? 'none' : 'license'}
        onChange={(chosen) => setForm({ ...form, isIgnored: chosen === 'none' })}
        options={[
          { value: 'license', title: 'A license' },
          { value: 'none', title: 'No license' },
        ]}
        hint={form.isIgnored ? 'Its sales are ignored, such as those of a T-shirt.' : undefined}
      />
      {!form.isIgnored && (
        <>
          <ProductFields form={form} onChange={setForm} creatorId={connector.creatorId} />
          <RuleFields form={form} onChange={setForm} hasTheirKeys={SELLERS[source].issuesKeys} />
        </>
      )}
    </WriteDialog>
  );
}

type FormProps = FormPartProps<MappingForm>;

function NameFields({
  form,
  onChange,
  connectorId,
  eventId,
}: FormProps & { readonly connectorId: string; readonly eventId: string | undefined }) {
  const seen = useSeenNames(connectorId, eventId, true);
  const chosen = seen.findIndex(({ match, id }) => match === form.match && id === form.id);
  return (
    <>
      {seen.length > 0 && (
        <SelectField
          label="Seen in sales"
          value={chosen < 0 ? '' : String(chosen)}
          onChange={(at) => onChange({ ...form, ...(seen[Number(at)] ?? {}) })}
          options={[
            ...(chosen < 0 ? [{ value: '', title: 'Choose, or type it below' }] : []),
            ...seen.map((name, at) => ({ value: String(at), title: mappingName(name) })),
          ]}
        />
      )}
      <FieldRow>
        <SelectField
          label="Kind of name"
          value={form.match}
          onChange={(match) => onChange({ ...form, match: match as ShopMatch })}
          options={Object.entries(MATCHES).map(([value, title]) => ({ value, title }))}
          hint={form.match === 'any' ? 'Every sale without another mapping.' : undefined}
        />
        {form.match !== 'any' && (
          <TextField
            label="Id at the seller"
            value={form.id}
            onChange={(id) => onChange({ ...form, id })}
            maxLength={255}
            mono
            required
          />
        )}
      </FieldRow>
    </>
  );
}

function ProductFields({ form, onChange, creatorId }: FormProps & { readonly creatorId: string | null }) {
  const products = useRead('/listProducts', { includeAll: true });
  const variants = useRead(
    '/listVariants',
    { productId: form.productId, limit: 100 },
    { enabled: form.productId !== '' },
  );
  const offered = (products.data?.products ?? []).filter(
    (product) => creatorId === null || product.creatorId === creatorId,
  );
  const isKnown = form.productId === '' || offered.some(({ productId }) => productId === form.productId);
  const names = form.productId === '' ? [] : (variants.data?.variants ?? []).map(({ name }) => name);
  const others = form.variant === '' || names.includes(form.variant) ? names : [form.variant, ...names];
  return (
    <FieldRow>
      <SelectField
        label="Product"
        value={form.productId}
        onChange={(productId) => onChange({ ...form, productId, variant: '' })}
        options={[
          ...(form.productId === '' ? [{ value: '', title: 'Choose' }] : []),
          ...(isKnown ? [] : [{ value: form.productId, title: form.productId }]),
          ...offered.map(({ productId, name }) => ({ value: productId, title: name })),
        ]}
        required
      />
      <SelectField
        label="Variant"
        value={form.variant}
        onChange={(variant) => onChange({ ...form, variant })}
        options={[{ value: '', title: 'The usual one (indie)' }, ...others.map((value) => ({ value, title: value }))]}
      />
    </FieldRow>
  );
}

function RuleFields({ form, onChange, hasTheirKeys }: FormProps & { readonly hasTheirKeys: boolean }) {
  return (
    <>
      <FieldRow>
        <SelectField
          label="Several units"
          value={form.quantity}
          onChange={(quantity) => onChange({ ...form, quantity: quantity as MappingForm['quantity'] })}
          options={[
            { value: '', title: 'By the kind of sale' },
            { value: 'licenses', title: 'A license for each unit' },
            { value: 'scale', title: 'One license for all units' },
          ]}
          hint={form.quantity === 'scale' ? 'Its limits are those of the variant times the units.' : undefined}
        />
        <SelectField
          label="Kind of sale"
          value={form.kind}
          onChange={(kind) => onChange({ ...form, kind: kind as MappingForm['kind'] })}
          options={[
            { value: '', title: 'As the seller says' },
            { value: 'once', title: 'Sold once' },
            { value: 'subscription', title: 'Subscription' },
          ]}
        />
      </FieldRow>
      <NumberField
        label="Minimum price of a unit"
        value={form.minimumAmount}
        onChange={(minimumAmount) => onChange({ ...form, minimumAmount })}
        min={0}
        unit="cents, or the smallest unit of the currency"
        hint="Cheaper sales wait for your decision. Leave empty for none."
      />
      <TextField
        label="Also opens"
        value={form.unlockedProducts}
        onChange={(unlockedProducts) => onChange({ ...form, unlockedProducts })}
        hint="Identifiers of further products that the license is good for, divided by commas."
      />
      {hasTheirKeys && (
        <Checkbox
          label="Use the license keys of the seller"
          hint="Apps that already take these keys go on without a change."
          checked={form.isTheirKey}
          onChange={(isTheirKey) => onChange({ ...form, isTheirKey })}
        />
      )}
    </>
  );
}

/** Removes a mapping. */
export function RemoveMappingDialog({
  of: connector,
  mapping,
  onClose,
}: DialogOf<Connector> & { readonly mapping: Mapping }) {
  const { match, id } = mapping;
  return (
    <WriteDialog
      path="/updateConnector"
      title={`Remove ${mappingName(mapping)}`}
      description="Later sales of it wait for your decision. Licenses that exist stay as they are."
      verb="Remove"
      danger
      request={{
        connectorId: connector.connectorId,
        removeMappings: [{ match, ...(id === undefined ? {} : { id }) }],
      }}
      onClose={onClose}
      onDone={() => toast({ title: 'The mapping was removed.' })}
    />
  );
}
