/** A whole number of at least `least`; null for an empty field, undefined for anything else. */
export function wholeNumber(text: string, least = 1): number | null | undefined {
  if (text.trim() === '') return null;
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= least ? value : undefined;
}
