import styles from './charts.module.css';
import { TONES, type Tone } from './series.ts';

/** The hatching of each tone in forced-colors mode: angle, distance and thickness of the lines. */
const LINES: Readonly<Record<Tone, { readonly turn: number; readonly apart: number; readonly thick: number }>> = {
  accent: { turn: 0, apart: 4, thick: 4 },
  'accent-soft': { turn: 45, apart: 5, thick: 1.5 },
  neutral: { turn: 90, apart: 4, thick: 1.5 },
  'neutral-soft': { turn: 90, apart: 8, thick: 1.5 },
  warn: { turn: 135, apart: 4, thick: 2 },
  'warn-soft': { turn: 135, apart: 8, thick: 2 },
  danger: { turn: 0, apart: 4, thick: 2 },
  'danger-soft': { turn: 0, apart: 8, thick: 2 },
};

/** Defines the patterns of all tones for one drawing. `of` prefixes their ids, so that they are unique on the page. */
export function Patterns({ of }: { readonly of: string }) {
  return (
    <defs>
      {TONES.map((tone) => {
        const { turn, apart, thick } = LINES[tone];
        return (
          <pattern
            key={tone}
            id={`${of}-${tone}`}
            width={apart}
            height={apart}
            patternUnits="userSpaceOnUse"
            patternTransform={`rotate(${turn})`}
          >
            <rect className={styles.patternLine} width={apart} height={thick} />
          </pattern>
        );
      })}
    </defs>
  );
}

/** The attributes that give a shape its tone: a colour, or a pattern in forced-colors mode. */
export function toneProps(tone: Tone, of: string) {
  return { 'data-tone': tone, style: { '--pattern': `url(#${of}-${tone})` } as React.CSSProperties };
}
