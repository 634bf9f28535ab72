/** Fields that keep their form from being sent until the person has answered their question. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useId, useMemo, useState } from 'react';

type Report = (field: string, isBlocked: boolean) => void;

const Blocks = createContext<Report | null>(null);

/** Keeps the form around it from being sent while `isBlocked`. */
export function useFormBlock(isBlocked: boolean): void {
  const field = useId();
  const report = useContext(Blocks);
  useEffect(() => {
    report?.(field, isBlocked);
    return () => report?.(field, false);
  }, [report, field, isBlocked]);
}

/** Whether a field keeps the form from being sent, and the place of such fields. */
export function useFormBlocks(): readonly [isBlocked: boolean, Place: (props: PlaceProps) => ReactNode] {
  const [fields, setFields] = useState<ReadonlySet<string>>(new Set());
  const report = useCallback<Report>((field, isBlocked) => {
    setFields((before) => {
      if (before.has(field) === isBlocked) return before;
      const after = new Set(before);
      if (isBlocked) after.add(field);
      else after.delete(field);
      return after;
    });
  }, []);
  const Place = useMemo(
    () =>
      ({ children }: PlaceProps) => <Blocks value={report}>{children}</Blocks>,
    [report],
  );
  return [fields.size > 0, Place];
}

interface PlaceProps {
  readonly children: ReactNode;
}
