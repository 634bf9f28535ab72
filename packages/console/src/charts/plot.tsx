import { type CSSProperties, type ReactNode, useId } from 'react';
import { Axes } from './axes.tsx';
import styles from './charts.module.css';
import { Frame } from './frame.tsx';
import { Patterns } from './patterns.tsx';
import { Readout } from './readout.tsx';
import { MARGIN, type Room, roomOf } from './room.ts';
import { type Bin, barLabel, type Series, summaryOf, type Totals } from './series.ts';
import { usePointedBin } from './use-pointed-bin.ts';
import { useWidth } from './use-width.ts';

/** The props of every chart. */
export interface ChartProps {
  readonly title: string;
  /** The counted things as they appear inside a sentence: `refusals`. */
  readonly what: string;
  readonly bins: readonly Bin[];
  readonly series: readonly Series[];
  /** The heading of the time column in the table. */
  readonly when: string;
  /** In pixels. */
  readonly height?: number;
  /** The figures in the legend; sums by default. */
  readonly totals?: Totals;
  /** Content beside the title. */
  readonly beside?: ReactNode;
}

interface PlotProps {
  readonly chart: ChartProps;
  readonly spread: 'bands' | 'points';
  readonly highest: number;
  /** Drawn behind all bins. */
  readonly behind?: (room: Room, patterns: string) => ReactNode;
  /** Draws one bin. */
  readonly mark: (index: number, room: Room, patterns: string, isPointed: boolean) => ReactNode;
}

/**
 * The parts that bars and lines share: axes, bins that mouse and keyboard can reach, and the figures of the bin that is
 * pointed at.
 */
export function Plot({ chart, spread, highest, behind, mark }: PlotProps) {
  const { title, what, bins, series, when, height = 200, totals = 'sum', beside } = chart;
  const id = useId();
  const [element, width] = useWidth<HTMLDivElement>();
  const { pointed, placeProps } = usePointedBin(bins.length);
  const room = roomOf(spread, bins.length, highest, { width, height });
  const shown = pointed === null ? undefined : bins[pointed];
  // The view box scales the drawing to the width of the paper.
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  const inside = `translate(${MARGIN.left} ${MARGIN.top})`;
  return (
    <Frame {...{ title, bins, series, when, totals, beside }} summary={summaryOf(bins, series, what, totals)}>
      <div ref={element} className={styles.room} style={{ '--height': `${height}px` } as CSSProperties}>
        {width > 0 && (
          <>
            <svg className={styles.drawing} {...size} aria-hidden="true">
              <Patterns of={id} />
              <g transform={inside}>
                <Axes bins={bins} room={room} />
                {behind?.(room, id)}
              </g>
            </svg>
            {/* biome-ignore lint/a11y/useSemanticElements: HTML has no element that groups parts of a drawing */}
            <svg className={styles.drawing} {...size} role="group" aria-label={title}>
              <g transform={inside}>
                {bins.map((bin, index) => (
                  // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: focusable for reading, not for an action
                  <g key={bin.id} role="img" aria-label={barLabel(bin, series, index)} {...placeProps(index)}>
                    <rect
                      className={styles.place}
                      x={room.x(index) - room.step / 2}
                      width={room.step}
                      height={room.height}
                      rx="3"
                    />
                    {mark(index, room, id, pointed === index)}
                  </g>
                ))}
              </g>
            </svg>
          </>
        )}
        {shown !== undefined && pointed !== null && (
          <Readout {...{ bin: shown, series, index: pointed, width, id }} at={MARGIN.left + room.x(pointed)} />
        )}
      </div>
    </Frame>
  );
}
