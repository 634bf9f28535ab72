/** The endpoint at a path, with values that the listener would otherwise compute for each request. */
import { type Endpoint, isQueuedWork, type Method } from '../../platform/endpoint/endpoint.ts';
import { type FieldReader, fieldReader } from '../../platform/endpoint/fields.ts';
import { takesSessions } from '../../platform/endpoint/roles.ts';
import { readNamesOf } from './ignored-fields.ts';

export interface Route {
  readonly endpoint: Endpoint;
  readonly readFields: FieldReader;
  /** Names of the fields that a request may have. */
  readonly readNames: ReadonlySet<string>;
  /** Its methods, as in the header `Allow`. */
  readonly allow: string;
  /** True if the endpoint accepts console sessions, begins one, or may end one. */
  readonly takesSessions: boolean;
  readonly beginsSession: boolean;
  readonly setsCookie: boolean;
  /** True if its calls queue with other work and count towards the limits of their network. */
  readonly isQueued: boolean;
  /** True if its calls carry facts about the node. */
  readonly tellsOfNode: boolean;
  /** True if its replies may be long; true for reads such as lists. */
  readonly mayBeLong: boolean;
}

/** @param withSessions false if no endpoint accepts console sessions */
export function routesOf(endpoints: ReadonlyMap<string, Endpoint>, withSessions: boolean): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  for (const endpoint of endpoints.values())
    routes.set(endpoint.path, {
      endpoint,
      readFields: fieldReader(endpoint.fields, endpoint.missing),
      readNames: readNamesOf(endpoint),
      allow: endpoint.methods.join(', '),
      takesSessions: withSessions && takesSessions(endpoint),
      beginsSession: withSessions && endpoint.access === 'signIn',
      setsCookie: endpoint.access === 'signIn' || endpoint.endsSession === true,
      isQueued: isQueuedWork(endpoint),
      tellsOfNode: endpoint.tellsOfNode === true,
      mayBeLong: isQueuedWork(endpoint) && endpoint.work.kind === 'read',
    });
  return routes;
}

/** True if an endpoint accepts a method. */
export function allows({ endpoint }: Route, method: string): boolean {
  return endpoint.methods.includes(method as Method);
}
