import { migration } from './migration.ts';

/**
 * PostgreSQL: half of each page of licenses is left free for the new versions of its rows. Machines change a license at
 * each activation, and a new version that finds no room on its page costs an entry in every index of licenses, twenty of
 * them. With a fifth left free, a page whose licenses were activated together ran out of room for half of them, which
 * made /activate a third dearer. The rows take twice their space; beside their indexes that is little. Rows that are
 * there already stay where they are.
 */
export const roomForUse = migration(
  60,
  'room_for_use',
  ({ own }) => own({ sqlite: '', postgres: 'alter table license set (fillfactor = 50);' }),
  'go on',
);
