import { type KeyboardEvent, useState } from 'react';
import { binAfterKey } from './scale.ts';

/**
 * Which place of a chart is pointed at, by mouse, finger or keyboard. The chart is one stop of the Tab key, at the newest
 * place; arrows, Home and End go from place to place.
 */
export function usePointedBin(bins: number) {
  const [pointed, setPointed] = useState<number | null>(null);
  const [stop, setStop] = useState<number | null>(null);
  const stopAt = Math.min(stop ?? bins - 1, bins - 1);
  return {
    pointed: pointed !== null && pointed < bins ? pointed : null,
    /** What each place of the chart, a child of one parent, is given. */
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
