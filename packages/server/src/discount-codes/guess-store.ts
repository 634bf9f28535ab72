/** Stored guesses of networks; see guessing.ts. */
import { toTimestamp } from '../base/clock.ts';
import { type Sql, statement, type Tx } from '../storage/storage.ts';
import { elementsOf, isFiniteNumber, parseStored } from '../storage/stored-json.ts';

const find = statement(
  'redemption_attempts.find',
  'select a.attempts as "attempts" from redemption_attempts a where a.address = $1',
);

const claim = statement(
  'redemption_attempts.claim',
  `insert into redemption_attempts (address, attempts, last_at) values ($1, '[]', $2) on conflict (address) do nothing`,
);

const lock = statement(
  'redemption_attempts.lock',
  (dialect) => `select a.attempts as "attempts" from redemption_attempts a where a.address = $1 ${dialect.forUpdate}`,
);

const save = statement(
  'redemption_attempts.save',
  'update redemption_attempts set attempts = $2, last_at = $3 where address = $1',
);

interface GuessesRow {
  readonly attempts: string;
}

function guessesFrom(row: GuessesRow | undefined): readonly number[] {
  return elementsOf(parseStored(row?.attempts), isFiniteNumber);
}

/** The guesses of a network, in milliseconds since 1970. */
export async function findGuesses(sql: Sql, network: string): Promise<readonly number[]> {
  return guessesFrom(await sql.first<GuessesRow>(find, network));
}

/** The guesses of a network, locked until the transaction ends. */
export async function lockGuesses(tx: Tx, network: string, now: number): Promise<readonly number[]> {
  await tx.run(claim, network, toTimestamp(now));
  return guessesFrom(await tx.first<GuessesRow>(lock, network));
}

/** Writes the guesses of a locked network. */
export async function saveGuesses(tx: Tx, network: string, guesses: readonly number[], now: number): Promise<void> {
  await tx.run(save, network, JSON.stringify(guesses), toTimestamp(now));
}
