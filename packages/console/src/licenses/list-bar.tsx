/** The filters above the list of licenses, and the saved views. */
import { useState } from 'react';
import { ProductFilter } from '../actions/product-filter.tsx';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { DayRangeFilter } from '../parts/day-range-filter.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fields, SelectField, TextField } from '../parts/field.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FilterText } from '../parts/filter-text.tsx';
import { Menu } from '../parts/menu.tsx';
import type { Filters } from '../parts/use-filters.ts';
import { countryChoices } from './country-choices.ts';
import { type FILTERS, PASTED } from './first-reads.ts';
import styles from './licenses.module.css';
import { changeOf, ORDERS, suggestedName, VIEWS } from './list-filters.ts';
import { forgetView, savedViews, saveView } from './saved-views.ts';

type ListFilters = Filters<(typeof FILTERS)[number]>;

export interface ListBarProps {
  readonly filters: ListFilters;
  /** Opens the dialog for a pasted list. */
  readonly onPaste: () => void;
}

export function ListBar({ filters, onPaste }: ListBarProps) {
  const { values, clear, count } = filters;
  const set = (change: Partial<ListFilters['values']>) => filters.set(changeOf(change, values));
  const { service } = useSession();
  const [isSaving, setSaving] = useState(false);
  const views = savedViews();
  return (
    <FilterBar
      set={count}
      onClear={clear}
      actions={
        <>
          <Button onClick={onPaste}>Paste a list</Button>
          <Menu
            label="Saved views"
            groups={[
              views.map(({ name, query }) => ({ title: name, href: `#/licenses?${query}` })),
              count === 0 ? [] : [{ title: 'Save this view…', onSelect: () => setSaving(true) }],
              views.map(({ name }) => ({ title: `Forget "${name}"`, onSelect: () => forgetView(name) })),
              count === 0 && views.length === 0 ? [{ title: 'Set a filter, then save it here', disabled: true }] : [],
            ]}
          >
            Views
          </Menu>
        </>
      }
    >
      <FilterText label="E-mail" value={values.email} onChange={(email) => set({ email })} />
      <ProductFilter value={values.product} onChange={(product) => set({ product })} />
      <SelectField
        label="Status"
        hideLabel
        value={values.status}
        onChange={(status) => set({ status })}
        options={[
          { value: '', title: 'Any status' },
          { value: 'active', title: 'Active' },
          { value: 'revoked', title: 'Revoked' },
          { value: 'expired', title: 'Expired' },
        ]}
      />
      <SelectField
        label="Which"
        hideLabel
        value={values.view}
        onChange={(view) => set({ view })}
        options={values.view === PASTED ? [...VIEWS, { value: PASTED, title: 'Pasted list' }] : VIEWS}
      />
      {(service.countriesKnown || values.country !== '') && (
        <SelectField
          label="Country"
          hideLabel
          value={values.country}
          onChange={(country) => set({ country })}
          options={[{ value: '', title: 'Any country' }, ...countryChoices(values.country)]}
        />
      )}
      <DayRangeFilter what="Created" value={values.created} onChange={(created) => set({ created })} />
      <div className={styles.phoneOnly}>
        <SelectField label="Order" hideLabel value={values.sort} onChange={(sort) => set({ sort })} options={ORDERS} />
      </div>
      {isSaving && <SaveView filters={filters} onClose={() => setSaving(false)} />}
    </FilterBar>
  );
}

function SaveView({ filters, onClose }: { readonly filters: ListFilters; readonly onClose: () => void }) {
  const [name, setName] = useState(suggestedName({ ...filters.values, email: '', purchase: '' }));
  const save = () => {
    if (name.trim() === '') return;
    saveView(name.trim(), filters.values);
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Save this view"
      description="Stored in this browser. Filters that name a customer are left out."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" onClick={save}>
            Save
          </Button>
        </>
      }
    >
      <Fields>
        <TextField label="Name" value={name} onChange={setName} maxLength={60} />
      </Fields>
    </Dialog>
  );
}
