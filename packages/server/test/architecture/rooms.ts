/**
 * The wings of `src` and their rooms, each from the lowest to the highest, and the imports that each may have. Tests
 * and `npm run rooms` both read this declaration.
 */
import { type Source, sources } from './sources.ts';

/** A folder of `src`, or a file beside the folders. */
interface Wing {
  /** The wings that its files may import, types included: only such as stand before it. */
  readonly uses: readonly string[];
  /** Its folders. Each may import the named rooms of its own wing: only such as stand before it. */
  readonly rooms: Readonly<Record<string, readonly string[]>>;
}

export const WINGS: Readonly<Record<string, Wing>> = {
  ground: { uses: [], rooms: { base: [], measures: [] } },
  storage: {
    uses: ['ground'],
    rooms: {
      contract: [],
      migrations: ['contract'],
      sqlite: ['contract', 'migrations'],
      postgres: ['contract', 'migrations'],
      opening: ['contract', 'migrations', 'sqlite', 'postgres'],
      copy: ['contract', 'migrations', 'sqlite', 'postgres', 'opening'],
    },
  },
  platform: {
    uses: ['ground', 'storage'],
    rooms: {
      jobs: [],
      events: ['jobs'],
      'believed-time': ['jobs'],
      'kept-replies': ['jobs'],
      rates: [],
      sealing: [],
      endpoint: ['events', 'believed-time', 'rates'],
      sites: ['endpoint'],
      senders: ['jobs', 'events', 'endpoint'],
      slice: ['jobs', 'endpoint', 'sites', 'senders'],
    },
  },
  licensing: {
    uses: ['ground', 'storage', 'platform'],
    rooms: {
      'session-tokens': [],
      machines: [],
      meters: [],
      'observed-calls': [],
      products: [],
      violations: [],
      licenses: ['machines', 'meters', 'observed-calls', 'products', 'violations'],
      'client-endpoints': [
        'session-tokens',
        'machines',
        'meters',
        'observed-calls',
        'products',
        'violations',
        'licenses',
      ],
      metering: ['meters', 'machines', 'products', 'licenses', 'client-endpoints'],
      'license-files': ['session-tokens', 'machines', 'products', 'licenses', 'client-endpoints'],
    },
  },
  commerce: {
    uses: ['ground', 'storage', 'platform', 'licensing'],
    rooms: {
      'studio-orders': [],
      'discount-codes': [],
      sales: [],
      trials: ['sales'],
      storefront: ['discount-codes'],
      connectors: ['storefront'],
    },
  },
  webhooks: {
    uses: ['ground', 'storage', 'platform', 'licensing'],
    rooms: { destinations: [], deliveries: ['destinations'], 'expiry-notices': ['destinations'] },
  },
  customers: {
    uses: ['ground', 'storage', 'platform', 'licensing', 'commerce'],
    rooms: {
      brand: [],
      mail: ['brand'],
      'sale-mails': ['brand', 'mail'],
      replacement: ['mail'],
      'self-service': ['brand', 'mail'],
      records: ['mail', 'self-service'],
    },
  },
  access: {
    uses: ['ground', 'storage', 'platform', 'webhooks'],
    rooms: { 'api-keys': [], console: ['api-keys'], oidc: ['console'] },
  },
  insight: {
    uses: ['ground', 'storage', 'platform', 'licensing', 'commerce', 'webhooks', 'customers', 'access'],
    rooms: {
      support: [],
      statistics: [],
      'operator-notices': ['statistics'],
      system: ['operator-notices'],
    },
  },
  app: {
    uses: ['storage', 'platform', 'licensing', 'commerce', 'webhooks', 'customers', 'access', 'insight'],
    rooms: {},
  },
  senders: { uses: ['platform', 'commerce', 'webhooks', 'customers'], rooms: {} },
  runtime: {
    uses: [
      ...['ground', 'storage', 'platform', 'licensing', 'webhooks', 'customers', 'access', 'insight', 'app'],
      'senders',
    ],
    rooms: {
      config: [],
      dispatch: [],
      engines: ['config', 'dispatch'],
      http: ['config', 'dispatch'],
      reference: [],
      service: ['config', 'dispatch', 'engines', 'http', 'reference'],
    },
  },
  main: { uses: ['runtime'], rooms: {} },
  operations: {
    uses: [
      ...['ground', 'storage', 'platform', 'licensing', 'commerce', 'webhooks', 'customers', 'access', 'app'],
      'runtime',
    ],
    rooms: { transfer: [], recovery: [], commands: ['transfer', 'recovery'] },
  },
  cli: { uses: ['operations'], rooms: {} },
};

/** Every room as `licensing/machines`, and every file beside the wings, from the lowest to the highest. */
export const ROOMS: readonly string[] = Object.entries(WINGS).flatMap(([wing, { rooms }]) =>
  Object.keys(rooms).length === 0 ? [wing] : Object.keys(rooms).map((room) => `${wing}/${room}`),
);

/** The imports of one wing by another, or of one room by another. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  /** Each as `from.ts -> to.ts`. */
  readonly imports: readonly string[];
}

const sourcesByPath = new Map(sources.map((source) => [source.path, source]));

/** Every arrow between two wings, types included. */
export const arrowsOfWings = arrowsBetween(({ wing }) => wing);

/** Every arrow between two rooms, types included. */
export const arrows = arrowsBetween(({ room }) => room);

function arrowsBetween(placeOf: (source: Source) => string): readonly Arrow[] {
  const imports = sources.flatMap((source) =>
    source.imports.flatMap(({ target }) => {
      const imported = sourcesByPath.get(target);
      const [from, to] = [placeOf(source), imported && placeOf(imported)];
      return to === undefined || to === from ? [] : [{ from, to, path: source.path, target }];
    }),
  );
  return [...Map.groupBy(imports, ({ from, to }) => `${from} -> ${to}`).values()].map((group) => ({
    from: group[0]!.from,
    to: group[0]!.to,
    imports: group.map(({ path, target }) => `${path} -> ${target}`),
  }));
}

/** Whether the declaration allows an arrow between two rooms. */
export function isDeclared({ from, to }: Arrow): boolean {
  const [fromWing = '', fromRoom = ''] = from.split('/');
  const [toWing = '', toRoom = ''] = to.split('/');
  const wing = WINGS[fromWing];
  return (fromWing === toWing ? wing?.rooms[fromRoom]?.includes(toRoom) : wing?.uses.includes(toWing)) ?? false;
}

/** Whether a room imports one that stands after it. */
export function isUpward({ from, to }: Arrow): boolean {
  return ROOMS.indexOf(to) > ROOMS.indexOf(from);
}
