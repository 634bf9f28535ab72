import { accessTables } from './baseline/access.ts';
import { commerceTables } from './baseline/commerce.ts';
import { copyTables } from './baseline/copies.ts';
import { customersTables } from './baseline/customers.ts';
import { insightTables } from './baseline/insight.ts';
import { licensingTables } from './baseline/licensing.ts';
import { platformTables } from './baseline/platform.ts';
import { webhooksTables } from './baseline/webhooks.ts';
import { migration } from './migration.ts';

/** The tables of version 1.0.0, by the wings whose slices describe them (`tables.ts`). */
export const baseline = migration(1, 'baseline', (dialect) =>
  [
    insightTables,
    accessTables,
    customersTables,
    webhooksTables,
    commerceTables,
    licensingTables,
    platformTables,
    copyTables,
  ]
    .map((tables) => tables(dialect))
    .join(''),
);
