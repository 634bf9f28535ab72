/** The variables of the environment, and their names: finds misspelt ones and skips those of other programs. */

/** Environment variables, as `process.env` holds them. A variable set to the empty string counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables of the example apps and of `npm run demo`. They are often still set in the shell that starts the service
 * next.
 */
const OF_PROGRAMS_BESIDE: ReadonlySet<string> = new Set(
  ['KEYS', 'SERVER', 'CA', 'STATE', 'URL'].map((name) => `LATCHKEY_${name}`),
);

/**
 * Returns errors for misspelt names. `LATCHKEY_TEST_` variables control the test suite, and the servers that it starts
 * inherit them.
 */
export function unknownVariables(environment: Environment, known: readonly string[]): string[] {
  return Object.keys(environment)
    .filter((name) => /^LATCHKEY_/i.test(name) && environment[name] && !known.includes(name))
    .filter(
      (name) =>
        !OF_PROGRAMS_BESIDE.has(name) &&
        !name.startsWith('LATCHKEY_TEST_') &&
        !isServiceLink(name, environment[name] ?? ''),
    )
    .sort()
    .map((name) => {
      const meant = nearestVariable(name.toUpperCase(), known);
      return `${name} is not a variable of Latchkey${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    });
}

/**
 * Whether Kubernetes set the variable. In every pod beside a service named `latchkey` or `latchkey-...` it sets
 * `LATCHKEY_SERVICE_HOST`, `LATCHKEY_PORT=tcp://10.0.0.1:8443`, `LATCHKEY_PORT_8443_TCP_ADDR` and similar variables.
 */
export function isServiceLink(name: string, value: string): boolean {
  if (/_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name)) return true;
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value);
}

/** Returns the known variable closest to `name`, at most three edits away, or undefined. */
function nearestVariable(name: string, known: readonly string[]): string | undefined {
  const candidates = known.map((each) => ({
    known: each,
    slips: Math.min(editDistance(name, each), editDistance(name.replace('LATCHKEY_', ''), each)),
  }));
  return candidates.filter(({ slips }) => slips <= 3).sort((one, other) => one.slips - other.slips)[0]?.known;
}

/** Returns the number of insertions, deletions and replacements that turn one text into the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = previous[column]! + (letter === other ? 0 : 1);
      current.push(Math.min(replaced, previous[column + 1]! + 1, current[column]! + 1));
    }
    previous = current;
  }
  return previous[to.length]!;
}
