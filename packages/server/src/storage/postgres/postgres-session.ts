/**
 * The settings that the service relies on in a PostgreSQL session. Each new connection reads them back, because a
 * pooler may have dropped the options of the connection, and a server may be configured to lose acknowledged commits.
 */
import pg from 'pg';
import { postgresDifferences } from './postgres-differences.ts';
import { connectError, UnfitSession } from './postgres-errors.ts';
import { refuseTransactionPooler } from './postgres-pooler.ts';
import { splitPostgresUrl } from './postgres-url.ts';

/** Server-wide settings, and the risk of turning each off. */
const SERVER_RISKS: Readonly<Record<string, string>> = {
  fsync: 'a crash of its machine can lose acknowledged changes and damage the database',
  full_page_writes: 'a crash of its machine can damage the database',
};
/** Settings that the URL can set so that acknowledged changes are lost, and the risk of doing so. */
const URL_RISKS: Readonly<Record<string, { isSafe(value: string): boolean; readonly risk: string }>> = {
  synchronous_commit: {
    isSafe: (value) => ['on', 'remote_apply'].includes(value),
    risk: 'a crash or a failover can lose acknowledged changes',
  },
  client_min_messages: {
    // The levels above `warning`; older servers have all three.
    isSafe: (value) => !['error', 'fatal', 'panic'].includes(value),
    risk: 'it hides that a standby did not confirm a change, so a failover can lose acknowledged changes',
  },
};
const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;

const READ_BACK = `select name, setting, pg_catalog.pg_backend_pid() as pid
  from pg_catalog.pg_settings where name = any ($1)`;
const SET = `select pg_catalog.set_config(name, setting, false)
  from unnest($1::text[], $2::text[]) as wanted (name, setting)`;

/** Settings and backend process of a session. */
interface ReadBack {
  readonly settings: ReadonlyMap<string, string>;
  /** Id of the backend process. */
  readonly pid: number;
}

/** Ensures that each session of one URL has the settings that the service needs. */
export class PostgresSessions {
  readonly #url: string;
  readonly #options: pg.ClientConfig;
  readonly #noticed: (warning: string) => void;
  /** Wanted settings, without those that the URL sets: its parameters win. */
  readonly #wanted: ReadonlyMap<string, string>;
  /** Names of the settings without which an acknowledged change could be lost. */
  readonly #needed: ReadonlySet<string>;
  /** The schema that the URL asks for; null for the one of the role. */
  readonly #schema: string | null;
  readonly #said = new Set<string>();
  /** Connection URLs whose pooler was checked. */
  readonly #poolersKnown = new Set<string>();

  /**
   * @param options connection options without the destination
   * @param noticed called once with each warning for the operator; warnings hold no secrets
   */
  constructor(url: string, options: pg.ClientConfig, noticed: (warning: string) => void = () => {}) {
    this.#url = url;
    this.#options = options;
    this.#noticed = noticed;
    const { sessionSettings, writingSettings } = postgresDifferences;
    const settings = [...writingSettings, ...sessionSettings].map((setting) => setting.split('=') as [string, string]);
    const timeouts = TIMEOUTS.map((name): [string, string] => [name, String(options[name])]);
    const given = settingsOfUrl(url);
    // Reads are single statements. At a higher isolation level, concurrent changes could make them fail.
    const all: [string, string][] = [...settings, ...timeouts, ['default_transaction_isolation', 'read committed']];
    // A pooler may drop the options of the URL, so its search path is set like the settings of Latchkey.
    const searchPath = given.get('search_path');
    const path: [string, string][] = searchPath === undefined ? [] : [['search_path', searchPath]];
    this.#wanted = new Map([...all.filter(([name]) => !given.has(name)), ...path]);
    this.#schema = searchPath === undefined ? null : schemaOf(searchPath);
    this.#needed = new Set(writingSettings.map((setting) => setting.split('=')[0]!));
  }

  /**
   * Reads back the settings of a new connection and corrects those that differ.
   *
   * @param url the URL of the connected host, if there are several
   * @returns the id of the backend process if a pooler is in between, else null
   * @throws UnfitSession when a setting that durability needs does not hold, or when a pooler changes sessions between
   *   transactions
   */
  async establish(client: pg.ClientBase, url = this.#url): Promise<number | null> {
    const names = new Set([...this.#wanted.keys(), ...this.#needed, ...Object.keys(SERVER_RISKS)]);
    const { settings, pid } = await readBack(client, [...names]);
    const isPooled = pid !== (client as pg.ClientBase & { processID: number | null }).processID;
    if (isPooled && !this.#poolersKnown.has(url)) {
      await refuseTransactionPooler(client, pid, { ...this.#options, connectionString: url });
      this.#poolersKnown.add(url);
    }
    const missing = this.#otherwise(settings);
    if (missing.length > 0) {
      const values = missing.map((name) => this.#wanted.get(name));
      // A server where one of them cannot be set keeps its values.
      await client.query(SET, [missing, values]).catch((error: unknown) => {
        if (!(error instanceof pg.DatabaseError)) throw error;
      });
    }
    this.#judge(missing.length === 0 ? settings : (await readBack(client, [...settings.keys()])).settings);
    await this.#requireSchema(client);
    return isPooled ? pid : null;
  }

  /** Tables of the service would land in another schema, or be looked for there. */
  async #requireSchema(client: pg.ClientBase): Promise<void> {
    const wanted = this.#schema;
    if (wanted === null) return;
    const { rows } = await client.query<{ schema: string | null }>('select pg_catalog.current_schema() as schema');
    const found = rows[0]!.schema;
    if (found === wanted) return;
    throw new UnfitSession(
      `the schema ${wanted}, which DATABASE_URL or LATCHKEY_DATABASE_SCHEMA names, ` +
        `is not there or its use is not granted (the sessions are in ${found ?? 'no schema'}): as the owner of the ` +
        `database, run CREATE SCHEMA IF NOT EXISTS ${pg.escapeIdentifier(wanted)}; and GRANT USAGE, CREATE on it to the role`,
    );
  }

  #otherwise(settings: ReadonlyMap<string, string>): string[] {
    return [...this.#wanted].flatMap(([name, wanted]) => {
      const found = settings.get(name);
      return found === undefined || found === wanted ? [] : [name];
    });
  }

  #judge(settings: ReadonlyMap<string, string>): void {
    for (const name of this.#otherwise(settings)) {
      const is = `${name}=${settings.get(name)} in the sessions of Latchkey, though it was set to ${this.#wanted.get(name)}`;
      if (this.#needed.has(name)) throw new UnfitSession(`PostgreSQL has ${is}: acknowledged changes could be lost`);
      this.#say(`PostgreSQL has ${is}: calls may be slow, or wait longer than they should`);
    }
    for (const [name, risk] of Object.entries(SERVER_RISKS))
      if (settings.get(name) === 'off') this.#say(`PostgreSQL runs with ${name}=off: ${risk}`);
    for (const name of this.#needed) {
      const found = settings.get(name);
      const { isSafe, risk } = URL_RISKS[name]!;
      if (!this.#wanted.has(name) && found !== undefined && !isSafe(found))
        this.#say(`DATABASE_URL sets ${name}=${found}: ${risk}`);
    }
  }

  #say(warning: string): void {
    if (this.#said.has(warning)) return;
    this.#said.add(warning);
    this.#noticed(warning);
  }
}

async function readBack(client: pg.ClientBase, names: readonly string[]): Promise<ReadBack> {
  const { rows } = await client.query<{ name: string; setting: string; pid: number }>(READ_BACK, [names]);
  return { settings: new Map(rows.map(({ name, setting }) => [name, setting])), pid: rows[0]?.pid ?? 0 };
}

/** The first schema of a search path; null for the one that is named like the role. */
function schemaOf(searchPath: string): string | null {
  const [, quoted, plain] = /^\s*(?:"((?:[^"]|"")*)"|([^,\s]+))/.exec(searchPath) ?? [];
  const schema = quoted?.replaceAll('""', '"') ?? plain?.toLowerCase() ?? null;
  return schema === '$user' ? null : schema;
}

/**
 * The settings that the parameters of a URL set, with the values of those in `options`.
 *
 * @throws StorageAway when the driver cannot parse the URL
 */
function settingsOfUrl(url: string): ReadonlyMap<string, string> {
  const { connectionParameters } = unconnectedClient(url);
  const timeouts = TIMEOUTS.filter((name) => connectionParameters[name]);
  const options = connectionParameters.options.matchAll(/(?:-c\s*|--)([\w.-]+)=((?:\\.|[^\s\\])*)/g);
  return new Map([
    ...timeouts.map((name): [string, string] => [name, String(connectionParameters[name])]),
    ...[...options].map(([, name = '', value = '']): [string, string] => [
      name.replaceAll('-', '_').toLowerCase(),
      value.replace(/\\(.)/g, '$1'),
    ]),
  ]);
}

/** A client that exposes the URL parameters as the driver parsed them. */
type ParsedClient = pg.Client & {
  readonly connectionParameters: Readonly<Record<(typeof TIMEOUTS)[number], unknown>> & { readonly options: string };
};

function unconnectedClient(url: string): ParsedClient {
  try {
    // The blank hides PGOPTIONS: connections have their own options and do not use it.
    return new pg.Client({ connectionString: splitPostgresUrl(url)[0]!, options: ' ' }) as ParsedClient;
  } catch (error) {
    // The driver's own error holds the URL.
    throw connectError(error);
  }
}
