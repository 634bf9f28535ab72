/**
 * The rooms of `src`, from the lowest to the highest, and the imports that each may have. Tests and `npm run rooms`
 * both read this declaration.
 */
import { type Source, sources } from './sources.ts';

/** Rooms that every slice may use. */
export const FOR_SLICES = ['base', 'endpoint', 'events', 'jobs', 'measures', 'storage'];

/**
 * The rooms that each room may import, types included: only such as stand before it. A room is a folder of `src`, or a
 * file beside the folders.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  measures: [],
  storage: ['base', 'measures'],
  jobs: ['base', 'storage'],
  events: ['base', 'jobs', 'storage'],
  'believed-time': ['base', 'jobs', 'storage'],
  'kept-replies': ['base', 'jobs', 'storage'],
  endpoint: ['base', 'believed-time', 'events', 'jobs', 'measures', 'storage'],
  // Slices.
  'session-tokens': FOR_SLICES,
  'studio-orders': FOR_SLICES,
  machines: FOR_SLICES,
  'observed-calls': FOR_SLICES,
  products: FOR_SLICES,
  violations: FOR_SLICES,
  licenses: [...FOR_SLICES, 'machines', 'observed-calls', 'products', 'violations'],
  'client-endpoints': [
    ...FOR_SLICES,
    ...['believed-time', 'licenses', 'machines', 'observed-calls', 'products', 'session-tokens', 'violations'],
  ],
  'license-files': [...FOR_SLICES, 'client-endpoints', 'licenses', 'machines', 'products', 'session-tokens'],
  brand: FOR_SLICES,
  mail: [...FOR_SLICES, 'brand', 'licenses', 'products'],
  'self-service': [
    ...FOR_SLICES,
    ...['brand', 'client-endpoints', 'license-files', 'licenses', 'machines', 'mail', 'observed-calls', 'products'],
    'session-tokens',
  ],
  'discount-codes': [...FOR_SLICES, 'licenses', 'products'],
  destinations: [...FOR_SLICES, 'licenses', 'session-tokens'],
  'api-keys': [...FOR_SLICES, 'destinations'],
  deliveries: [...FOR_SLICES, 'destinations', 'licenses'],
  'expiry-notices': [...FOR_SLICES, 'destinations', 'licenses'],
  storefront: [...FOR_SLICES, 'discount-codes', 'licenses', 'products'],
  statistics: [...FOR_SLICES, 'client-endpoints', 'licenses', 'observed-calls', 'products', 'violations'],
  // Slices that look into several others, and that no other slice uses.
  support: [
    ...FOR_SLICES,
    ...['client-endpoints', 'discount-codes', 'license-files', 'licenses', 'machines', 'observed-calls', 'products'],
    ...['studio-orders', 'violations'],
  ],
  customers: [
    ...FOR_SLICES,
    ...[
      'discount-codes',
      'license-files',
      'licenses',
      'machines',
      'mail',
      'observed-calls',
      'products',
      'self-service',
      'storefront',
    ],
    ...['studio-orders', 'violations'],
  ],
  console: [...FOR_SLICES, 'api-keys'],
  system: [...FOR_SLICES, 'console', 'destinations', 'kept-replies', 'license-files', 'observed-calls'],
  // Rooms that run the slices.
  app: [
    ...[
      'api-keys',
      'believed-time',
      'brand',
      'client-endpoints',
      'console',
      'customers',
      'deliveries',
      'destinations',
      'discount-codes',
      'endpoint',
      'events',
      'expiry-notices',
    ],
    ...['jobs', 'kept-replies', 'license-files', 'licenses', 'machines', 'mail', 'observed-calls', 'products'],
    ...['self-service', 'session-tokens', 'statistics', 'storage', 'storefront', 'studio-orders', 'support', 'system'],
    'violations',
  ],
  config: ['base', 'license-files', 'mail', 'storage'],
  dispatch: [
    ...[
      'app',
      'base',
      'believed-time',
      'deliveries',
      'destinations',
      'endpoint',
      'jobs',
      'kept-replies',
      'license-files',
      'licenses',
    ],
    ...['mail', 'measures', 'observed-calls', 'session-tokens', 'storage', 'violations'],
  ],
  engines: [
    ...['app', 'base', 'believed-time', 'client-endpoints', 'config', 'deliveries', 'destinations', 'dispatch'],
    ...['endpoint', 'jobs', 'license-files', 'mail', 'measures', 'observed-calls', 'session-tokens', 'storage'],
    'violations',
  ],
  http: ['base', 'config', 'dispatch', 'endpoint', 'self-service', 'storage'],
  reference: ['base', 'endpoint', 'http'],
  service: [
    ...['app', 'base', 'believed-time', 'config', 'console', 'deliveries', 'destinations', 'dispatch', 'endpoint'],
    ...['engines', 'http', 'kept-replies', 'mail', 'measures', 'observed-calls', 'reference', 'self-service'],
    'storage',
  ],
  main: ['config', 'service'],
  // Between the slices and a file: everything of them that can be written down.
  transfer: [
    ...['base', 'customers', 'discount-codes', 'endpoint', 'events', 'licenses', 'machines', 'products', 'storage'],
    ...['studio-orders', 'violations'],
  ],
  // Between the slices and another database: its changes, and the ones to carry over.
  recovery: [
    ...['api-keys', 'base', 'console', 'customers', 'destinations', 'events', 'license-files', 'licenses'],
    ...['mail', 'observed-calls', 'self-service', 'session-tokens', 'storage', 'violations'],
  ],
  commands: [
    ...['app', 'base', 'believed-time', 'config', 'deliveries', 'destinations', 'endpoint', 'events', 'license-files'],
    ...[
      'licenses',
      'machines',
      'mail',
      'recovery',
      'self-service',
      'service',
      'session-tokens',
      'storage',
      'storefront',
      'transfer',
    ],
  ],
  cli: ['commands'],
};

/** The imports of one room by another. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  /** Each as `from.ts -> to.ts`. */
  readonly imports: readonly string[];
}

const roomsByPath = new Map(sources.map(({ path, area }) => [path, area]));

/** Every arrow between two rooms, types included. */
export const arrows: readonly Arrow[] = [
  ...Map.groupBy(sources.flatMap(importsOfOtherRooms), ({ from, to }) => `${from} -> ${to}`).values(),
].map((imports) => ({
  from: imports[0]!.from,
  to: imports[0]!.to,
  imports: imports.map(({ path, target }) => `${path} -> ${target}`),
}));

function importsOfOtherRooms({ path, area, imports }: Source) {
  return imports.flatMap(({ target }) => {
    const to = roomsByPath.get(target);
    return to === undefined || to === area ? [] : [{ from: area, to, path, target }];
  });
}

/** Whether a room imports one that stands after it. */
export function isUpward({ from, to }: Arrow): boolean {
  const order = Object.keys(ROOMS);
  return order.indexOf(to) > order.indexOf(from);
}

/** The rooms that reach each other by imports: one list for each circle. */
export function circlesOfRooms(): readonly (readonly string[])[] {
  const reached = new Map(Object.keys(ROOMS).map((room) => [room, reachedFrom(room)]));
  const circles = Object.keys(ROOMS)
    .filter((room) => reached.get(room)?.has(room))
    .map((room) =>
      Object.keys(ROOMS).filter((other) => reached.get(room)?.has(other) && reached.get(other)?.has(room)),
    );
  return [...new Map(circles.map((circle) => [circle.join(), circle])).values()];
}

function reachedFrom(room: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const follow = (from: string): void => {
    for (const { to } of arrows.filter((arrow) => arrow.from === from && !reached.has(arrow.to))) {
      reached.add(to);
      follow(to);
    }
  };
  follow(room);
  return reached;
}
