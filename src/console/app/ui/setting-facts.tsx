/** What a proposal changes of the settings, as far as it is loaded. */
import { useEffect } from 'preact/hooks';
import type { Plan } from '../../../client/almanac-client.ts';
import { profile } from '../state/data.ts';
import { deciding } from '../state/decide.ts';
import { loadRowsFor, shownRows } from '../state/settings.ts';
import { Fact } from './proposal-facts.tsx';

export const SettingFacts = ({ plan, isOver }: { plan: Plan; isOver: boolean }) => {
  useEffect(() => void loadRowsFor([plan]), []);
  const { value: Rows } = shownRows;
  const now = { data: profile.data.value, error: profile.error.value };
  return Rows ? (
    <Rows {...{ plan, isOver, now }} isDeciding={deciding.value.has(plan.uid)} />
  ) : (
    <Fact name="Settings">{Rows === null ? 'They could not be loaded. Reload the page.' : '…'}</Fact>
  );
};
