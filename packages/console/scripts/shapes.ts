/** Operations on the shapes of a map: pure geometry on points of a plane. */

/** x grows to the right, y grows downwards. */
export type Point = readonly [x: number, y: number];

/** The corners of the bounding box of points: left and top, right and bottom. */
export function boxOf(points: readonly Point[]): readonly [Point, Point] {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x);
    bottom = Math.max(bottom, y);
  }
  return [
    [left, top],
    [right, bottom],
  ];
}

/** The area of a ring, in square units. */
export function areaOf(ring: readonly Point[]): number {
  return Math.abs(signedAreaOf(ring));
}

/** The centroid of a ring; the middle of its box if it has no area. */
export function middleOf(ring: readonly Point[]): Point {
  const area = signedAreaOf(ring);
  if (area === 0) {
    const [[left, top], [right, bottom]] = boxOf(ring);
    return [(left + right) / 2, (top + bottom) / 2];
  }
  let [x, y] = [0, 0];
  ring.forEach(([x1, y1], index) => {
    const [x2, y2] = ring[(index + 1) % ring.length] ?? [x1, y1];
    const cross = x1 * y2 - x2 * y1;
    x += (x1 + x2) * cross;
    y += (y1 + y2) * cross;
  });
  return [x / (6 * area), y / (6 * area)];
}

function signedAreaOf(ring: readonly Point[]): number {
  return ring.reduce((sum, [x1, y1], index) => {
    const [x2, y2] = ring[(index + 1) % ring.length] ?? [x1, y1];
    return sum + (x1 * y2 - x2 * y1) / 2;
  }, 0);
}

/**
 * Simplifies a line by Visvalingam's algorithm: removes the point whose corner has the smallest area, until every
 * corner has at least `leastCorner`. Ends stay in place, and a closed line keeps at least four points.
 *
 * @param place maps a point of the line to the plane on which areas are measured
 */
export function simplified(line: readonly Point[], leastCorner: number, place: (point: Point) => Point): Point[] {
  const [first, last] = [line[0], line.at(-1)];
  const isClosed = first !== undefined && last !== undefined && first[0] === last[0] && first[1] === last[1];
  const fewest = isClosed ? 4 : 2;
  const kept = line.map((point) => ({ point, placed: place(point) }));
  const corners = kept.map((_, index) => cornerAt(kept, index));
  while (kept.length > fewest) {
    let least = 0;
    for (let index = 1; index < corners.length; index++)
      if ((corners[index] ?? Infinity) < (corners[least] ?? Infinity)) least = index;
    if ((corners[least] ?? Infinity) >= leastCorner) break;
    kept.splice(least, 1);
    corners.splice(least, 1);
    for (const index of [least - 1, least]) corners[index] = cornerAt(kept, index);
  }
  return kept.map(({ point }) => point);
}

/** The area of the triangle of a point and its neighbours; Infinity for the ends of the line. */
function cornerAt(line: readonly { readonly placed: Point }[], index: number): number {
  const [one, middle, other] = [line[index - 1]?.placed, line[index]?.placed, line[index + 1]?.placed];
  if (one === undefined || middle === undefined || other === undefined) return Infinity;
  return Math.abs((other[0] - one[0]) * (middle[1] - one[1]) - (middle[0] - one[0]) * (other[1] - one[1])) / 2;
}

/** The `d` attribute of an SVG path of closed rings, in whole units and relative steps, in its shortest form. */
export function pathOf(rings: readonly (readonly Point[])[]): string {
  let path = '';
  let [fromX, fromY] = [0, 0];
  for (const ring of rings) {
    const points = withoutRepeats(ring.map(([x, y]) => [Math.round(x), Math.round(y)] as const));
    const [start] = points;
    if (start === undefined || points.length < 3) continue;
    let letter = 'm';
    for (const [x, y] of points) {
      path += `${letter}${x - fromX}${y - fromY < 0 ? '' : ' '}${y - fromY}`;
      letter = letter === 'm' ? 'l' : '';
      [fromX, fromY] = [x, y];
      if (letter === '') letter = ' ';
    }
    path += 'z';
    [fromX, fromY] = start;
  }
  return path.replaceAll(' -', '-');
}

function withoutRepeats(points: readonly Point[]): readonly Point[] {
  return points.filter(([x, y], index) => {
    const [beforeX, beforeY] = points[(index + points.length - 1) % points.length] ?? [];
    return x !== beforeX || y !== beforeY;
  });
}
