import { type ReactNode, useId } from 'react';
import { countText } from '../parts/count-words.ts';
import unseen from '../parts/unseen.module.css';
import styles from './charts.module.css';
import { Patterns, toneProps } from './patterns.tsx';
import { type Bin, figureOf, type Series, type Totals } from './series.ts';

interface FrameProps {
  readonly title: string;
  /** A summary in one sentence, for people who cannot see the drawing. */
  readonly summary: string;
  readonly bins: readonly Bin[];
  readonly series: readonly Series[];
  /** The heading of the time column. */
  readonly when: string;
  readonly totals: Totals;
  /** Content beside the title. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of every chart: title, summary, legend with totals, and the same figures as a table. */
export function Frame({ title, summary, bins, series, when, totals, beside, children }: FrameProps) {
  const id = useId();
  return (
    <figure className={styles.frame} aria-labelledby={`${id}-title`}>
      <figcaption className={styles.caption}>
        <h2 id={`${id}-title`}>{title}</h2>
        {beside}
        <p className={unseen.unseen}>{summary}</p>
      </figcaption>
      {children}
      <Legend series={series} totals={totals} />
      <details className={styles.table}>
        <summary>Show as table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
        <section className={styles.scroll} tabIndex={0} aria-label={`${title}, as a table`}>
          <FigureTable title={title} bins={bins} series={series} when={when} />
        </section>
      </details>
    </figure>
  );
}

/** The series with colour and figure, largest first. */
function Legend({ series, totals }: Pick<FrameProps, 'series' | 'totals'>) {
  const id = useId();
  return (
    <ul className={styles.legend}>
      {series.map((each) => (
        <li key={each.id}>
          <svg className={styles.swatch} viewBox="0 0 12 12" aria-hidden="true">
            <Patterns of={id} />
            <rect width="12" height="12" rx="3" {...toneProps(each.tone, id)} />
          </svg>
          {each.href === undefined ? <span>{each.label}</span> : <a href={each.href}>{each.label}</a>}
          <span className={styles.total}>{countText(figureOf(each, totals))}</span>
        </li>
      ))}
    </ul>
  );
}

function FigureTable({ title, bins, series, when }: Pick<FrameProps, 'title' | 'bins' | 'series' | 'when'>) {
  return (
    <table>
      <caption className={unseen.unseen}>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{when}</th>
          {series.map(({ id, label }) => (
            <th key={id} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bins.map((bin, index) => (
          <tr key={bin.id}>
            <th scope="row">{bin.href === undefined ? bin.label : <a href={bin.href}>{bin.label}</a>}</th>
            {series.map(({ id, values }) => (
              <td key={id}>{countText(values[index] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
