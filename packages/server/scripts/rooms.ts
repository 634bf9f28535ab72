/**
 * Counts the rooms of `src` and the imports between them. A room is a folder of `src`. The declaration
 * in test/architecture/rooms.ts orders the rooms and says which room may import which.
 */
import { arrows, circlesOfRooms, isUpward, ROOMS } from '../test/architecture/rooms.ts';
import { sources } from '../test/architecture/sources.ts';
import { readCommandLine } from './command-line.ts';

readCommandLine('Usage: npm run rooms\n\nCounts the rooms of src and the imports between them.\n', {});

const upward = arrows.filter(isUpward);
const circles = circlesOfRooms();
const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

process.stdout.write('Room              Files  Lines  Imports  Imported by\n');
for (const room of Object.keys(ROOMS)) {
  const files = sources.filter(({ area }) => area === room);
  const counts = [
    String(files.length).padStart(5),
    String(total(files.map(({ lines }) => lines))).padStart(7),
    String(arrows.filter(({ from }) => from === room).length).padStart(9),
    String(arrows.filter(({ to }) => to === room).length).padStart(13),
  ];
  process.stdout.write(`${room.padEnd(18)}${counts.join('')}\n`);
}
process.stdout.write(`
Files                            ${sources.length}
Files beside the rooms           ${sources.filter(({ path }) => !path.includes('/')).length}
Lines                            ${total(sources.map(({ lines }) => lines))}
Rooms                            ${new Set(sources.filter(({ path }) => path.includes('/')).map(({ area }) => area)).size}
Arrows between rooms             ${arrows.length}
Imports between rooms            ${total(arrows.map(({ imports }) => imports.length))}
Upward arrows                    ${upward.length}
Circles of rooms, with types     ${circles.length}
`);
for (const line of upward.flatMap(({ imports }) => imports)) process.stdout.write(`upward: ${line}\n`);
for (const circle of circles) process.stdout.write(`circle: ${circle.join(', ')}\n`);
if (upward.length > 0 || circles.length > 0) process.exitCode = 1;
