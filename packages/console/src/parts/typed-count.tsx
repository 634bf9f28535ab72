import { type ReactNode, useState } from 'react';
import { TextField } from './field.tsx';

/** From this many items on, the person confirms by typing the number. */
const TYPED_FROM = 26;

/** Confirms an action on many items. @returns whether it is confirmed, and its field; null for few items */
export function useTypedCount(count: number): readonly [boolean, ReactNode] {
  const [typed, setTyped] = useState('');
  if (count < TYPED_FROM) return [true, null];
  const field = <TextField label={`Type ${count} to confirm`} value={typed} onChange={setTyped} />;
  return [typed.trim() === String(count), field];
}
