/** The list of screens: on the left, or in a drawer on phones. */
import { useLocation } from '@tanstack/react-router';
import { useRead } from '../api/reads.ts';
import { useSession } from '../api/session.ts';
import { classes } from '../parts/classes.ts';
import { countText } from '../parts/count-words.ts';
import unseen from '../parts/unseen.module.css';
import { screens } from '../screens.ts';
import { NEEDS_YOU } from '../sentences/violations.ts';
import styles from './navigation.module.css';

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

const EVERY_SECONDS = 60;

/** The number of violations that somebody has to decide about; nothing without any. */
function NeedsYou() {
  const request = { ...NEEDS_YOU, limit: 1, withTotal: true };
  const total = useRead('/listViolations', request, { everySeconds: EVERY_SECONDS, later: true }).data?.total;
  if (total === undefined || total.count === 0) return null;
  return (
    <span className={styles.count}>
      {countText(total.count)}
      {total.isAtLeast && '+'}
      <span className={unseen.unseen}> need you</span>
    </span>
  );
}
