/** The header: name, badge of the environment, search, and the signed-in person. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { asRefusal } from '../api/refusal.ts';
import { type ConsoleSession, useSession } from '../api/session.ts';
import { classes } from '../parts/classes.ts';
import { Menu } from '../parts/menu.tsx';
import { Badge } from '../parts/status.tsx';
import { toast } from '../parts/toast.tsx';
import unseen from '../parts/unseen.module.css';
import { type Appearance, chooseAppearance, chosenAppearance } from './appearance.ts';
import styles from './header.module.css';
import { Mark } from './mark.tsx';

export interface HeaderProps {
  readonly onSearch: () => void;
  readonly onNavigate: () => void;
  readonly onHelp: () => void;
}

export function Header({ onSearch, onNavigate, onHelp }: HeaderProps) {
  const session = useSession();
  const { label } = session.service;
  return (
    <header className={styles.bar}>
      <button type="button" className={styles.navigate} aria-label="Navigation" onClick={onNavigate}>
        <svg viewBox="0 0 18 18" aria-hidden="true">
          <path d="M2 5h14M2 9h14M2 13h14" />
        </svg>
      </button>
      <a href="#/" className={styles.brand}>
        <Mark />
        <span className={styles.name}>Latchkey</span>
      </a>
      {label !== null && label !== '' && <Badge tone="warn">{label}</Badge>}
      <button type="button" className={styles.search} onClick={onSearch} aria-keyshortcuts="/ Control+K">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="7" cy="7" r="4.5" />
          <path d="M10.5 10.5L14 14" />
        </svg>
        <span className={unseen.unseen}>Search</span>
        <span className={styles.hint}>Key, e-mail, name, domain, order, hostname</span>
        <span className={styles.key} aria-hidden="true">
          /
        </span>
      </button>
      <WhoAmI session={session} onHelp={onHelp} />
    </header>
  );
}

const ROLES = { owner: 'Owner', support: 'Support', viewer: 'Viewer' } as const;

/** The person's role, in a word. */
function roleOf({ kind, role }: ConsoleSession): string {
  return kind === 'creator' || role === null ? 'Creator' : ROLES[role];
}

function WhoAmI({ session, onHelp }: { readonly session: ConsoleSession; readonly onHelp: () => void }) {
  const client = useQueryClient();
  const [appearance, setAppearance] = useState(chosenAppearance);
  const choose = (next: Appearance) => {
    chooseAppearance(next);
    setAppearance(next);
  };
  const leave = async () => {
    try {
      await call('/endConsoleSession', {}, { withoutSigningIn: true });
    } catch (error) {
      // Without an answer, the session still exists. Any other refusal means that it has ended.
      if (asRefusal(error).passes)
        return toast({ title: 'You are still signed in: the service did not answer.', isRefusal: true });
    }
    client.clear();
    location.hash = '#/';
    // The provider ends its own session; otherwise its button would sign in without a question.
    if (session.signedInBy === 'provider') location.assign('../sign-in/leave');
    else location.reload();
  };
  const name = session.name === '' ? roleOf(session) : session.name;
  const appearances = (['system', 'light', 'dark'] as const).filter((each) => each !== appearance);
  return (
    <div className={classes(styles.who)}>
      <Menu
        label={`Signed in as ${name}`}
        groups={[
          appearances.map((each) => ({
            title:
              each === 'system' ? 'Same as the computer' : each === 'light' ? 'Light appearance' : 'Dark appearance',
            onSelect: () => choose(each),
          })),
          [
            { title: 'Keyboard shortcuts', onSelect: onHelp, shortcut: '?' },
            { title: 'Reference', href: '../docs' },
          ],
          [{ title: 'Sign out', onSelect: () => void leave() }],
        ]}
      >
        <span className={styles.person}>
          <span className={styles.personName}>{name}</span>
          {name !== roleOf(session) && <span className={styles.role}>{roleOf(session)}</span>}
        </span>
      </Menu>
    </div>
  );
}
