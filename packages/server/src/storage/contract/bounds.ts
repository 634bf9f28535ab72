/** Conditions on the columns of an index, compared as rows. Both engines have them. */

/** The condition for rows after these values, in falling or rising order, compared column by column. */
export function beyond(values: Readonly<Record<string, string>>, isRising: boolean): string {
  return compared(values, isRising ? '>' : '<');
}

/** The condition for rows up to these values, in falling or rising order, compared column by column. */
export function upTo(values: Readonly<Record<string, string>>, isRising: boolean): string {
  return compared(values, isRising ? '<=' : '>=');
}

function compared(values: Readonly<Record<string, string>>, comparison: string): string {
  return `(${Object.keys(values).join(', ')}) ${comparison} (${Object.values(values).join(', ')})`;
}
