/** Cookies of requests. */

/** The value of the cookie with this name; null where there is none, or where it occurs twice. */
export function cookieNamed(header: string | undefined, name: string): string | null {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value] = values;
  return value === undefined || values.length > 1 ? null : value;
}
