/** Changes a file in the folder of a machine, as users, programs and failing disks do. */
import { join } from 'node:path';
import { millisecondsOf } from './durations.ts';
import type { Machine } from './machine.ts';
import type { StepOf } from './scenario.ts';

/** The object in a stored text; an empty one if it holds none. */
function objectIn(text: string | null): Readonly<Record<string, string>> {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
}

/**
 * Plays an edit whose names and times are filled in.
 *
 * @param copies texts by their names, which `copyTo` adds and `restoreFrom` reads
 * @param now milliseconds since 1970
 */
export async function edit(
  machine: Machine,
  step: StepOf<'edit'>,
  copies: Map<string, string>,
  now: number,
): Promise<void> {
  const { edit: file, set = {} } = step;
  const text = await machine.text(file);
  if (step.remove) return machine.remove(file);
  if (step.folder) return machine.write(join(file, 'inside'), '');
  if (step.copyTo !== undefined) return void copies.set(step.copyTo, text ?? '');
  if (step.restoreFrom !== undefined) return machine.write(file, copies.get(step.restoreFrom) ?? '');
  if (step.text !== undefined) return machine.write(file, step.text);
  if (step.cut !== undefined) return machine.write(file, (text ?? '').slice(0, step.cut));
  if (step.touched !== undefined) return machine.touch(now + millisecondsOf(step.touched));
  const state = objectIn(text);
  if (step.flip !== undefined) {
    // Another letter in the middle of the text, where no unused bits are.
    const value = state[step.flip] ?? '';
    const index = Math.floor(value.length / 2);
    const flipped = `${value.slice(0, index)}${value[index] === 'A' ? 'B' : 'A'}${value.slice(index + 1)}`;
    return machine.write(file, JSON.stringify({ ...state, [step.flip]: flipped }));
  }
  // In another form than clients write it, which must not matter.
  const others = Object.fromEntries(Object.entries(state).filter(([name]) => !(name in set)));
  await machine.write(file, JSON.stringify({ ...set, ...others }, null, 2));
}
