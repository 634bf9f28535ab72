/** Keys: API keys for the programs of creators, and operator keys for signing in. */
import { useState } from 'react';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Menu } from '../parts/menu.tsx';
import { Page } from '../parts/page.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { ApiKeys } from './api-keys.tsx';
import { FindKeyDialog } from './find-key-dialog.tsx';
import { NewApiKeyDialog, NewOperatorKeyDialog, RevokeCreatorDialog } from './key-dialogs.tsx';
import { KeyShownOnce, type NewKey } from './key-shown-once.tsx';
import { OperatorKeys } from './operator-keys.tsx';

type Opened = 'api' | 'people' | 'creator' | 'find';

/** The screen of keys, for owners. */
export function Screen() {
  const filters = useFilters(['tab']);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [made, setMade] = useState<NewKey | null>(null);
  const mayRevoke = useCan('/revokeApiKey');
  const mayMakeKeys = useCan('/createApiKey');
  const mayMakePeople = useCan('/createOperatorKey');
  const isOfPeople = filters.values.tab === 'people';
  const close = () => setOpened(null);
  return (
    <Page
      title="Keys"
      actions={
        <>
          <Button onClick={() => setOpened('find')}>Find a key</Button>
          {mayRevoke && !isOfPeople && (
            <Menu
              label="More for API keys"
              groups={[[{ title: "Revoke a creator's keys", onSelect: () => setOpened('creator'), danger: true }]]}
            >
              More
            </Menu>
          )}
          {isOfPeople
            ? mayMakePeople && (
                <Button look="primary" onClick={() => setOpened('people')}>
                  New operator key
                </Button>
              )
            : mayMakeKeys && (
                <Button look="primary" onClick={() => setOpened('api')}>
                  New API key
                </Button>
              )}
        </>
      }
    >
      <Tabs
        label="Keys"
        value={isOfPeople ? 'people' : 'api'}
        onChange={(tab) => filters.set({ tab: tab === 'api' ? '' : tab })}
        tabs={[
          { value: 'api', title: 'API keys of creators', content: () => <ApiKeys /> },
          { value: 'people', title: 'Operator keys', content: () => <OperatorKeys /> },
        ]}
      />
      {opened === 'api' && <NewApiKeyDialog onClose={close} onMade={setMade} />}
      {opened === 'people' && <NewOperatorKeyDialog onClose={close} onMade={setMade} />}
      {opened === 'creator' && <RevokeCreatorDialog onClose={close} />}
      {opened === 'find' && <FindKeyDialog onClose={close} />}
      {made !== null && <KeyShownOnce {...made} onClose={() => setMade(null)} />}
    </Page>
  );
}
