/** The world map: the script's output, and the figures on the map. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { areaOf, middleOf, type Point, pathOf, simplified } from '../../scripts/shapes.ts';
import { makeWorld } from '../../scripts/world.ts';
import { mapSummary, STEPS, stepOf, type World } from '../../src/map/world.ts';
import { countryName } from '../../src/parts/country-words.ts';

const FILE = join(import.meta.dirname, '..', '..', 'src', 'map', 'world.json');
const text = readFileSync(FILE, 'utf8');
const world: World = JSON.parse(text);
const places = new Set([...Object.keys(world.shapes), ...Object.keys(world.dots)]);
const same = (point: Point) => point;

describe('the map of the world', () => {
  it('matches the output of its script', () => {
    assert.equal(text, `${JSON.stringify(makeWorld())}\n`);
  });

  it('weighs at most 45 kB as it is sent', () => {
    assert.ok(gzipSync(text).length <= 45_000, String(gzipSync(text).length));
  });

  it('has every country once, small ones too, by letters that have a name', () => {
    assert.equal(places.size, Object.keys(world.shapes).length + Object.keys(world.dots).length);
    assert.ok(places.size >= 235, String(places.size));
    for (const code of ['DE', 'US', 'CN', 'SG', 'MT', 'HK', 'XK', 'GF', 'RE', 'TV', 'GI', 'TW'])
      assert.ok(places.has(code), code);
    for (const code of places) assert.notEqual(countryName(code), code);
  });

  it('draws nothing outside of itself, and no shape across the whole of it', () => {
    for (const [code, shape] of Object.entries(world.shapes)) {
      const xs = pointsOf(shape).map(([x]) => x);
      const ys = pointsOf(shape).map(([, y]) => y);
      assert.ok(Math.min(...xs) >= 0 && Math.max(...xs) <= world.width, code);
      assert.ok(Math.min(...ys) >= 0 && Math.max(...ys) <= world.height, code);
      for (const ring of shape.split('z')) {
        const own = pointsOf(ring).map(([x]) => x);
        assert.ok(own.length === 0 || Math.max(...own) - Math.min(...own) < world.width / 2, code);
      }
    }
    for (const [code, [x, y]] of Object.entries(world.dots))
      assert.ok(x >= 0 && x <= world.width && y >= 0 && y <= world.height, code);
  });

  it('says beside it how many machines called from where', () => {
    assert.equal(stepOf(0, 900), 0);
    assert.equal(stepOf(1, 900), 1);
    assert.equal(stepOf(900, 900), STEPS);
    assert.equal(stepOf(1, 1), STEPS);
    assert.ok(stepOf(40, 900) > stepOf(5, 900));
    const countries = [
      { code: 'DE', machines: 20, further: 3 },
      { code: 'FR', machines: 4, further: 1 },
    ];
    const [germany, france] = [countryName('DE'), countryName('FR')];
    assert.equal(
      mapSummary(countries),
      `Machines called from 2 countries: most from ${germany} (20), then from ${france} (4).`,
    );
    assert.match(mapSummary(countries.slice(0, 1)), /from one country/);
    assert.match(mapSummary([]), /No machine/);
  });
});

describe('the shapes of a map', () => {
  it('lose the corners that take the least area, never their ends', () => {
    const line: Point[] = [
      [0, 0],
      [5, 0.1],
      [10, 0],
      [10, 10],
    ];
    assert.deepEqual(simplified(line, 1, same), [
      [0, 0],
      [10, 0],
      [10, 10],
    ]);
    assert.deepEqual(simplified(line.slice(0, 3), 1, same), [
      [0, 0],
      [10, 0],
    ]);
  });

  it('keep a closed line closed and with an area', () => {
    const ring: Point[] = [
      [0, 0],
      [0.1, 0],
      [0.1, 0.1],
      [0, 0.1],
      [0, 0],
    ];
    assert.equal(simplified(ring, 100, same).length, 4);
  });

  it('know their area and the point on which they balance', () => {
    const square: Point[] = [
      [0, 0],
      [4, 0],
      [4, 4],
      [0, 4],
    ];
    assert.equal(areaOf(square), 16);
    assert.deepEqual(middleOf(square), [2, 2]);
    assert.deepEqual(
      middleOf([
        [1, 1],
        [3, 3],
      ]),
      [2, 2],
    );
  });

  it('are written in steps that lead back to the same points', () => {
    const rings: Point[][] = [
      [
        [10, 10],
        [20, 10],
        [15, 0],
      ],
      [
        [100, 50],
        [90, 60],
        [110, 60],
        [110.2, 60.1],
      ],
    ];
    const path = pathOf(rings);
    assert.deepEqual(pointsOf(path), [...rings[0]!, ...rings[1]!.slice(0, 3)]);
    assert.match(path, /^m10 10l10 0-5-10z/);
  });
});

/** The points of a path of relative steps. */
function pointsOf(path: string): Point[] {
  const points: Point[] = [];
  let [x, y] = [0, 0];
  for (const ring of path.split('z')) {
    const numbers = (ring.match(/-?\d+/g) ?? []).map(Number);
    let start: Point = [x, y];
    for (let index = 0; index < numbers.length; index += 2) {
      x += numbers[index] ?? 0;
      y += numbers[index + 1] ?? 0;
      if (index === 0) start = [x, y];
      points.push([x, y]);
    }
    [x, y] = start;
  }
  return points;
}
