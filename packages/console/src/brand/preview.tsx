import styles from './brand.module.css';
import { type BrandForm, DEFAULT_ACCENT, isColour, textOn } from './brand-form.ts';
import { LogoPicture } from './logo.tsx';

/** The head of a page for customers with the present fields, in light and in dark colours. */
export function Preview({ form, onBrokenLogo }: { readonly form: BrandForm; readonly onBrokenLogo: () => void }) {
  const accent = isColour(form.accent) ? form.accent : DEFAULT_ACCENT;
  return (
    <div className={styles.previews}>
      {(['light', 'dark'] as const).map((appearance) => (
        <figure
          key={appearance}
          className={styles.preview}
          data-appearance={appearance}
          style={{ borderTopColor: accent }}
        >
          <figcaption className={styles.appearance}>{appearance === 'light' ? 'Light' : 'Dark'}</figcaption>
          <div className={styles.head}>
            {form.logo !== '' && <LogoPicture base64={form.logo} onBroken={onBrokenLogo} />}
            <bdi className={styles.name}>{form.name.trim() === '' ? 'Latchkey' : form.name}</bdi>
          </div>
          <p className={styles.title}>Your licenses</p>
          <span className={styles.button} style={{ background: accent, color: textOn(accent) }}>
            Free this computer
          </span>
        </figure>
      ))}
    </div>
  );
}
