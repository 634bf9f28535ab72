/** Requests without their empty fields. */

type Given<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], '' | null | undefined> };

/** Leaves out the fields that are empty: '', null or undefined. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => (value ?? '') !== '')) as Given<Fields>;
}
