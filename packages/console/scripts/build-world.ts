/**
 * Writes src/map/world.json. Run it again only after a change of `world-atlas` or of the map's processing; a test
 * compares the two.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeWorld } from './world.ts';

writeFileSync(join(import.meta.dirname, '..', 'src', 'map', 'world.json'), `${JSON.stringify(makeWorld())}\n`);
