import { toTimestamp } from '../../ground/base/clock.ts';
import { type Sql, type Statement, statement, type Tx } from './storage.ts';
import { parseStored } from './stored-json.ts';

/**
 * Rows that keep a list for each key, such as the recent guesses of a network, and the time of their last change. A
 * writer locks its row until its transaction ends, so limits on what the lists count are exact on all nodes.
 */
export class KeptLists<List extends readonly unknown[]> {
  readonly #find: Statement;
  readonly #claim: Statement;
  readonly #lock: Statement;
  readonly #save: Statement;
  readonly #read: (stored: unknown) => List;

  /**
   * @param table has the columns `key`, `list` and `last_at`
   * @param read converts the parsed list of a row; receives undefined if it is not JSON; must not throw
   */
  constructor(table: string, key: string, list: string, read: (stored: unknown) => List) {
    const selected = `select r.${list} as "list" from ${table} r where r.${key} = $1`;
    this.#find = statement(`${table}.find`, selected);
    this.#claim = statement(
      `${table}.claim`,
      `insert into ${table} (${key}, ${list}, last_at) values ($1, '[]', $2) on conflict (${key}) do nothing`,
    );
    this.#lock = statement(`${table}.lock`, (dialect) => `${selected} ${dialect.forUpdate}`);
    this.#save = statement(`${table}.save`, `update ${table} set ${list} = $2, last_at = $3 where ${key} = $1`);
    this.#read = read;
  }

  /** The list of a key. */
  find(sql: Sql, key: string): Promise<List> {
    return this.#listOf(sql, this.#find, key);
  }

  /** The list of a key, locked until the transaction ends. */
  async lock(tx: Tx, key: string, now: number): Promise<List> {
    await tx.run(this.#claim, key, toTimestamp(now));
    return this.#listOf(tx, this.#lock, key);
  }

  /** Writes the list of a locked key. */
  async save(tx: Tx, key: string, list: List, now: number): Promise<void> {
    await tx.run(this.#save, key, JSON.stringify(list), toTimestamp(now));
  }

  async #listOf(sql: Sql, selected: Statement, key: string): Promise<List> {
    return this.#read(parseStored((await sql.first<{ readonly list: string }>(selected, key))?.list));
  }
}
