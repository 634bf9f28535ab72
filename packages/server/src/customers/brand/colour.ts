/** Contrast of colours by WCAG 2.2 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio). Colours are texts `#rrggbb`. */

/**
 * Minimum contrast of a brand's accent with white and with black. WCAG asks for it between a control and its
 * background, and the pages have a light and a dark background.
 */
export const MIN_ACCENT_CONTRAST = 3;

const WHITE = '#ffffff';
const BLACK = '#000000';

/** True if a text is a colour of the form `#rrggbb`. */
export function isColour(text: string): boolean {
  return /^#[\da-f]{6}$/i.test(text);
}

/** The contrast of two colours, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** White or black, the one with more contrast on the colour. It is at least 4.58, the square root of 21. */
export function textColourOn(colour: string): string {
  return contrastOf(colour, WHITE) >= contrastOf(colour, BLACK) ? WHITE : BLACK;
}

/** The relative luminance of a colour: 0 for black, 1 for white. */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
