/** Proposes what was refused once more, at a free time that came with the refusal. */
import type { Plan } from '../../../client/almanac-client.ts';
import { touchAll } from './live.ts';
import { attempt, complain } from './messages.ts';
import { sayProposed, whyNot } from './propose.ts';
import { isRefused } from './preview.ts';
import { client } from './service.ts';
import { addMinutes, daysBetween, wallOf, wallText } from './wall-time.ts';

/** Free times instead of a refused one, without those that are over. */
export const alternativesOf = ({ decision }: Plan, most: number) =>
  (decision?.alternatives ?? []).filter(({ start }) => Date.parse(start) > Date.now()).slice(0, most);

/** Starts that are left out move with the start of the series. */
const movedDates = ({ exdates, scheduled_for }: Plan, start: string): string[] => {
  const [from, to] = [wallOf(scheduled_for as string), wallOf(start)];
  const by = daysBetween(from.date, to.date) * 1440 + to.minutes - from.minutes;
  return exdates.map((at) => wallText(addMinutes(wallOf(at), by)));
};

const actionAt = (plan: Plan, start: string) => {
  const { action_type, title, content, reasoning, tags, arguments: given } = plan;
  const { rrule, timezone, on_conflict, duration_minutes, task_id, tempo_tag, target_event_uid } = plan;
  const series = { on_conflict, exdates: movedDates(plan, start), ...(timezone ? { timezone } : {}) };
  return {
    ...{ action_type, title, content, reasoning, tags, scheduled_for: start, arguments: given },
    ...(duration_minutes ? { duration_minutes } : {}),
    ...(task_id ? { task_id } : {}),
    ...(tempo_tag ? { tempo_tag } : {}),
    ...(target_event_uid ? { target_event_uid } : {}),
    ...(rrule === null ? {} : { rrule, ...series }),
  };
};

/** It is then a proposal of the person, who can take it back. */
export const proposeAgain = (plan: Plan, start: string): Promise<boolean> =>
  attempt(async () => {
    const [again] = await client.agent.plan({ actions: [actionAt(plan, start)] }).finally(touchAll);
    if (again && isRefused(again)) complain(whyNot(again));
    else if (again) sayProposed([{ plan: again, before: undefined }]);
  }, `Not proposed: “${plan.title}”.`);
