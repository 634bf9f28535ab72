/**
 * The world map of the console, created once from the public domain data of Natural Earth in `world-atlas`, so that the
 * browser needs no map library. Shapes are projected (equal earth, so that areas are comparable), simplified, rounded
 * to whole units, and named by their two-letter ISO 3166 codes. Borders between two countries are simplified once and
 * stay shared. All borders come from the data; none of them is a statement about the status of a territory.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { geoEqualEarthRaw } from 'd3-geo';
import { mergeArcs } from 'topojson-client';
import type { World } from '../src/map/world.ts';
import { areaOf, boxOf, middleOf, type Point, pathOf, simplified } from './shapes.ts';

interface Polygon {
  readonly type: 'Polygon';
  readonly arcs: readonly (readonly number[])[];
}
interface Geometry {
  readonly type: 'Polygon' | 'MultiPolygon';
  readonly id?: string;
  readonly properties: { readonly name: string };
  readonly arcs: readonly (readonly (readonly number[])[])[] | readonly (readonly number[])[];
}
interface Topology {
  readonly arcs: readonly (readonly Point[])[];
  readonly transform: { readonly scale: Point; readonly translate: Point };
  readonly objects: { readonly countries: { readonly geometries: readonly Geometry[] } };
}

const WIDTH = 1600;
/** The western edge of the map in degrees: a meridian between Asia and America. */
const WEST_EDGE = -169;
/** Corners of a coast with a smaller area, in square units, are removed. */
const LEAST_CORNER = 0.35;
/** Smaller islands are left out, unless they are the largest part of their country. */
const LEAST_ISLAND = 1.5;
/** A country whose largest part is narrower and lower than this becomes a dot. */
const LEAST_SIDE = 8;

/** Codes of places that have a name but no number in the data. */
const BY_NAME: Readonly<Record<string, string>> = { Kosovo: 'XK', Somaliland: 'SO', 'N. Cyprus': 'CY' };
/** Left out: uninhabited, or drawn as dots below. */
const LEFT_OUT = ['Antarctica', 'Indian Ocean Ter.', 'Ashmore and Cartier Is.', 'Fr. S. Antarctic Lands'];

/**
 * Places with a code of their own that belong to another country in the data: that country, and their bounds in
 * degrees.
 */
const PARTS: readonly { code: string; of: string; west: number; south: number; east: number; north: number }[] = [
  { code: 'GF', of: 'FR', west: -56, south: 1, east: -50, north: 7 },
  { code: 'GP', of: 'FR', west: -62.5, south: 15.5, east: -60.5, north: 17 },
  { code: 'MQ', of: 'FR', west: -61.5, south: 14, east: -60.5, north: 15.2 },
  { code: 'RE', of: 'FR', west: 54, south: -22, east: 57, north: -20 },
  { code: 'YT', of: 'FR', west: 44.5, south: -13.5, east: 46, north: -12 },
  { code: 'SJ', of: 'NO', west: -10, south: 70.5, east: 40, north: 82 },
  { code: 'BQ', of: 'NL', west: -69, south: 11, east: -62, north: 18 },
];

/** Places with a code that are missing in the data, in degrees. */
const FURTHER_DOTS: Readonly<Record<string, Point>> = {
  GI: [-5.35, 36.14],
  TV: [179.2, -8.52],
  TK: [-171.8, -9.2],
  CX: [105.63, -10.49],
  CC: [96.87, -12.17],
  BQ: [-68.26, 12.2],
  UM: [-176.6, 0.2],
};

/** Creates the map. The same data gives the same map. */
export function makeWorld(): World {
  const atlas = createRequire(import.meta.url).resolve('world-atlas/countries-50m.json');
  const topology: Topology = JSON.parse(readFileSync(atlas, 'utf8'));
  const arcs = topology.arcs.map((arc) => arcInDegrees(arc, topology.transform));
  const polygons = byCode(topology, arcs);
  const all = [...polygons.values()].flat().flatMap((polygon) => polygon.arcs.flatMap((ring) => ringOf(ring, arcs)));
  const [[left, top], [right, bottom]] = boxOf(all.map(project));
  const scale = WIDTH / (right - left);
  const place = (degrees: Point): Point => {
    const [x, y] = project(degrees);
    return [(x - left) * scale, (y - top) * scale];
  };
  const drawn = arcs.map((arc) => simplified(arc, LEAST_CORNER, place));

  const shapes: Record<string, string> = {};
  const dots: Record<string, Point> = {};
  let otherLand = '';
  for (const code of [...polygons.keys()].sort()) {
    const merged = mergeArcs(topology, polygons.get(code) ?? []);
    const rings = merged.arcs.flat().map((ring) => ringOf(ring, drawn).map(place));
    const largest = rings.reduce((one, other) => (areaOf(other) > areaOf(one) ? other : one));
    const [[west, north], [east, south]] = boxOf(largest);
    const seen = rings.filter((ring) => ring === largest || areaOf(ring) >= LEAST_ISLAND);
    if (code === '') otherLand = pathOf(seen);
    else if (east - west < LEAST_SIDE && south - north < LEAST_SIDE) dots[code] = rounded(middleOf(largest));
    else shapes[code] = pathOf(seen);
  }
  for (const [code, [longitude, latitude]] of Object.entries(FURTHER_DOTS))
    dots[code] = rounded(place([longitude + turnsToMap(longitude), latitude]));
  return { width: WIDTH, height: Math.ceil((bottom - top) * scale), shapes, dots, otherLand };
}

/** Polygons by country code; those without a country under the empty text. */
function byCode(topology: Topology, arcs: readonly (readonly Point[])[]): Map<string, Polygon[]> {
  const polygons = new Map<string, Polygon[]>();
  for (const geometry of topology.objects.countries.geometries) {
    const { name } = geometry.properties;
    if (LEFT_OUT.includes(name)) continue;
    const country = geometry.id === undefined ? (BY_NAME[name] ?? '') : lettersOf(geometry.id);
    const parts = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs;
    for (const part of parts) {
      const polygon = { type: 'Polygon', arcs: part as Polygon['arcs'] } as const;
      const code = partOf(country, ringOf(polygon.arcs[0] ?? [], arcs));
      polygons.set(code, [...(polygons.get(code) ?? []), polygon]);
    }
  }
  return polygons;
}

/** The code of a part of a country if it has one, otherwise the country's code. */
function partOf(country: string, ring: readonly Point[]): string {
  const [[west, south], [east, north]] = boxOf(ring);
  const own = PARTS.find(
    (part) =>
      part.of === country && west >= part.west && east <= part.east && south >= part.south && north <= part.north,
  );
  return own?.code ?? country;
}

/** Converts a numeric country code to letters: `276` to `DE`. */
function lettersOf(number: string): string {
  return Intl.getCanonicalLocales(`und-${number}`)[0]?.slice('und-'.length) ?? '';
}

/** Arcs are stored as whole-number steps from the previous point. */
function arcInDegrees(arc: readonly Point[], { scale, translate }: Topology['transform']): readonly Point[] {
  let [x, y] = [0, 0];
  return arc.map(([stepX, stepY]) => {
    x += stepX;
    y += stepY;
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
}

/**
 * The points of a ring of arcs, in degrees that continue beyond 180 if the ring crosses that meridian, moved onto the
 * map as a whole. An arc given by its complement is read backwards.
 */
function ringOf(ring: readonly number[], arcs: readonly (readonly Point[])[]): readonly Point[] {
  const stored = ring.flatMap((index) => {
    const points = index < 0 ? [...(arcs[~index] ?? [])].reverse() : (arcs[index] ?? []);
    return points.slice(0, -1);
  });
  let turned = 0;
  let before = stored[0]?.[0] ?? 0;
  const points = stored.map(([longitude, latitude]): Point => {
    if (Math.abs(longitude - before) > 180) turned += longitude < before ? 360 : -360;
    before = longitude;
    return [longitude + turned, latitude];
  });
  const [[west], [east]] = boxOf(points);
  const turns = turnsToMap((west + east) / 2);
  return points.map(([longitude, latitude]) => [longitude + turns, latitude]);
}

/** The rotation in degrees that moves a longitude onto the map. The map's edge crosses no land except ice. */
function turnsToMap(longitude: number): number {
  if (longitude < WEST_EDGE) return 360;
  return longitude >= WEST_EDGE + 360 ? -360 : 0;
}

/** Projects degrees onto the plane: x to the right, y downwards. */
function project([longitude, latitude]: Point): Point {
  const middle = WEST_EDGE + 180;
  const [x, y] = geoEqualEarthRaw(((longitude - middle) * Math.PI) / 180, (latitude * Math.PI) / 180);
  return [x, -y];
}

function rounded([x, y]: Point): Point {
  return [Math.round(x), Math.round(y)];
}
