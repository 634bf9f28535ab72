/** Types for the few library functions that create the map. */

declare module 'd3-geo' {
  /** The equal earth projection, from radians to a plane. */
  export function geoEqualEarthRaw(longitude: number, latitude: number): [number, number];
}

declare module 'topojson-client' {
  /** The common outer borders of all these polygons, as arc numbers. */
  export function mergeArcs(
    topology: unknown,
    polygons: readonly unknown[],
  ): { readonly type: 'MultiPolygon'; readonly arcs: readonly (readonly (readonly number[])[])[] };
}
