import { type KeyboardEvent, useState } from 'react';
import { binAfterKey } from './scale.ts';

/**
 * The bin that mouse, finger or keyboard points at. The chart is one tab stop, at the newest bin; arrow keys, Home and
 * End move between bins.
 */
export function usePointedBin(bins: number) {
  const [pointed, setPointed] = useState<number | null>(null);
  const [stop, setStop] = useState<number | null>(null);
  const stopAt = Math.min(stop ?? bins - 1, bins - 1);
  return {
    pointed: pointed !== null && pointed < bins ? pointed : null,
    /** The props of each bin. All bins must be children of one parent. */
    placeProps: (index: number) => ({
      tabIndex: index === stopAt ? 0 : -1,
      onPointerEnter: () => setPointed(index),
      onPointerLeave: () => setPointed(null),
      onFocus: () => {
        setPointed(index);
        setStop(index);
      },
      onBlur: () => setPointed(null),
      onKeyDown: (event: KeyboardEvent<SVGGElement>) => {
        if (event.key === 'Escape') setPointed(null);
        const next = binAfterKey(event.key, index, bins);
        if (next === index) return;
        event.preventDefault();
        const place = event.currentTarget.parentElement?.children[next];
        if (place instanceof SVGElement) place.focus();
      },
    }),
  };
}
