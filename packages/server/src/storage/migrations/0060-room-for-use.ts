import { migration } from './migration.ts';

/**
 * PostgreSQL: leaves half of each page of licenses free for new versions of its rows. Each activation changes a
 * license, and a new version that does not fit on its page needs an entry in each of the twenty indexes of licenses.
 * With a fifth left free, a page whose licenses were activated together had room for only half of them, which made
 * /activate a third more expensive. The rows take twice their space, which is little compared with their indexes.
 * Existing rows stay where they are.
 */
export const roomForUse = migration(
  60,
  'room_for_use',
  ({ own }) => own({ sqlite: '', postgres: 'alter table license set (fillfactor = 50);' }),
  'go on',
);
