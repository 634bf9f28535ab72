/**
 * Migrations for engines that do not keep changes of tables in a transaction: single statements, each of which may run
 * again after an interruption. Their indexes say ASC, because YugabyteDB otherwise hashes the first column, and a list
 * would read the whole table.
 */

/** A beginning of a statement, and the words that make it repeatable. */
const REPEATABLE: readonly (readonly [beginning: RegExp, repeatable: string])[] = [
  [/^create table (?!if )/i, 'create table if not exists '],
  [/^create (unique )?index (?!if )/i, 'create $1index if not exists '],
  [/^drop (table|index) (?!if )/i, 'drop $1 if exists '],
  [/^(alter table \w+ add column) (?!if )/i, '$1 if not exists '],
  [/^(alter table \w+ drop (?:column|constraint)) (?!if )/i, '$1 if exists '],
];

/** Statements that have the same effect when they run again. */
const IDEMPOTENT =
  /^(update|delete|create (unique )?(table|index) if not|drop \w+ if|alter table \w+ (add column if not|drop (column|constraint) if)) /i;

/**
 * The statements of a migration in repeatable form.
 *
 * @throws when one of them cannot be repeated
 */
export function repeatableStatements(script: string): readonly string[] {
  return splitStatements(script).map((statement) => {
    const [beginning, words] = REPEATABLE.find(([each]) => each.test(statement)) ?? [/^/, ''];
    const repeatable = statement.replace(beginning, words);
    if (/^insert /i.test(repeatable))
      return /on conflict/i.test(repeatable) ? repeatable : `${repeatable} on conflict do nothing`;
    if (!IDEMPOTENT.test(repeatable)) throw new Error(`a migration cannot repeat the statement ${statement}`);
    return /^create (unique )?index /i.test(repeatable) ? withAscendingColumns(repeatable) : repeatable;
  });
}

/** Splits a script at its semicolons, those in comments and texts apart, and drops comments. */
export function splitStatements(script: string): readonly string[] {
  const pieces = script.match(/--[^\n]*|'(?:[^']|'')*'|;|(?:(?!--)[^';])+/g) ?? [];
  const statements = [''];
  for (const piece of pieces)
    if (piece === ';') statements.push('');
    else if (!piece.startsWith('--')) statements.push(statements.pop() + piece);
  return statements.map((each) => each.trim()).filter((each) => each !== '');
}

/** Adds ASC to each column of `create index ... on table (columns)`; columns may be expressions. */
function withAscendingColumns(statement: string): string {
  const begin = statement.indexOf('(') + 1;
  let depth = 1;
  let columns = '';
  let index = begin;
  for (; depth > 0 && index < statement.length; index += 1) {
    const character = statement[index]!;
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth === 0 || (depth === 1 && character === ',')) columns += ' asc';
    columns += character;
  }
  return statement.slice(0, begin) + columns + statement.slice(index);
}
