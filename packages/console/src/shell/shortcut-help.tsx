/** The list of shortcuts that are active on the present screen. */
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { Checkbox, Fields } from '../parts/field.tsx';
import { areShortcutsOn, switchShortcuts, useActiveShortcuts } from '../parts/shortcuts.ts';
import styles from './shortcut-help.module.css';

export function ShortcutHelp({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const shortcuts = useActiveShortcuts();
  const [isOn, setOn] = useState(areShortcutsOn);
  const listed = [...new Map(shortcuts.map((each) => [each.keys, each])).values()];
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <dl className={styles.list}>
        {[{ keys: 'Ctrl K', does: 'Search, also from within a field' }, ...listed].map(({ keys, does }) => (
          <div key={keys} className={styles.line}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key} className={styles.key}>
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Fields>
        <Checkbox
          label="Single-key shortcuts are on"
          hint="Switch them off if you dictate, or press keys by accident. Ctrl K always works."
          checked={isOn}
          onChange={(on) => {
            switchShortcuts(on);
            setOn(on);
          }}
        />
      </Fields>
    </Dialog>
  );
}
