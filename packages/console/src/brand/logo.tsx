import { useEffect, useRef } from 'react';
import styles from './brand.module.css';
import { bytesOf } from './brand-form.ts';

/** Height of the drawing in pixels: twice that on the screen, so that it is sharp on fine ones. */
const DRAWN_HEIGHT = 80;

/** A logo, drawn on a canvas: the policy of the console loads pictures from files of the service only. */
export function LogoPicture({
  base64,
  onBroken,
}: {
  readonly base64: string;
  /** Called if browsers cannot show it. */
  readonly onBroken: () => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another picture is redrawn
  useEffect(() => {
    let isShown = true;
    createImageBitmap(new Blob([bytesOf(base64)]), { resizeHeight: DRAWN_HEIGHT }).then(
      (picture) => {
        if (!isShown || canvas.current === null) return;
        canvas.current.width = picture.width;
        canvas.current.height = picture.height;
        canvas.current.getContext('2d')?.drawImage(picture, 0, 0);
      },
      () => isShown && onBroken(),
    );
    return () => {
      isShown = false;
    };
  }, [base64]);
  return <canvas ref={canvas} className={styles.logo} role="img" aria-label="Logo" />;
}
