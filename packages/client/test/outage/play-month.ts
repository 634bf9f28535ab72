import { incidents } from './incidents.ts';
import { Month, type Settings, type Tally } from './month.ts';

/** Runs the month. */
export async function playMonth(settings: Settings): Promise<Tally> {
  const month = await Month.begin(settings);
  try {
    for (const [day, what, happens] of incidents(month)) {
      await month.passTo(day);
      settings.say(`day ${day.toFixed(2).padStart(5)}  ${what}`);
      await happens();
    }
    return month.tally();
  } finally {
    await month.end();
  }
}
