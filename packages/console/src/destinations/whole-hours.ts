/** The longest overlap of two secrets, in hours. */
const LONGEST = 168;

/** The hours of a field; null unless they are a whole number from 0 to 168. */
export function wholeHours(text: string): number | null {
  return /^\d+$/.test(text.trim()) && Number(text) <= LONGEST ? Number(text) : null;
}
