/** Turns the Markdown of a guide into the HTML of its page. Loaded for the first guide that somebody reads. */
import { Marked, type Token, type Tokens } from 'marked';
import { textOfHtml } from '../page/search-entries.ts';
import type { PictureSize } from './guide-files.ts';
import { guideRenderer, pictureOf } from './guide-renderer.ts';

/** A heading of a guide, with the text up to the next one. */
export interface GuidePart {
  /** Its `id` on the page; GitHub gives a heading the same one. */
  readonly id: string;
  readonly title: string;
  /** 1 for the title of the guide, 2 for its chapters, 3 and more for their parts. */
  readonly depth: number;
  /** The text without samples, for the search. */
  readonly text: string;
}

/** A guide as HTML. */
export interface GuideText {
  /** The title of the guide, and its headings in order. */
  readonly parts: readonly [GuidePart, ...GuidePart[]];
  readonly html: string;
}

/**
 * Renders a guide. HTML in the Markdown becomes text, and comments disappear.
 *
 * @param folder the folder of the guide in docs/, from which its links lead
 * @param endpointPaths each becomes a link to the reference
 * @param sizeOf finds the size of a picture by its file name
 */
export async function renderGuide(
  markdown: string,
  folder: string,
  endpointPaths: ReadonlySet<string>,
  sizeOf: (picture: string) => Promise<PictureSize>,
): Promise<GuideText> {
  const sizes = new Map<string, PictureSize>();
  const ids = new Map<Token, string>();
  const marked = new Marked({ renderer: guideRenderer({ folder, endpointPaths, sizes, ids }) });
  const tokens = marked.lexer(markdown);

  const pictures: string[] = [];
  marked.walkTokens(tokens, (token) => {
    if (token.type === 'image') pictures.push(pictureOf(token as Tokens.Image));
  });
  for (const name of pictures) sizes.set(name, await sizeOf(name));

  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading');
  for (const heading of headings) ids.set(heading, idFor(plainTitle(heading), new Set(ids.values())));

  const parts = headings.map((heading, index): GuidePart => {
    const next = headings[index + 1];
    const content = tokens.slice(tokens.indexOf(heading) + 1, next === undefined ? undefined : tokens.indexOf(next));
    return {
      id: ids.get(heading)!,
      title: plainTitle(heading),
      depth: heading.depth,
      text: textOfHtml(marked.parser(content.filter(({ type }) => type !== 'code'))),
    };
  });
  return { parts: parts as [GuidePart, ...GuidePart[]], html: marked.parser(tokens) };
}

function plainTitle({ tokens }: Tokens.Heading): string {
  return tokens.map((token) => ('text' in token ? token.text : token.raw)).join('');
}

/** The id of a heading: `Is it "good"?` becomes `is-it-good`, and a second one `is-it-good-1`. */
function idFor(title: string, taken: ReadonlySet<string>): string {
  const id = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\s-]/gu, '')
    .replaceAll(' ', '-');
  let found = id;
  for (let number = 1; taken.has(found); number += 1) found = `${id}-${number}`;
  return found;
}
