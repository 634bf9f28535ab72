/** The looks of a screen: on a desktop and on a phone, in light and dark. */
import type { OpenOptions } from './open-console.ts';

/** Both devices and both schemes. */
export const LOOKS: readonly Pick<OpenOptions, 'device' | 'scheme'>[] = [
  { device: 'desktop', scheme: 'light' },
  { device: 'phone', scheme: 'dark' },
];
