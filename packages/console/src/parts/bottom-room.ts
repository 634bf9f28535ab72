/** Reserves space for a bar at the bottom of the screen, so that it hides nothing. */
import { type RefObject, useEffect } from 'react';

/** The CSS variable with the height of the bar; 0px without a bar. */
const ROOM = '--bottom';

/** Measures the bar while it is in sight. A bar within the flow of the page needs no reserved space. */
export function useBottomRoom(bar: RefObject<HTMLElement | null>, isThere = true): void {
  useEffect(() => {
    const element = bar.current;
    if (element === null || !isThere) return;
    const root = document.documentElement;
    const measure = () => {
      const isFixed = getComputedStyle(element).position === 'fixed';
      root.style.setProperty(ROOM, isFixed ? `${element.offsetHeight}px` : '0px');
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => {
      observer.disconnect();
      root.style.removeProperty(ROOM);
    };
  }, [bar, isThere]);
}
