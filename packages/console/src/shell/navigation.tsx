/** The list of screens: on the left, or in a drawer on phones. */
import { useLocation } from '@tanstack/react-router';
import { late } from '../api/late.tsx';
import { afterFirstOfAll } from '../api/order.ts';
import { useSession } from '../api/session.ts';
import { classes } from '../parts/classes.ts';
import { screens } from '../screens.ts';
import styles from './navigation.module.css';

// After the main content of the first screen, because it is not part of it.
const NeedsYou = late(async () => {
  await afterFirstOfAll();
  return (await import('./needs-you.tsx')).NeedsYou;
});

const GROUPS = ['work', 'shop', 'service'] as const;

/** Links to the screens that this session may see. */
export function Navigation({ className }: { readonly className: string | undefined }) {
  const { can } = useSession();
  const { pathname } = useLocation();
  const isHere = (path: string) =>
    path === '/' ? pathname === '/' : pathname === path || pathname.startsWith(`${path}/`);
  return (
    <nav className={classes(styles.navigation, className)} aria-label="Screens">
      {GROUPS.map((group) => {
        const inGroup = screens.filter(({ navigation, needs }) => navigation === group && can.includes(needs));
        if (inGroup.length === 0) return null;
        return (
          <ul key={group} className={styles.group}>
            {inGroup.map(({ path, title }) => (
              <li key={path}>
                <a href={`#${path}`} className={styles.link} aria-current={isHere(path) ? 'page' : undefined}>
                  {title}
                  {path === '/violations' && <NeedsYou />}
                </a>
              </li>
            ))}
          </ul>
        );
      })}
    </nav>
  );
}
