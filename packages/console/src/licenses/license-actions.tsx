/** Actions on a whole license: buttons for the frequent ones, a menu for the rest. */
import { type ReactNode, useState } from 'react';
import type { License, Path } from '../api/contract.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Menu, type MenuEntry } from '../parts/menu.tsx';
import { useShortcuts } from '../parts/shortcuts.ts';
import { ExtendDialog, LimitsDialog, VariantDialog } from './change-dialogs.tsx';
import { LinkDialog } from './link-dialog.tsx';
import {
  EmailDialog,
  LiftDialog,
  MailKeyDialog,
  ReinstateDialog,
  ResetDialog,
  RevokeDialog,
} from './state-dialogs.tsx';

export interface LicenseActionsProps {
  readonly license: License;
  readonly activationCount: number;
}

/** The dialog of each action. */
const DIALOGS = {
  extend: ExtendDialog,
  limits: LimitsDialog,
  variant: VariantDialog,
  email: EmailDialog,
  mail: MailKeyDialog,
  link: LinkDialog,
  lift: LiftDialog,
  reset: ResetDialog,
  revoke: RevokeDialog,
  reinstate: ReinstateDialog,
} as const;

type Action = keyof typeof DIALOGS;

export function LicenseActions({ license, activationCount }: LicenseActionsProps): ReactNode {
  const [doing, setDoing] = useState<Action | null>(null);
  const { can, role } = useSession();
  const may = (path: Path) => can.includes(path);
  // Of the changes by /updateLicense, support may only extend.
  const mayChange = may('/updateLicense') && role !== 'support';
  const isRevoked = license.status === 'revoked';
  const start = (action: Action) => () => setDoing(action);
  const entry = (
    isAllowed: boolean,
    title: string,
    action: Action,
    more: Partial<MenuEntry> = {},
  ): readonly MenuEntry[] => (isAllowed ? [{ title, onSelect: start(action), ...more }] : []);
  useShortcuts([
    ...(may('/updateLicense') ? [{ keys: 'e', does: 'Extend the license', run: start('extend') }] : []),
    ...(may('/revokeLicense') && !isRevoked ? [{ keys: 'r', does: 'Revoke the license', run: start('revoke') }] : []),
  ]);
  const Dialog = doing === null ? null : DIALOGS[doing];
  return (
    <>
      {isRevoked && may('/reinstateLicense') && <Button onClick={start('reinstate')}>Reinstate</Button>}
      {may('/updateLicense') && <Button onClick={start('extend')}>Extend</Button>}
      {mayChange && <Button onClick={start('limits')}>Limits</Button>}
      <Menu
        label="More actions"
        groups={[
          [
            ...entry(mayChange, 'Change type or variant', 'variant'),
            ...entry(may('/mailLicense'), 'Mail the key', 'mail'),
            ...entry(may('/createCustomerLink'), 'Link for the customer', 'link'),
            ...entry(may('/changeEmail'), 'Change e-mail address', 'email'),
          ],
          [
            ...entry(may('/liftActivationLimit'), 'Lift the hourly limit', 'lift'),
            ...entry(may('/resetActivations') && activationCount > 0, 'Remove all machines', 'reset', { danger: true }),
          ],
          entry(may('/revokeLicense') && !isRevoked, 'Revoke', 'revoke', { danger: true, shortcut: 'r' }),
        ]}
      >
        More
      </Menu>
      {Dialog !== null && <Dialog license={license} activationCount={activationCount} onClose={() => setDoing(null)} />}
    </>
  );
}
