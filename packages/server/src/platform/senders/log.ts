/** The log, as the reports of senders enter it. */

/** Writes lines: fields, one of them `event`. */
export interface Log {
  info(line: Readonly<Record<string, unknown>>): void;
  warn(line: Readonly<Record<string, unknown>>): void;
  error(line: Readonly<Record<string, unknown>>): void;
}
