/** The mappings of a shop. */
import { useState } from 'react';
import type { Connector } from '../api/contract.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Mono } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { Menu } from '../parts/menu.tsx';
import { Section } from '../parts/section.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { MappingDialog, RemoveMappingDialog } from './mapping-dialogs.tsx';
import { MATCHES, type Mapping, mappingName, mappingRules, mappingText } from './words.ts';

type Opened = { readonly act: 'add' } | { readonly act: 'change' | 'remove'; readonly mapping: Mapping };

export function Mappings({ of: connector }: { readonly of: Connector }) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const mayChange = useCan('/updateConnector');
  const shared = { of: connector, onClose: () => setOpened(null) };
  const add = mayChange && <Button onClick={() => setOpened({ act: 'add' })}>Map a product</Button>;
  const hasSome = connector.mappings.length > 0;
  return (
    <Section title="Products" hint="Each name at the seller leads to one of your products." actions={hasSome && add}>
      <Table
        caption="Mappings"
        file="mappings"
        rows={connector.mappings}
        keyOf={mappingName}
        nameOf={mappingName}
        columns={COLUMNS}
        {...(mayChange
          ? {
              actions: (mapping: Mapping) => (
                <Menu
                  label={`Actions for ${mappingName(mapping)}`}
                  groups={[
                    [{ title: 'Change', onSelect: () => setOpened({ act: 'change', mapping }) }],
                    [{ title: 'Remove', onSelect: () => setOpened({ act: 'remove', mapping }), danger: true }],
                  ]}
                />
              ),
            }
          : {})}
        empty={
          <Empty title="No product is mapped yet" actions={add}>
            A sale without a mapping issues no license: it waits for your decision.
          </Empty>
        }
      />
      {opened?.act === 'add' && <MappingDialog {...shared} />}
      {opened?.act === 'change' && <MappingDialog {...shared} mapping={opened.mapping} />}
      {opened?.act === 'remove' && <RemoveMappingDialog {...shared} mapping={opened.mapping} />}
    </Section>
  );
}

const COLUMNS: readonly Column<Mapping>[] = [
  { title: 'At the seller', cell: ({ id, match }) => (id === undefined ? MATCHES[match] : <Mono>{id}</Mono>) },
  { title: 'Kind', cell: ({ match }) => MATCHES[match] },
  { title: 'Becomes', cell: mappingText, phone: 'second' },
  { title: 'Rules', cell: (mapping) => mappingRules(mapping) || 'The usual ones' },
];
