/** The key figures at the top of a screen: five in a row where there is room. */
import type { ReactNode } from 'react';
import { Skeleton } from './skeleton.tsx';
import styles from './tile.module.css';

export function Tiles({ children }: { readonly children: ReactNode }) {
  return <ul className={styles.tiles}>{children}</ul>;
}

export interface TileProps {
  readonly title: string;
  /** Undefined while loading. */
  readonly figure: string | undefined;
  readonly href: string | undefined;
  readonly below: ReactNode;
}

/** A key figure. Its parts are placed before the figure is known. */
export function Tile({ title, figure, href, below }: TileProps) {
  return (
    <li className={styles.tile}>
      <p className={styles.label} id={`tile-${title}`}>
        {title}
      </p>
      <p className={styles.figure}>
        {figure === undefined ? (
          <Skeleton width="50%" />
        ) : href === undefined ? (
          figure
        ) : (
          <a href={href} aria-label={`${title}: ${figure}`}>
            {figure}
          </a>
        )}
      </p>
      <div className={styles.below}>{below ?? <Skeleton width="80%" />}</div>
    </li>
  );
}
