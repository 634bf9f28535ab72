/** The activity: changes with their actors, and refusals of apps. Each list has its own address. */
import { useCan } from '../api/session.ts';
import { Page } from '../parts/page.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { Changes } from './changes.tsx';
import { FILTERS } from './filters.ts';
import { REFUSAL_FILTERS } from './refusal-filters.ts';
import { Refusals } from './refusals.tsx';

/** Filters with the same meaning in both lists. They survive a switch to the other list. */
const COMMON: readonly string[] = ['product', 'license', 'days'];
const OF_ONE = [...FILTERS, ...REFUSAL_FILTERS].filter((name) => !COMMON.includes(name));

export function Screen() {
  const { values, set } = useFilters(['show', ...OF_ONE]);
  const canSeeRefusals = useCan('/listRefusals');
  const show = values.show === 'refusals' && canSeeRefusals ? 'refusals' : 'changes';
  const choose = (chosen: string) => {
    const cleared = Object.fromEntries(OF_ONE.map((name) => [name, '']));
    set({ ...cleared, show: chosen === 'refusals' ? chosen : '' }, true);
  };
  return (
    <Page title="Activity" subtitle="Changes with their author and time, and refused calls of apps.">
      <Tabs
        label="What is listed"
        value={show}
        onChange={choose}
        tabs={[
          { value: 'changes', title: 'Changes', content: () => <Changes /> },
          ...(canSeeRefusals ? [{ value: 'refusals', title: 'Refusals', content: () => <Refusals /> }] : []),
        ]}
      />
    </Page>
  );
}
