import styles from './charts.module.css';
import { TONES, type Tone } from './series.ts';

/** Lines that tell the tones apart where the reader's system chooses all colours: their angle and distance. */
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

/** Defines the patterns of all tones for a drawing; `of` makes their names its own. */
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

/** What gives a shape its tone: a colour, or a pattern where the reader's system chooses colours. */
export function toneProps(tone: Tone, of: string) {
  return { 'data-tone': tone, style: { '--pattern': `url(#${of}-${tone})` } as React.CSSProperties };
}
