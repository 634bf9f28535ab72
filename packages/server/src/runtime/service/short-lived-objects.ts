/** Says where V8 allocates the objects of a call. */
import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from allocating the objects of calls among the old objects, in all threads.
 *
 * For each place of the code, V8 decides once for the life of a process whether its objects live long. While calls wait
 * for PostgreSQL, all that belongs to them outlives collections of young objects, and V8 may decide so for places
 * within Node.js, such as the list of listeners of an event. From then on each answered request is kept by such a dead
 * old object: it is copied by two collections of young objects, and freed only by one of all objects.
 */
export function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
