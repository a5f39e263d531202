/** The form of a proposal: another title, time or length, with what is at the time that is typed. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Waiting } from '../state/data.ts';
import { approve, saveProposal, type Edits } from '../state/decide.ts';
import { complain } from '../state/messages.ts';
import { repeats } from '../state/series.ts';
import { configures } from '../state/settings.ts';
import { useShown } from '../state/shown.ts';
import { typedWall, wallOf, wallText, YEARS } from '../state/wall-time.ts';
import { TypedCheck } from './approval-check.tsx';
import { forgetDraft } from './draft.ts';
import { fieldsOf, type Fields } from './fields.ts';
import { Form, FormButtons } from './form.tsx';
import { LengthFields } from './length-fields.tsx';
import { Meanwhile } from './meanwhile.tsx';
import type { Moved } from './proposal-facts.tsx';
import { useFocus } from './use-focus.ts';

type FormProps = {
  plan: Waiting;
  moved: Moved | undefined;
  /** Whether it waits no longer; then what was written only stays to be read and copied. */
  isEnded: boolean;
  onDone: () => void;
};

const dayOf = ({ scheduled_for: at }: Waiting): string | undefined => (at ? wallOf(at).date : undefined);

/** Of a series the time of day can be changed; other days need another rule, which only words can say. */
const StartField = ({ plan, moved }: Pick<FormProps, 'plan' | 'moved'>) => {
  const at = moved?.at ?? (plan.scheduled_for ? wallOf(plan.scheduled_for) : undefined);
  if (!repeats(plan))
    return (
      <label>
        Start <input name="start" type="datetime-local" {...YEARS} defaultValue={at && wallText(at)} />
      </label>
    );
  return (
    <label>
      Time of day, each time <input name="start" type="time" required defaultValue={at && wallText(at).slice(11)} />
    </label>
  );
};

export const draftOf = ({ uid }: Waiting): string => `proposal ${uid}`;

const EDITED = ['title', 'scheduled_for', 'duration_minutes', 'rrule', 'content', 'arguments'] as const;

/** What the person sees in the form is what they approve, also where the plan changes meanwhile. */
export const Edit = ({ plan: now, ...rest }: FormProps) => {
  const base = useSignal(now);
  return (
    <>
      <Meanwhile base={base} now={now} fields={EDITED} />
      <EditForm key={base.value.version} plan={base.value} {...rest} />
    </>
  );
};

/** The time and the length that are typed, where they are other ones. */
const timeIn = (plan: Waiting, text: Fields['text']): Edits => {
  const [start, minutes] = [text('start'), text('minutes')];
  const now = plan.scheduled_for ? wallText(wallOf(plan.scheduled_for)) : '';
  const asked = start && repeats(plan) ? `${now.slice(0, 10)}T${start}` : start;
  const at = asked === now ? undefined : typedWall(asked);
  return {
    ...(at ? { at } : {}),
    ...(Number(minutes) > 0 && Number(minutes) !== plan.duration_minutes ? { duration_minutes: Number(minutes) } : {}),
  };
};

/** The service is asked once the person has stopped to type. */
const REST_MS = 300;

const useTypedTime = (plan: Waiting, moved: Moved | undefined) => {
  const typed = useSignal<Edits>(moved ?? {});
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const follow = ({ currentTarget: form }: { currentTarget: HTMLFormElement }): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => (typed.value = timeIn(plan, fieldsOf(form).text)), REST_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return { typed: typed.value, follow };
};

const EditForm = ({ plan, moved, isEnded, onDone }: FormProps) => {
  const title = useFocus<HTMLInputElement>();
  const { typed, follow } = useTypedTime(plan, moved);
  const editsIn = (text: Fields['text']): Edits => {
    const named = text('title');
    return { ...(named === plan.title ? {} : { title: named }), ...timeIn(plan, text) };
  };
  const onSend = async ({ text }: Fields): Promise<boolean> => {
    if (isEnded) return false;
    const worked = await approve(plan, { note: text('note'), edits: editsIn(text) });
    if (worked) onDone();
    return worked;
  };
  const onlySave = async (form: HTMLFormElement): Promise<void> => {
    if (!form.reportValidity()) return;
    const { text } = fieldsOf(form);
    if (text('note'))
      complain('A note goes with a decision. Approve it, or take the note out to only save.', [plan.uid]);
    else if (await saveProposal(plan, editsIn(text))) {
      forgetDraft(draftOf(plan));
      onDone();
    }
  };
  useShown('card', [plan]);
  return (
    <Form class="edit" draft={draftOf(plan)} version={plan.version} onSend={onSend} onInput={follow}>
      <label>
        Title <input ref={title} name="title" required maxLength={500} defaultValue={plan.title} dir="auto" />
      </label>
      {plan.swaps_with === null && !(configures(plan) && plan.scheduled_for === null) && (
        <>
          <StartField plan={plan} moved={moved} />
          {!configures(plan) && (
            <LengthFields
              minutes={moved?.duration_minutes ?? plan.duration_minutes ?? undefined}
              most={10_080}
              day={repeats(plan) ? dayOf(plan) : undefined}
            />
          )}
          <TypedCheck plan={plan} typed={typed} />
        </>
      )}
      <label>
        Note <input name="note" maxLength={1000} dir="auto" />
      </label>
      {isEnded ? (
        <div class="buttons" data-closes="">
          <small>These changes were not sent. You can copy them.</small>
          <button type="button" onClick={onDone}>
            Close
          </button>
        </div>
      ) : (
        <FormButtons
          action="Approve with changes"
          draft={draftOf(plan)}
          onDone={onDone}
          more={
            <button type="button" onClick={({ currentTarget }) => void onlySave(currentTarget.form as HTMLFormElement)}>
              Only save
            </button>
          }
        />
      )}
    </Form>
  );
};
