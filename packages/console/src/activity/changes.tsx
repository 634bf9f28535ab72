/** The changes with their authors and times. */
import { listFile } from '../actions/list-file.ts';
import { listingOf } from '../actions/listing-of.tsx';
import { ProductFilter } from '../actions/product-filter.tsx';
import type { Event } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { DayRangeFilter } from '../parts/day-range-filter.tsx';
import { Empty } from '../parts/empty.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FilterText } from '../parts/filter-text.tsx';
import { Listing, Nothing } from '../parts/listing.tsx';
import { useNow } from '../parts/now.ts';
import { type Filters, useFilters } from '../parts/use-filters.ts';
import { actorText, changesText, EVENT_GROUPS, eventSentence } from '../sentences/events.ts';
import styles from './activity.module.css';
import { ActivityRow } from './activity-row.tsx';
import { BatchRow } from './batch-row.tsx';
import { batchesOf, isBatch } from './batches.ts';
import { byDay, dayTitle, FILTERS, requestOf } from './filters.ts';
import { UndoAll } from './undo-all.tsx';

/** The list of changes, newest first. */
export function Changes() {
  const filters = useFilters(FILTERS);
  const request = requestOf(filters.values, filters.cursor);
  const list = useRead('/listEvents', request, { keepPrevious: true, everySeconds: filters.page === 1 ? 30 : 0 });
  const now = useNow();
  return (
    <>
      <ActivityFilters filters={filters} events={list.data?.events ?? []} />
      {filters.values.request !== '' && <UndoAll events={list.data?.events ?? []} />}
      <Listing
        what="the changes"
        file={listFile('activity', '/listEvents', request, ({ events }) => events.map(inFile))}
        entries={list.data?.events}
        {...listingOf(list, filters)}
        empty={
          <Nothing
            filters={filters}
            title="Nothing that fits was changed."
            first={<Empty title="Nothing was changed yet.">Every change will be listed here with its author.</Empty>}
          >
            Remove a filter, or choose a longer time.
          </Nothing>
        }
      >
        {(all) =>
          byDay(all).map(({ day, events }) => (
            <section key={day} className={styles.day}>
              <h2>{dayTitle(day, now)}</h2>
              <ol>
                {(filters.values.request === '' ? batchesOf(events) : events).map((entry) =>
                  isBatch(entry) ? (
                    <BatchRow key={entry.events.at(-1)?.id} batch={entry} />
                  ) : (
                    <ActivityRow key={entry.id} event={entry} />
                  ),
                )}
              </ol>
            </section>
          ))
        }
      </Listing>
    </>
  );
}

type ScreenFilters = Filters<(typeof FILTERS)[number]>;

const ACTORS = [
  { value: '', title: 'Anyone' },
  { value: 'operator', title: 'Operator' },
  { value: 'storefront', title: 'Storefront' },
  { value: 'client', title: 'Apps' },
  { value: 'customer', title: 'Customers' },
];

function ActivityFilters({ filters, events }: { readonly filters: ScreenFilters; readonly events: readonly Event[] }) {
  const { values, set } = filters;
  const actors = new Map(ACTORS.map(({ value, title }) => [value, title]));
  for (const { actor } of events)
    if (actor.id !== null) actors.set(`${actor.kind}:${actor.id}`, actorText({ ...actor, keyName: null }));
  if (!actors.has(values.actor)) actors.set(values.actor, values.actor);
  const isGroup = values.kind === '' || EVENT_GROUPS.some(({ id }) => id === values.kind);
  return (
    <FilterBar set={filters.count} onClear={filters.clear}>
      <SelectField
        label="What happened"
        hideLabel
        value={values.kind}
        onChange={(kind) => set({ kind })}
        options={[
          { value: '', title: 'Everything' },
          ...EVENT_GROUPS.map(({ id, title }) => ({ value: id, title })),
          ...(isGroup ? [] : [{ value: values.kind, title: values.kind.replaceAll(/[._]/g, ' ') }]),
        ]}
      />
      <SelectField
        label="Who"
        hideLabel
        value={values.actor}
        onChange={(actor) => set({ actor })}
        options={[...actors].map(([value, title]) => ({ value, title }))}
      />
      <ProductFilter value={values.product} onChange={(product) => set({ product })} />
      <FilterText label="License key" value={values.license} onChange={(license) => set({ license })} />
      <FilterText label="Request id" value={values.request} onChange={(request) => set({ request })} />
      <DayRangeFilter what="Changed" value={values.days} onChange={(days) => set({ days })} />
    </FilterBar>
  );
}

/** A change as the file shows it. */
function inFile(event: Event) {
  const { at, actor, licenseKey, productId, requestId } = event;
  return {
    Time: at,
    What: eventSentence(event),
    Who: actorText(actor),
    License: licenseKey,
    Product: productId,
    Changes: changesText(event),
    Request: requestId,
  };
}
