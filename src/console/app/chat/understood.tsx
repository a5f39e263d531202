/** What was read from the sentence, piece by piece, so that a person sees a misunderstanding before deciding. */
import type { AskedQuestion, Command } from '../../../client/almanac-client.ts';
import { ruleText } from '../../../domain/calendar/rrule-text.ts';
import { remindersText } from '../../../domain/plan/reminders-text.ts';
import { lengthText, momentOf, spanText, wallOf, shortDate } from '../state/wall-time.ts';
import { Foreign } from '../ui/text.tsx';

type Chip = { name: string; text: string };

const VERBS = { schedule: 'Plan', reschedule: 'Change', reflect: 'Reflect', log: 'Note', configure: 'Set' } as const;

const whatOf = ({ action_type, title, target_plan_uid, target_event_uid, arguments: { cancel } }: Command): Chip[] => {
  const verb = cancel === undefined ? VERBS[action_type] : 'Cancel';
  if (target_plan_uid !== undefined) return [{ name: cancel ? 'Withdraw' : 'Correct', text: `the proposal ${title}` }];
  return [{ name: verb, text: target_event_uid === undefined ? title : `the event ${title}` }];
};

const changeOf = (command: Command): Chip[] =>
  command.target_plan_uid === undefined && command.target_event_uid === undefined ? [] : whatOf(command);

const windowOf = ({ scheduled_for, between }: Command): Chip[] =>
  between === undefined || scheduled_for !== undefined ? [] : [{ name: 'In free time', text: spanText(between) }];

const timeOf = ({ scheduled_for: at, arguments: { all_day } }: Command): Chip[] =>
  at === undefined ? [] : [{ name: 'When', text: all_day ? `${shortDate(wallOf(at).date)}, all day` : momentOf(at) }];

const repetitionOf = ({ rrule }: Command): Chip[] =>
  rrule === undefined ? [] : [{ name: 'Repeats', text: ruleText(rrule) }];

const lengthOf = ({ duration_minutes, duration_delta_minutes: delta }: Command): Chip[] => {
  if (duration_minutes !== undefined) return [{ name: 'How long', text: lengthText(duration_minutes) }];
  if (delta === undefined) return [];
  return [{ name: 'How long', text: `${lengthText(Math.abs(delta))} ${delta < 0 ? 'shorter' : 'longer'}` }];
};

const MOST_LISTED = 3;
const listed = (texts: readonly string[]): string =>
  [...texts.slice(0, MOST_LISTED), ...(texts.length > MOST_LISTED ? [`${texts.length - MOST_LISTED} more`] : [])].join(
    '; ',
  );

const hoursOf = ({ part_of_day, arguments: { after, before } }: Command): Chip[] => {
  const hours = [part_of_day && `in the ${part_of_day}`, after && `after ${after}`, before && `before ${before}`];
  const said = hours.filter((one) => one !== undefined).join(', ');
  return said ? [{ name: 'Only', text: said }] : [];
};

const leftOutOf = ({ avoid = [], exdates = [] }: Command): Chip[] => [
  ...(avoid.length ? [{ name: 'Not', text: listed(avoid.map(spanText)) }] : []),
  ...(exdates.length ? [{ name: 'Left out', text: listed(exdates.map(momentOf)) }] : []),
];

const detailsOf = ({ arguments: { title, location, description, reminders } }: Command): Chip[] => {
  const reminded = reminders && remindersText(reminders, lengthText);
  const all = { 'New title': title, Where: location, 'New text': description, Reminders: reminded };
  return Object.entries(all).flatMap(([name, text]) => (text === undefined ? [] : [{ name, text }]));
};

const tagsOf = ({ task_id, tempo_tag, tags }: Command): Chip[] => [
  ...(task_id === undefined ? [] : [{ name: 'Task', text: task_id }]),
  ...(tempo_tag === undefined ? [] : [{ name: 'Tempo', text: tempo_tag }]),
  ...(tags.length ? [{ name: 'Tags', text: tags.join(' ') }] : []),
];

const READ = [whatOf, timeOf, windowOf, repetitionOf, lengthOf, hoursOf, leftOutOf, detailsOf, tagsOf];
/** What a card of the proposal does not say: what is changed, and which times were looked at. */
const BESIDE_A_CARD = [changeOf, windowOf, hoursOf, leftOutOf];
/** What neither a card nor the words of the prompt with their meanings say. */
const BESIDE_WORDS = [changeOf, leftOutOf];

/** What each kind of question asks for. */
const ASKED: Record<AskedQuestion['kind'], string> = {
  ...{ agenda: 'what is on the calendar', next: 'what comes next', free: 'when you are free', when: 'when it is' },
  ...{
    how_long: 'how long it takes',
    where: 'where it is',
    now: 'the time',
    queue: 'what waits',
    limits: 'the limits',
  },
  ...{ memory: 'what memory has', done: 'what was done', other: 'anything in memory' },
};

const askedChips = ({ kind, about, time }: AskedQuestion): Chip[] => [
  { name: 'Question', text: ASKED[kind] },
  ...(about ? [{ name: 'About', text: about }] : []),
  ...(time ? [{ name: 'When', text: spanText(time) }] : []),
];

const Chips = ({ chips }: { chips: Chip[] }) =>
  chips.length ? (
    <div class="understood">
      <small aria-hidden="true">Understood as</small>
      <ul class="chips" aria-label="Understood as">
        {chips.map(({ name, text }) => (
          <li key={name}>
            <small>{name}</small> <Foreign lines={2}>{text}</Foreign>
          </li>
        ))}
      </ul>
    </div>
  ) : null;

type Props = { command: Command | undefined; besideCard: boolean };
export const Understood = ({ command, besideCard }: Props) => {
  if (!command) return null;
  const isTimeSaid = command.reading?.stretches.some(({ role, means }) => role !== 'dur' && means !== undefined);
  const said = besideCard ? (isTimeSaid ? BESIDE_WORDS : BESIDE_A_CARD) : READ;
  return <Chips chips={said.flatMap((read) => read(command))} />;
};

export const Asked = ({ question }: { question: AskedQuestion }) => <Chips chips={askedChips(question)} />;
