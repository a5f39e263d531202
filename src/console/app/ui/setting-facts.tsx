/** What a proposal changes of the settings: how they are, and how they would be. */
import { useEffect, useRef } from 'preact/hooks';
import type { Plan } from '../../../client/almanac-client.ts';
import { asOf, past } from '../state/address.ts';
import { profile } from '../state/data.ts';
import { deciding } from '../state/decide.ts';
import { pastClient, person } from '../state/service.ts';
import { loadRowsFor, rowsOf } from '../state/settings.ts';
import { useAnswer } from '../state/use-answer.ts';
import { Unread } from './failure.tsx';
import { Fact } from './proposal-facts.tsx';
import type { SettingRows } from './setting-rows.ts';
import { Foreign, Hidden } from './text.tsx';

type Known = Pick<NonNullable<typeof profile.data.value>, 'settings' | 'tempo'>;

/** The settings that a proposal would change: those of now, or of the moment of the time machine. */
const useSettings = (): { data?: Known | undefined; error?: unknown } => {
  const then = useAnswer(asOf.value === undefined ? undefined : person.value, [], async () => {
    const { items } = await pastClient.memport
      .ledger({ subject: 'profile', uid: person.value as string, limit: 1, ...past.value })
      .page();
    return items[0]?.payload as Known | undefined;
  });
  return asOf.value === undefined ? { data: profile.data.value, error: profile.error.value } : then;
};

/** @param isOver whether it does not wait: how the settings were before is then not known */
export const SettingFacts = ({ plan, isOver }: { plan: Plan; isOver: boolean }) => {
  useEffect(() => void loadRowsFor([plan]), []);
  const { data, error } = useSettings();
  const last = useRef<SettingRows | null | undefined>(undefined);
  // While it is decided on, the settings may be changed by it, and what was read stays.
  if ((data || isOver) && !(last.current && deciding.value.has(plan.uid)))
    last.current = rowsOf.value?.(
      plan.arguments,
      isOver || !data ? undefined : { limits: data.settings.limits, tempo: data.tempo },
    );
  const { current: found } = last;
  if (!found?.rows.length)
    return (
      <Fact name="Settings">
        {found === undefined ? (
          <Unread error={error} />
        ) : found ? (
          'These settings are so already.'
        ) : (
          'They can no longer be changed like this.'
        )}
      </Fact>
    );
  return (
    <>
      {found.rows.map(({ name, before, after }) => (
        <Fact key={name} name={<Foreign>{name}</Foreign>}>
          {before !== undefined && (
            <>
              <del>
                <Foreign>{before}</Foreign>
              </del>{' '}
              <span aria-hidden="true">→</span> <Hidden>to </Hidden>
            </>
          )}
          <Foreign>{after}</Foreign>
        </Fact>
      ))}
      {found.more > 0 && <Fact name="">and {found.more} more</Fact>}
    </>
  );
};
