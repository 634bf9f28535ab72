/** Escapes the special characters of HTML, for the text of elements. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
