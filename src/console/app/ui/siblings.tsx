/** The other plans of the same request, beside a proposal. */
import { useSignal } from '@preact/signals';
import { asOf } from '../state/address.ts';
import type { Waiting } from '../state/data.ts';
import { decideAll, type Decision } from '../state/decide.ts';
import { Question } from './ask-first.tsx';
import { actionOf, Times } from './proposal-facts.tsx';
import { ReasonLine } from './reason-line.tsx';
import { sureText } from './sure.ts';
import { Foreign } from './text.tsx';

type SiblingsProps = { plan: Waiting; others: readonly Waiting[]; ready: boolean; onDone: () => void };

/** They can be decided on with this one. */
export const Siblings = ({ plan, others, ready, onDone }: SiblingsProps) => {
  const asking = useSignal<Decision | undefined>(undefined);
  const listed = others.filter(({ uid }) => uid !== plan.swaps_with);
  if (!listed.length) return null;
  const all = others.length + 1;
  const sure = sureText([plan, ...others]);
  const decide = async (decision: Decision, note?: string): Promise<boolean> => {
    const worked = await decideAll([plan, ...others], decision, { note });
    if (!worked) return false;
    asking.value = undefined;
    onDone();
    return true;
  };
  return (
    <section class="siblings" aria-label="Proposed together">
      <h3>Proposed together with</h3>
      <ul class="scrolls" tabIndex={0}>
        {listed.map((one) => (
          <li key={one.uid}>
            <Foreign>{one.title}</Foreign>
            <small>
              {actionOf(one)} · <Times plan={one} />
            </small>
          </li>
        ))}
      </ul>
      {asOf.value === undefined &&
        all <= 100 &&
        (asking.value === 'approve' && sure ? (
          <Question
            label={`Approve all ${all}?`}
            confirm={`Approve ${all}, ${sure}`}
            keep="Not yet"
            onConfirm={() => void decide('approve')}
            onKeep={() => (asking.value = undefined)}
          />
        ) : asking.value === 'reject' ? (
          <ReasonLine
            name={`Reject all ${all}`}
            about={`all with ${plan.uid}`}
            onReject={(note) => decide('reject', note)}
            onKeep={() => (asking.value = undefined)}
          />
        ) : (
          <div class="buttons">
            <button
              type="button"
              aria-disabled={!ready}
              onClick={() => (sure ? (asking.value = 'approve') : void decide('approve'))}
            >
              Approve all {all}
            </button>
            <button type="button" class="danger" onClick={() => (asking.value = 'reject')}>
              Reject all {all}
            </button>
          </div>
        ))}
    </section>
  );
};
