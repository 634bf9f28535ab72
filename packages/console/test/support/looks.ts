/** On what a screen is looked at: on a desk and on a phone, by day and by night. */
import type { OpenOptions } from './open-console.ts';

/** Both devices and both schemes. */
export const LOOKS: readonly Pick<OpenOptions, 'device' | 'scheme'>[] = [
  { device: 'desktop', scheme: 'light' },
  { device: 'phone', scheme: 'dark' },
];
