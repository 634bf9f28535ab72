/** Collects text typed or pasted between opening the search and focusing its field, so that none of it is lost. */
import { useEffect, useState } from 'react';

/** The text collected while `isOpening`; '' otherwise. */
export function useEarlyText(isOpening: boolean): string {
  const [text, setText] = useState('');
  useEffect(() => {
    if (!isOpening) return setText('');
    const typed = (event: KeyboardEvent) => {
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
      event.preventDefault();
      setText((before) => before + event.key);
    };
    const pasted = (event: ClipboardEvent) => {
      if (isField(event.target)) return;
      event.preventDefault();
      const more = event.clipboardData?.getData('text/plain') ?? '';
      setText((before) => before + more);
    };
    addEventListener('keydown', typed);
    addEventListener('paste', pasted);
    return () => {
      removeEventListener('keydown', typed);
      removeEventListener('paste', pasted);
    };
  }, [isOpening]);
  return text;
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}
