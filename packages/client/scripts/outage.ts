/** Simulates a month of outages in minutes (test/outage/month.ts). */
import { driverOf, findLanguages, isBuilt, lackingPrograms } from '../../../clients/conformance/languages.ts';
import { readCommandLine, refuseCommandLine } from '../../server/scripts/command-line.ts';
import { playMonth } from '../test/outage/play-month.ts';

const USAGE = `Usage: npm run outage -- [options]

Plays a month of outages in minutes. Fails if a paid app stops, or if a revoked one continues past the end of its file.
The apps are written in JavaScript, and by turns in each language whose client \`npm run test:clients\` has built.

  --apps N    from 60 (200)
  --hours N   working hours of a day, 1 to 12 (8)
`;

const { values } = readCommandLine(USAGE, {
  apps: { type: 'string', default: '200' },
  hours: { type: 'string', default: '8' },
});
const [apps, workingHours] = [Number(values.apps), Number(values.hours)];
if (!(Number.isSafeInteger(apps) && apps >= 60) || !(workingHours >= 1 && workingHours <= 12))
  refuseCommandLine('--apps is a whole number from 60 on, --hours a number from 1 to 12');
// JavaScript comes first, and its apps are part of this process.
const languages = findLanguages()
  .slice(1)
  .filter((language) => lackingPrograms(language).length === 0 && isBuilt(language));
const say = (line: string) => void process.stdout.write(`${line}\n`);
const began = performance.now();
const { wrong, ...tally } = await playMonth({
  apps,
  appsOfLicense: 5,
  workingHours,
  isShort: false,
  say,
  programs: languages.map(driverOf),
});
say(`\n${Math.round((performance.now() - began) / 1000)} seconds for the month`);
say(`Languages: ${['javascript', ...languages.map(({ name }) => name)].join(', ')}`);
say(`${tally.apps} apps: ${tally.paid} of customers who have paid, ${tally.revoked} of licenses that were revoked`);
say(
  `${tally.starts} starts, ${tally.calls} calls, ${tally.daysInGrace} days in grace in all, looked at ${tally.judged} times`,
);
if (wrong.length === 0)
  say('No app that has paid stopped, and none that was revoked went on past the end of its file.');
else {
  process.exitCode = 1;
  say(`${wrong.length} apps did what they should not have done:`);
  for (const line of wrong) say(`  ${line}`);
}
