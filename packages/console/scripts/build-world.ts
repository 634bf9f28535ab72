/** Writes src/map/world.json. Needed again only when `world-atlas` or what is made of it changes; a test compares the two. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeWorld } from './world.ts';

writeFileSync(join(import.meta.dirname, '..', 'src', 'map', 'world.json'), `${JSON.stringify(makeWorld())}\n`);
