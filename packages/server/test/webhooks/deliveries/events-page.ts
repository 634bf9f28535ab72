/** The code of docs/shops/events.md, for tests that run it. */
import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../../../../docs/shops/events.md', import.meta.url), 'utf8');

/** The blocks of a language, in the order of the page. @throws if the page has none */
export function blocksOf(language: string): readonly string[] {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, code = '']) => code,
  );
  if (found.length === 0) throw new Error(`docs/shops/events.md has no code in ${language}`);
  return found;
}

/** The only block of a language that contains a text. */
export function blockWith(language: string, text: string): string {
  const [block, ...others] = blocksOf(language).filter((each) => each.includes(text));
  if (block === undefined || others.length > 0) throw new Error(`no single block in ${language} contains ${text}`);
  return block;
}
