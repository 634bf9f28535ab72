/** SVG paths through figures: pure geometry, in pixels. */

/** The `d` of a path through equidistant figures, from edge to edge. */
export function linePath(values: readonly number[], width: number, y: (count: number) => number): string {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values.map((value, index) => `${index === 0 ? 'M' : 'L'}${round(index * step)} ${round(y(value))}`).join('');
}

/** The `d` of the area between a {@link linePath} and a base height. */
export function areaPath(
  values: readonly number[],
  width: number,
  y: (count: number) => number,
  bottom: number,
): string {
  return values.length === 0 ? '' : `${linePath(values, width, y)}L${round(width)} ${bottom}L0 ${bottom}Z`;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
