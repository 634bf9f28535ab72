/**
 * A worker thread that migrates one database, as a separate node does when it starts, and posts the migrations it
 * applied. It waits until all `nodes` have loaded, so that they start at once.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from '../../src/storage/contract/database.ts';
import { migrateDatabase } from '../../src/storage/opening/open.ts';
import { addNoteAs, makeNotesAs } from './test-migrations.ts';

const { database, nodes, loaded } = workerData as {
  database: Database;
  nodes: number;
  loaded: Int32Array<SharedArrayBuffer>;
};
for (let count = Atomics.add(loaded, 0, 1) + 1; count < nodes; count = Atomics.load(loaded, 0)) {
  Atomics.wait(loaded, 0, count);
}
Atomics.notify(loaded, 0);
parentPort!.postMessage(await migrateDatabase(database, 0, [makeNotesAs(1), addNoteAs(2)]));
