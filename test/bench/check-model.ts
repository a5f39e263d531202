/** `npm run understand -- check`: sends five requests through the service to the configured endpoint, and says whether it is usable. */
import type { Effect } from '../support/effects.ts';
import type { Asked } from '../support/tape-recorder.ts';
import type { Verdict } from '../support/requests.ts';
import { costOf, recording } from './judge-model.ts';

/** On the calendar of ../shared/planner-trial/effects.md. It is Thursday 26 November 2026, 10:00. */
const REQUESTS: { what: string; say: string; want: Effect[][] }[] = [
  {
    what: 'a new event',
    say: 'Dinner with Ana on Tuesday at half past seven in the evening, at Luigi’s',
    want: [[{ do: 'create', title: 'dinner ana', date: '2026-12-01', at: '19:30', place: 'luigi' }]],
  },
  {
    what: 'a move of a given event',
    say: 'Move the dentist to Wednesday at eleven',
    want: [[{ do: 'move', event: 'dentist', date: '2026-12-02', at: '11:00' }]],
  },
  { what: 'a question', say: 'When do I fly to Lisbon?', want: [[{ do: 'answer' }]] },
  {
    what: 'a rule for the future',
    say: 'From now on at most three things a day',
    want: [[{ do: 'setting', text: 'three a day' }]],
  },
  { what: 'two readings', say: 'Move the lunch to half past one', want: [[{ do: 'ask', about: 'which lunch' }]] },
];

type Tried = { verdict: Verdict; asked: Asked[]; isByModel: boolean };

const stateOf = ({ asked, isByModel }: Tried): string => {
  if (asked.length === 0) return 'the endpoint could not be reached';
  if (isByModel) return asked.some(({ isAgain }) => isAgain) ? 'valid at the second try' : 'valid at the first try';
  const failed = asked.find(({ status }) => status !== 200);
  return failed ? `the endpoint answered ${failed.status}` : 'not valid';
};

/** What the endpoint is good for, as a sentence. */
export const conclusion = (tried: readonly Tried[]): string => {
  const count = (isCounted: (one: Tried) => boolean): number => tried.filter(isCounted).length;
  const [valid, right, wrong] = [
    count(({ isByModel }) => isByModel),
    count(({ verdict, isByModel }) => isByModel && verdict === 'right'),
    count(({ verdict, isByModel }) => isByModel && verdict === 'wrong'),
  ];
  const of = tried.length;
  if (valid < of) return `The endpoint is not usable: ${of - valid} of ${of} requests got no valid answer.`;
  if (wrong > 0 || right < of - 1)
    return `The endpoint is not usable: its answers are valid, but only ${right} of ${of} are right, and ${wrong} would propose something else.`;
  return `The endpoint is usable: ${right} of ${of} answers are right, and none proposes something else.`;
};

export const checkModel = async (): Promise<void> => {
  const trial = await recording();
  if (!trial) return;
  const tried: Tried[] = [];
  for (const { what, say, want } of REQUESTS) {
    const result = await trial.attempt({ say, want });
    if (!result) continue;
    const { outcome, verdict, asked } = result;
    const plans = asked.filter((one) => one.isForPlan);
    const one = { verdict, asked: plans, isByModel: outcome.isByModel };
    tried.push(one);
    process.stdout.write(
      `${what}: ${say}\n    ${[costOf(asked), stateOf(one), one.isByModel && verdict].filter(Boolean).join('; ')}\n`,
    );
  }
  process.stdout.write(`${conclusion(tried)}\n`);
  await trial.close();
};
