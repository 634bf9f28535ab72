import { type ReactNode, useId } from 'react';
import { Axes } from './axes.tsx';
import styles from './charts.module.css';
import { Frame } from './frame.tsx';
import { Patterns } from './patterns.tsx';
import { Readout } from './readout.tsx';
import { MARGIN, type Room, roomOf } from './room.ts';
import { type Bin, barLabel, type Series, summaryOf } from './series.ts';
import { usePointedBin } from './use-pointed-bin.ts';
import { useWidth } from './use-width.ts';

/** What a chart is given. */
export interface ChartProps {
  readonly title: string;
  /** What is counted, in the middle of a sentence: `refusals`. */
  readonly what: string;
  readonly bins: readonly Bin[];
  readonly series: readonly Series[];
  /** What the column of times is called in the table. */
  readonly when: string;
  /** Pixels. */
  readonly height?: number;
  /** What stands beside the title. */
  readonly beside?: ReactNode;
}

interface PlotProps {
  readonly chart: ChartProps;
  readonly spread: 'bands' | 'points';
  readonly highest: number;
  /** What is drawn behind all places. */
  readonly behind?: (room: Room, patterns: string) => ReactNode;
  /** What is drawn at a place. */
  readonly mark: (index: number, room: Room, patterns: string, isPointed: boolean) => ReactNode;
}

/** What bars and lines share: axes, places that mouse and keyboard reach, and the figures of the one that is pointed at. */
export function Plot({ chart, spread, highest, behind, mark }: PlotProps) {
  const { title, what, bins, series, when, height = 200, beside } = chart;
  const id = useId();
  const [element, width] = useWidth<HTMLDivElement>();
  const { pointed, placeProps } = usePointedBin(bins.length);
  const room = roomOf(spread, bins.length, highest, { width, height });
  const shown = pointed === null ? undefined : bins[pointed];
  const inside = `translate(${MARGIN.left} ${MARGIN.top})`;
  return (
    <Frame {...{ title, bins, series, when, beside }} summary={summaryOf(bins, series, what)}>
      <div ref={element} className={styles.room} style={{ height }}>
        {width > 0 && (
          <>
            <svg className={styles.drawing} width={width} height={height} aria-hidden="true">
              <Patterns of={id} />
              <g transform={inside}>
                <Axes bins={bins} room={room} />
                {behind?.(room, id)}
              </g>
            </svg>
            {/* biome-ignore lint/a11y/useSemanticElements: no element of HTML groups parts of a drawing */}
            <svg className={styles.drawing} width={width} height={height} role="group" aria-label={title}>
              <g transform={inside}>
                {bins.map((bin, index) => (
                  // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it is reached to be read, not to act
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
