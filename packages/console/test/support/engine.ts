/** The database engine of the journeys. */
import type { Engine } from '../../../server/test/support/databases.ts';

/** SQLite in `npm test`; PostgreSQL in `npm run journeys`. */
export const ENGINE: Engine = process.env.LATCHKEY_JOURNEYS === 'postgres' ? 'postgres' : 'sqlite';
