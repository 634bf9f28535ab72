/** The few functions of libraries without types that the map is made with. */

declare module 'd3-geo' {
  /** The equal earth projection, from radians to a plane. */
  export function geoEqualEarthRaw(longitude: number, latitude: number): [number, number];
}

declare module 'topojson-client' {
  /** The outer borders of all of these polygons together, by the numbers of their arcs. */
  export function mergeArcs(
    topology: unknown,
    polygons: readonly unknown[],
  ): { readonly type: 'MultiPolygon'; readonly arcs: readonly (readonly (readonly number[])[])[] };
}
