/** The statements of a migration's script. */

/** Splits a script at its semicolons, those in comments and texts apart, and drops comments. */
export function splitStatements(script: string): readonly string[] {
  const pieces = script.match(/--[^\n]*|'(?:[^']|'')*'|;|(?:(?!--)[^';])+/g) ?? [];
  const statements = [''];
  for (const piece of pieces)
    if (piece === ';') statements.push('');
    else if (!piece.startsWith('--')) statements.push(statements.pop() + piece);
  return statements.map((each) => each.trim()).filter((each) => each !== '');
}
