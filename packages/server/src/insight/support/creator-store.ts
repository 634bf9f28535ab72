/** Lists creators: the owners of products, API keys, codes and studio orders, each once. */
import { NamedStatement } from '../../storage/contract/list.ts';
import type { Sql } from '../../storage/contract/storage.ts';

/** The tables of things that belong to a creator, each with an index that begins with `creator_id`. */
const OWNED = ['product', 'api_key', 'discount_code', 'studio_order'] as const;

/** The first creator at or after a text: one step along the index of each table. */
const firstCreator = (condition: string) =>
  `(select min(o.creator_id) from (${OWNED.map(
    (table) => `select min(t.creator_id) as creator_id from ${table} t where t.creator_id ${condition}`,
  ).join(' union all ')}) o)`;

// Each step goes to the next creator, so one with a million codes costs as much as one with a single product.
const list = new NamedStatement(
  'creator.list',
  ['from', 'limit'],
  () => `with recursive c(creator_id, place) as (
      select ${firstCreator('>= :from')}, 1
      union all
      select ${firstCreator('> c.creator_id')}, c.place + 1 from c
      where c.creator_id is not null and c.place < :limit)
    select c.creator_id as "creatorId" from c where c.creator_id is not null order by c.place`,
);

/** Creators in their order as text, beginning with the first at or after `from`. */
export async function listCreatorIds(sql: Sql, from: string, limit: number): Promise<readonly string[]> {
  const rows = await list.all<{ creatorId: string }>(sql, { from, limit });
  return rows.map(({ creatorId }) => creatorId);
}
