/** Keeps room at the bottom of the screen for a bar that stands there, so that nothing is hidden behind it. */
import { type RefObject, useEffect } from 'react';

/** As CSS knows it: how high the bar is; 0px where there is none. */
const ROOM = '--bottom';

/** Measures the bar for as long as it is in sight. It takes no room where it stands within the page. */
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
