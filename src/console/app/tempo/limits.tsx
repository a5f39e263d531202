/** What agents may propose: budgets and cadence rules, with what is used of each now. Proposals that wait count, as they do for the next proposal of an agent. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { countedKind, KINDS } from '../../../domain/plan/kinds.ts';
import { parameter } from '../state/address.ts';
import { profile, status } from '../state/data.ts';
import { Form } from '../ui/form.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { Foreign } from '../ui/text.tsx';
import { ONLY_IN_TEMPO, usageText } from '../ui/words.ts';
import { setLimits, type Rule } from './preferences.ts';

const Used = ({ code }: { code: string }) => {
  const usage = status.data.value?.limits.find((one) => one.code === code);
  if (!usage) return null;
  const { used, waiting, max } = usage;
  const all = used + waiting;
  return (
    <span class="used">
      {/* The browser's colours: one below the limit, another at it, and a third beyond it. */}
      <meter
        min={0}
        low={max - 0.5}
        high={max}
        max={Math.max(1, max, all)}
        optimum={0}
        value={all}
        aria-label={usageText(usage)}
      />
      <small>{usageText(usage)}</small>
    </span>
  );
};

/** A link that names a limit leads to it. */
const useAsked = <T extends HTMLElement>(code: string) => {
  const place = useRef<T>(null);
  const isAsked = parameter('limit') === code;
  useLayoutEffect(() => {
    if (isAsked) place.current?.focus();
  }, [isAsked]);
  return place;
};

const numberOf = (text: string): number | null => (text === '' ? null : Number(text));

const BudgetField = ({ per, max }: { per: 'day' | 'week'; max: number | null }) => {
  const code = `limit:budget_${per}`;
  const asked = useAsked<HTMLInputElement>(code);
  return (
    <label>
      Plans per {per}{' '}
      <input
        ref={asked}
        name={`per_${per}`}
        type="number"
        min={0}
        max={100_000}
        placeholder="no limit"
        defaultValue={max ?? ''}
      />
      <Used code={code} />
    </label>
  );
};

const Budget = () => {
  const inTempo = useAsked<HTMLInputElement>(ONLY_IN_TEMPO);
  const limits = profile.data.value?.settings.limits;
  if (!limits) return <p>Loading…</p>;
  const { budget, only_in_tempo } = limits;
  return (
    <Form
      draft="limits"
      stays
      onSend={({ text }) =>
        setLimits({
          budget: { per_day: numberOf(text('per_day')), per_week: numberOf(text('per_week')) },
          only_in_tempo: text('only_in_tempo') === 'on',
        })
      }
    >
      <div class="fields budget">
        <BudgetField per="day" max={budget.per_day} />
        <BudgetField per="week" max={budget.per_week} />
      </div>
      <label class="check">
        <input ref={inTempo} type="checkbox" name="only_in_tempo" defaultChecked={only_in_tempo} />
        <span>Refuse what agents propose outside of the tempo hours</span>
      </label>
      <div class="buttons">
        <button type="submit">Save limits</button>
      </div>
    </Form>
  );
};

const cadence = (): Rule[] => profile.data.value?.settings.limits.cadence ?? [];

/** The person names the rule or not; its id is made of that. */
const idFrom = (name: string): string => {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const base = plain.slice(0, 60) || 'rule';
  const taken = new Set(cadence().map(({ id }) => id));
  let id = base;
  for (let n = 2; taken.has(id); n += 1) id = `${base}-${n}`;
  return id;
};

const NewRule = () => (
  <Form
    draft="rule"
    onSend={({ text }) => {
      const tag = text('tag').trim();
      const { action_type, per } = { action_type: text('action_type'), per: text('per') } as Rule;
      const rule: Rule = {
        id: idFrom(text('name').trim() || `${action_type} ${tag} per ${per}`),
        ...{ action_type, per, max: Number(text('max')) },
        ...(tag ? { tag } : {}),
      };
      return setLimits({ cadence: [...cadence(), rule] });
    }}
  >
    <div class="fields">
      <label>
        At most <input name="max" type="number" required min={0} max={100_000} defaultValue={1} />
      </label>
      <label>
        What{' '}
        <select name="action_type">
          {Object.entries(KINDS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Per{' '}
        <select name="per">
          <option value="day">day</option>
          <option value="week">week</option>
        </select>
      </label>
      <label>
        Only with the tag <input name="tag" maxLength={255} placeholder="any" dir="auto" />
      </label>
      <label>
        Name of the rule <input name="name" maxLength={60} placeholder="as you like, or empty" dir="auto" />
      </label>
    </div>
    <div class="buttons">
      <button type="submit">Add rule</button>
    </div>
  </Form>
);

const CadenceRule = ({ id, action_type, tag, max, per }: Rule) => {
  const code = `limit:cadence:${id}`;
  const asked = useAsked<HTMLLIElement>(code);
  return (
    <li ref={asked} tabIndex={-1}>
      <div class="line-of">
        <span>
          At most {countedKind(max, action_type)} per {per}
          {tag !== undefined && (
            <>
              {' with '}
              <Foreign lines={1}>{tag}</Foreign>
            </>
          )}{' '}
          <small>({id})</small>
        </span>
        <button
          type="button"
          class="danger"
          aria-label={`Remove the rule ${id}`}
          onClick={() => void setLimits({ cadence: cadence().filter((rule) => rule.id !== id) })}
        >
          Remove
        </button>
      </div>
      <Used code={code} />
    </li>
  );
};

export const LimitsOfAgents = () => (
  <Sheet
    title="Limits of agents"
    about="They count what agents propose. What you plan yourself is never counted or refused."
  >
    <Budget />
    <h3>Cadence rules</h3>
    {cadence().length === 0 && <p class="quiet">There are none. An example: at most one reflection per day.</p>}
    <ul class="items">
      {cadence().map((rule) => (
        <CadenceRule key={rule.id} {...rule} />
      ))}
    </ul>
    <NewRule />
  </Sheet>
);
