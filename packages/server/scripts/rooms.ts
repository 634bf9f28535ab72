/**
 * Counts the wings and rooms of `src` and the imports between them. A wing is a folder of `src`, a room a folder of a
 * wing. The declaration in test/architecture/rooms.ts orders both and says which may import which.
 */
import { arrows, arrowsOfWings, isDeclared, isUpward, ROOMS, WINGS } from '../test/architecture/rooms.ts';
import { sliceRooms, sources } from '../test/architecture/sources.ts';
import { readCommandLine } from './command-line.ts';

readCommandLine('Usage: npm run rooms\n\nCounts the wings and rooms of src and the imports between them.\n', {});

const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
const numbers = (counts: readonly number[]) => counts.map((count) => String(count).padStart(9)).join('');

process.stdout.write('Place                          Files    Lines  Imports Imported\n');
for (const wing of Object.keys(WINGS)) {
  writeRow(wing, ({ wing: of }) => of === wing, arrowsOfWings, wing);
  for (const room of ROOMS.filter((each) => each.startsWith(`${wing}/`)))
    writeRow(`  ${room}`, ({ room: of }) => of === room, arrows, room);
}

process.stdout.write('\nArrows between wings, with imports\n');
for (const { from, to, imports } of arrowsOfWings)
  process.stdout.write(
    `  ${from} -> ${to} ${imports.length}${isDeclared({ from, to, imports }) ? '' : ' undeclared'}\n`,
  );

const ofSlices = arrows.filter(({ from, to }) => from.startsWith('runtime/') && sliceRooms.includes(to));
process.stdout.write(`\nImports of slices by the runtime: ${total(ofSlices.map(({ imports }) => imports.length))}\n`);
for (const line of ofSlices.flatMap(({ imports }) => imports)) process.stdout.write(`  ${line}\n`);

const upward = arrows.filter(isUpward);
process.stdout.write(`
Files                    ${sources.length}
Lines                    ${total(sources.map(({ lines }) => lines))}
Wings                    ${Object.values(WINGS).filter(({ rooms }) => Object.keys(rooms).length > 0).length}
Rooms                    ${ROOMS.filter((room) => room.includes('/')).length}
Arrows between wings     ${arrowsOfWings.length}
Arrows between rooms     ${arrows.length}
Imports between rooms    ${total(arrows.map(({ imports }) => imports.length))}
Upward arrows            ${upward.length}
`);
for (const line of upward.flatMap(({ imports }) => imports)) process.stdout.write(`upward: ${line}\n`);
if (upward.length > 0) process.exitCode = 1;

function writeRow(
  label: string,
  isInside: (source: (typeof sources)[number]) => boolean,
  between: typeof arrows,
  place: string,
): void {
  const files = sources.filter(isInside);
  const counts = [
    files.length,
    total(files.map(({ lines }) => lines)),
    between.filter(({ from }) => from === place).length,
    between.filter(({ to }) => to === place).length,
  ];
  process.stdout.write(`${label.padEnd(28)}${numbers(counts)}\n`);
}
