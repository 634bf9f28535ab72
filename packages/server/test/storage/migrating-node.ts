/** A worker thread that migrates one database, as a node of its own does when it starts; posts what it applied. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Database, migrateDatabase } from '../../src/storage/open.ts';

const { database, migrations } = workerData as { database: Database; migrations: string };
parentPort!.postMessage(await migrateDatabase(database, 0, new URL(migrations)));
