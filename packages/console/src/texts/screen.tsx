/** The texts of e-mails to buyers: the operator's, and those of each creator. */
import { CreatorFilter } from '../actions/creator-field.tsx';
import { readNotice } from '../actions/refusal-notice.tsx';
import type { MailTemplate } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useSession } from '../api/session.ts';
import { SelectField } from '../parts/field.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FilterText } from '../parts/filter-text.tsx';
import { Page } from '../parts/page.tsx';
import { Section } from '../parts/section.tsx';
import { Loading } from '../parts/skeleton.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { TextEditor } from './editor.tsx';
import { KINDS, LANGUAGES, nameIn, namesOf, storedIn, titleOf } from './words.ts';

/** The screen. The address names the text that is open. */
export function Screen() {
  const filters = useFilters(['creator', 'product', 'kind', 'language']);
  const isOperator = useSession().kind === 'operator';
  const name = nameIn({ ...filters.values, creator: isOperator ? filters.values.creator : '' });
  const names = namesOf(name);
  const owner = name.owner === '' ? {} : { creatorId: name.owner };
  const list = useRead('/listMailTemplates', owner);
  const present = useRead('/previewMail', names);
  const templates = list.data?.templates;
  return (
    <Page
      title="E-mail texts"
      subtitle={`${name.owner === '' ? (isOperator ? 'The operator' : 'Your shop') : name.owner}: ${titleOf(name)}.`}
    >
      <FilterBar set={filters.count} onClear={filters.clear}>
        <SelectField
          label="Kind"
          hideLabel
          value={name.kind}
          onChange={(kind) => filters.set({ kind })}
          options={KINDS}
        />
        <SelectField
          label="Language"
          hideLabel
          value={name.language}
          onChange={(language) => filters.set({ language })}
          options={LANGUAGES}
        />
        <FilterText label="Product" value={name.product} onChange={(product) => filters.set({ product })} />
        {isOperator && <CreatorFilter value={name.owner} onChange={(creator) => filters.set({ creator })} />}
      </FilterBar>
      {readNotice(list) ?? readNotice(present)}
      {templates === undefined || present.data === undefined ? (
        list.error === null && present.error === null && <Loading what="the text" lines={12} />
      ) : (
        <TextEditor
          key={JSON.stringify(names)}
          name={name}
          stored={storedIn(templates, name)}
          present={present.data.template}
          templates={templates}
        />
      )}
      {templates !== undefined && templates.length > 0 && (
        <Section title="Your own texts">
          <Table
            caption="Own texts of e-mails"
            rows={templates}
            keyOf={({ productId, kind, language }) => JSON.stringify([productId, kind, language])}
            columns={COLUMNS}
            hrefOf={(template) => addressOf(name.owner, template)}
            file={null}
            empty={null}
          />
        </Section>
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<MailTemplate>[] = [
  { title: 'Text', cell: titleOf },
  { title: 'Product', cell: ({ productId }) => productId ?? 'All products', phone: 'second' },
  { title: 'Subject', cell: ({ subject }) => subject },
  { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} />, align: 'end', phone: 'firstEnd' },
];

function addressOf(owner: string, { productId, kind, language }: MailTemplate): string {
  const query = new URLSearchParams({
    kind,
    language,
    ...(productId === null ? {} : { product: productId }),
    ...(owner === '' ? {} : { creator: owner }),
  });
  return `#/texts?${query}`;
}
