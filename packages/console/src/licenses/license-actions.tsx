/** Actions on a whole license: buttons for the frequent ones, a menu for the rest. */
import { type ReactNode, useState } from 'react';
import type { Activation, License, Path } from '../api/contract.ts';
import { maySend, useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Menu, type MenuEntry } from '../parts/menu.tsx';
import { useShortcuts } from '../parts/shortcuts.ts';
import { LimitsDialog, VariantDialog } from './change-dialogs.tsx';
import { ExtendDialog, SetEndDialog } from './end-dialogs.tsx';
import { useMaySetEnd } from './expiry-choice.ts';
import { LinkDialog } from './link-dialog.tsx';
import { ReplaceDialog } from './replace-dialog.tsx';
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
  /** The first page of its machines. */
  readonly activations: readonly Activation[];
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
  end: SetEndDialog,
  replace: ReplaceDialog,
  revoke: RevokeDialog,
  reinstate: ReinstateDialog,
} as const;

type Action = keyof typeof DIALOGS;

export function LicenseActions({ license, activationCount, activations }: LicenseActionsProps): ReactNode {
  const [doing, setDoing] = useState<Action | null>(null);
  const session = useSession();
  const isReplaced = license.replacedBy !== undefined;
  const may = (path: Path) => session.can.includes(path);
  const mayChange = (...fields: readonly string[]) => !isReplaced && maySend(session, '/updateLicense', fields);
  const maySetEnd = useMaySetEnd() && !isReplaced;
  const isRevoked = license.status === 'revoked';
  const start = (action: Action) => () => setDoing(action);
  const entry = (
    isAllowed: boolean,
    title: string,
    action: Action,
    more: Partial<MenuEntry> = {},
  ): readonly MenuEntry[] => (isAllowed ? [{ title, onSelect: start(action), ...more }] : []);
  useShortcuts([
    ...(mayChange('expiresAt') ? [{ keys: 'e', does: 'Extend the license', run: start('extend') }] : []),
    ...(may('/revokeLicense') && !isRevoked ? [{ keys: 'r', does: 'Revoke the license', run: start('revoke') }] : []),
  ]);
  const Dialog = doing === null ? null : DIALOGS[doing];
  return (
    <>
      {isRevoked && !isReplaced && may('/reinstateLicense') && <Button onClick={start('reinstate')}>Reinstate</Button>}
      {mayChange('expiresAt') && <Button onClick={start('extend')}>Extend</Button>}
      {mayChange('maxMachines', 'maxConcurrent') && <Button onClick={start('limits')}>Limits</Button>}
      <Menu
        label="More actions"
        groups={[
          [
            ...entry(mayChange('variant', 'licenseType'), 'Change type or variant', 'variant'),
            ...entry(may('/mailLicense') && !isReplaced, 'Mail the key', 'mail'),
            ...entry(may('/createCustomerLink'), 'Link for the customer', 'link'),
            ...entry(may('/changeEmail'), 'Change e-mail address', 'email'),
          ],
          [
            ...entry(may('/liftActivationLimit'), 'Lift the hourly limit', 'lift'),
            ...entry(may('/resetActivations') && activationCount > 0, 'Remove all machines', 'reset', { danger: true }),
          ],
          [
            ...entry(maySetEnd, 'Set an end date', 'end', { danger: true }),
            ...entry(may('/replaceLicense') && !isRevoked, 'Replace the key', 'replace', { danger: true }),
            ...entry(may('/revokeLicense') && !isRevoked, 'Revoke', 'revoke', { danger: true, shortcut: 'r' }),
          ],
        ]}
      >
        More
      </Menu>
      {Dialog !== null && (
        <Dialog
          license={license}
          activationCount={activationCount}
          activations={activations}
          onClose={() => setDoing(null)}
        />
      )}
    </>
  );
}
