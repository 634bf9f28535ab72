/** Believed time: the table of its rounds. */
import { believedTimeTables } from './tables.ts';

export const believedTime = {
  tables: believedTimeTables,
};
