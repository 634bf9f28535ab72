/** The brand of the pages for customers and of mails: the operator's, and that of each creator. */
import { CreatorFilter } from '../actions/creator-field.tsx';
import { readNotice } from '../actions/refusal-notice.tsx';
import { useRead } from '../api/reads.ts';
import { useSession } from '../api/session.ts';
import { FilterBar } from '../parts/filter-bar.tsx';
import { Page } from '../parts/page.tsx';
import { Loading } from '../parts/skeleton.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { BrandFields } from './brand-fields.tsx';

/** The screen of the brand. The operator chooses the creator in the address; a creator sees the own brand. */
export function Screen() {
  const filters = useFilters(['creator']);
  const isOperator = useSession().kind === 'operator';
  const owner = isOperator ? filters.values.creator : '';
  const { data, error, refetch } = useRead('/getBrand', owner === '' ? {} : { creatorId: owner });
  const isOfShop = owner !== '' || !isOperator;
  return (
    <Page
      title="Brand"
      subtitle={`${owner === '' ? (isOperator ? 'The operator' : 'Your shop') : owner}: the looks of the pages for customers and of e-mails.`}
    >
      {isOperator && (
        <FilterBar set={filters.count} onClear={filters.clear}>
          <CreatorFilter value={owner} onChange={(creator) => filters.set({ creator })} />
        </FilterBar>
      )}
      {readNotice({ data, error, refetch })}
      {data === undefined ? (
        error === null && <Loading what="the brand" lines={12} />
      ) : (
        <BrandFields
          key={owner}
          brand={data.brand}
          owner={owner}
          withoutBrand={
            isOfShop
              ? "This shop has no brand yet. Its pages show the operator's."
              : 'There is no brand yet. The pages have the name Latchkey.'
          }
        />
      )}
    </Page>
  );
}
