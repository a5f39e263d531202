/** Corrections: a frame without an object of its own, merged into what was asked for just before or into the pending proposal. */
import { changeOf, type Change } from './alter.ts';
import { cluesOf, type Outcome, sentence, type Work } from './build.ts';
import { newName } from './change.ts';
import { bareNumber, withoutReplaced } from './goal.ts';
import { cancelIntent, changeIntent, describe } from './change-intent.ts';
import type { Facet, Item } from './facet.ts';
import { facetsOf, type Frame } from './frame.ts';
import { dayName } from '../time/say.ts';
import { untilText } from './series.ts';
import { accepting } from './set-replies.ts';
import { planTarget, type Target, targetsIn } from './targets.ts';
import { phraseOf } from './title.ts';
import type { Intent, IntentContext, PendingPlan } from './types.ts';
import { instantOf, zoned } from '../time/time.ts';
import { ORDINALS, phraseAt, setOf, wordAt } from './words.ts';
import { ADDING, AGREEING } from './words/speech.ts';

export const PRONOUNS = setOf('it that this them those these one ones its both');
const FILLERS = setOf(
  "my our your no nope not actually sorry wait instead rather better please but , . : ! - – — the a an to at on for is are be would will can we do i mean meant let us make made plan proposal time slot oh well ok okay yes and works fine good best ideal easier calendar diary agenda so maybe just back forward up meeting event you change off too also start move out over then suggestion last same enough plenty of than earlier later sooner shorter longer bit little work possible bad impossible try late early long short much many soon only could prefer need want id like again more once another as repeat extra hmm yeah add put day days see keep else suit suits me fits any anytime accordingly does did rather then it's that's i'd in works how about what should which one other ones both hm hang second thought thoughts ah great thanks if now really quite rest all things following thing",
);
const REFUSING = /^(?:does|is|wo|ca|do)n't$/;

export const wordsIn = ({ tokens }: Work, { clause }: Frame): string[] =>
  tokens.slice(clause.from, clause.to).map(({ word }) => word);

/** 'the second one', 'the first proposal', 'the other one'. */
const isNth = ({ tokens }: Pick<Work, 'tokens'>, i: number): boolean =>
  (ORDINALS.has(wordAt(tokens, i)) || ['last', 'latter', 'former'].includes(wordAt(tokens, i))) &&
  (['one', 'proposal', 'plan', 'event'].includes(wordAt(tokens, i + 1)) ||
    ['latter', 'former'].includes(wordAt(tokens, i)));

/** Words of a frame that are neither pronoun nor filler: none means it is about what was proposed. */
export const subjectOf = ({ tokens }: Pick<Work, 'tokens'>, items: readonly Item[]): string[] =>
  items
    .filter(
      ({ facets, kept, from }) =>
        (facets.length === 0 || kept === true) && tokens[from]?.kind !== 'tag' && !isNth({ tokens }, from),
    )
    .map(({ from }) => wordAt(tokens, from))
    .filter((word) => !PRONOUNS.has(word) && !FILLERS.has(word) && !REFUSING.test(word) && /[\p{L}\p{N}]/u.test(word));

export const hasPronoun = (work: Work, frame: Frame): boolean =>
  wordsIn(work, frame).some((word) => PRONOUNS.has(word));

/** Whether nothing but a number is said beside pronouns and fillers: 'make it 45'. */
export const onlyNumber = (work: Work, frame: Frame): boolean => {
  const subject = subjectOf(work, frame.items);
  return (
    (hasPronoun(work, frame) || frame.corrects || frame.lead === '→' || isVague(work, frame)) &&
    subject.length > 0 &&
    bareNumber(work, frame.items).length > 0 &&
    subject.every(
      (word) =>
        /^\d+$/.test(word) ||
        bareNumber(
          work,
          frame.items.filter(({ from }) => wordAt(work.tokens, from) === word),
        ).length > 0,
    )
  );
};

const REFUSALS = /\b(?:(?:does|is|wo|ca|do)n[’']t|cannot|not possible|no good|impossible|is bad)\b/i;
/** 'Thursday doesn't work': says which time is wrong, not which is right. */
export const refusesTime = (text: string): boolean => REFUSALS.test(text);

const VAGUE: [RegExp, string][] = [
  [/^(?:longer|shorter)$/, 'By how much? Tell me how long it should be.'],
  [/^(?:earlier|later|sooner)$/, 'By how much? Tell me when it should be.'],
];
/** Words that ask for a change without saying how much: 'earlier please'. */
const vagueAsk = (work: Work, frame: Frame): string | undefined =>
  VAGUE.find(([pattern]) => wordsIn(work, frame).some((word) => pattern.test(word)))?.[1];
export const isVague = (work: Work, frame: Frame): boolean => vagueAsk(work, frame) !== undefined;

const targetOfIntent = (intent: Intent): Target => ({
  uid: intent.target_plan_uid ?? intent.target_event_uid ?? '',
  kind: 'plan',
  title: intent.title,
  ...(intent.scheduled_for && { scheduled_for: intent.scheduled_for }),
  ...(intent.duration_minutes !== undefined && { duration_minutes: intent.duration_minutes }),
});

/** The event that an intent changes, at the time that it gets. */
const eventOf = ({ context }: Work, intent: Intent): Target | undefined => {
  const { target_event_uid: uid, arguments: own, scheduled_for: at } = intent;
  const event = targetsIn({ ...context, pending: [] }).find(
    (one) => one.uid === uid && (!own.recurrence_id || one.recurrence_id === own.recurrence_id),
  );
  return event && { ...event, ...(at && { scheduled_for: at }) };
};

/** The facets a correction brings. */
const facetsFor = (work: Work, items: readonly Item[]): Facet[] => {
  const facets = withoutReplaced(work, items)
    .flatMap((item) => item.facets)
    .filter(({ kind }) => kind !== 'soon');
  return facets.length > 0 ? facets : bareNumber(work, items);
};

const correction = (work: Work, frame: Frame, target: Target): Change => {
  const facets = facetsFor(work, frame.items);
  const vague = facets.length === 0 ? vagueAsk(work, frame) : undefined;
  if (vague) return { ask: vague };
  const toLength = frame.items.some(({ from, facets: own }) => own.length === 0 && wordAt(work.tokens, from) === 'to');
  const same = wordsIn(work, frame).includes('same');
  return changeOf(target, { facets, act: frame.act ?? 'make', toLength, same }, work);
};

/** What was asked for just before in the same prompt, corrected in place. */
export const correctLast = (work: Work, frame: Frame, last: readonly Intent[]): Outcome => {
  const corrected: Intent[] = [];
  for (const intent of last) {
    const event = eventOf(work, intent);
    const change = correction(work, frame, event ?? targetOfIntent(intent));
    if ('ask' in change) return { intents: [...last], ask: change.ask };
    // 'I can't make it to yoga, move it to Thursday'
    if (event && intent.arguments.cancel) {
      corrected.push(changeIntent(event, change.fields, frame, work));
      continue;
    }
    const { fields } = change;
    const { scheduled_for: _at, between: _between, part_of_day: _part, avoid: _avoid, ...rest } = intent;
    const timed = fields.scheduled_for !== undefined || fields.between !== undefined;
    const { duration_delta_minutes: delta, ...others } = fields;
    const length =
      fields.duration_minutes ??
      (delta !== undefined && intent.duration_minutes !== undefined ? intent.duration_minutes + delta : undefined);
    const { cancel: _cancel, ...own } = intent.arguments;
    const next: Intent = {
      ...(timed ? rest : intent),
      ...(length === undefined ? fields : { ...others, duration_minutes: length }),
      arguments: { ...own, ...fields.arguments },
    };
    const changes = intent.target_event_uid !== undefined || intent.target_plan_uid !== undefined;
    corrected.push({
      ...next,
      ...(changes && { content: describe(event ?? targetOfIntent(intent), next, work) }),
      reasoning: `${intent.reasoning} Then you wrote ${cluesOf(work, frame) || 'a correction'}.`,
    });
  }
  const times = new Set(corrected.map(({ scheduled_for }) => scheduled_for));
  if (corrected.length > 1 && times.size === 1 && corrected[0]!.scheduled_for)
    return { intents: [...last], ask: 'Which of those do you want to change?' };
  return { intents: corrected };
};

/** Whether what the last reply proposed has been decided: 'it' is then none of those that still wait. */
export const isDecided = ({ pending, before }: IntentContext): boolean => {
  const { plan_uids = [], refused } = before ?? {};
  return !refused && plan_uids.length > 0 && !pending.some(({ uid }) => plan_uids.includes(uid));
};

/** The proposals of the latest request: 'it' means these. */
export const latestPending = (context: IntentContext): PendingPlan[] => {
  if (isDecided(context)) return [];
  const { pending } = context;
  const last = pending.map(({ proposal_id }) => proposal_id ?? '').reduce((a, b) => (b > a ? b : a), '');
  return pending.filter(({ proposal_id }) => (proposal_id ?? '') === last);
};

/** The pending proposals that 'it' means: the only one, 'the second one' in their order, or all of them. */
const pendingTargets = (work: Work, frame: Frame, all: boolean): Target[] | { ask: string } => {
  const pending = latestPending(work.context);
  const words = wordsIn(work, frame);
  const at = words.findIndex((_, i) => isNth(work, frame.clause.from + i));
  const word = words[at];
  const nth =
    word === 'last' || word === 'latter'
      ? pending.at(-1)
      : pending[(word === 'former' ? 1 : (ORDINALS.get(word ?? '') ?? 0)) - 1];
  const targetOf = (plan: PendingPlan): Target => planTarget(plan, work.context.events);
  if (nth) return [targetOf(nth)];
  const both = words.some((one) => ['both', 'them', 'all', 'everything', 'these', 'those'].includes(one));
  if (pending.length === 1 || (pending.length > 1 && (all || both))) return pending.map(targetOf);
  if (pending.length === 0 && work.context.pending.length > 0)
    return { ask: 'What do you mean by “it”? Please name the event or the proposal.' };
  if (pending.length === 0) return { ask: 'What do you mean by “it”? Nothing is waiting for your answer.' };
  return {
    ask: `Which proposal do you mean: ${pending
      .slice(0, 5)
      .map(({ title }) => `“${title}”`)
      .join(', or ')}?`,
  };
};

/** 'and the same on Friday' is one more; 'the same but on Friday' is a change. */
const isAgain = (work: Work, frame: Frame): boolean => {
  const words = wordsIn(work, frame);
  if (words.includes('but') || words.includes('instead') || frame.act === 'make' || frame.act === 'move') return false;
  const adds =
    ['also', 'too', 'again', 'another', 'repeat'].some((word) => words.includes(word)) ||
    words.join(' ').includes('as well') ||
    words.join(' ').includes('once more');
  const days = facetsOf(frame.items).some(({ kind }) => kind === 'days' || kind === 'clock' || kind === 'period');
  return days && (adds || ADDING.has(words[0] ?? ''));
};

const anew = (target: Target, { target_plan_uid: _target, ...intent }: Intent): Intent => ({
  ...intent,
  content: target.title,
  ...(target.duration_minutes !== undefined && { duration_minutes: target.duration_minutes }),
  reasoning: `You ask for the same as “${target.title}” once more.`,
});

/** 'only until 15 December' of a pending series: its rule ends then. */
const endOfSeries = (work: Work, frame: Frame, target: Target): Intent | null => {
  const rrule = work.context.pending.find(({ uid }) => uid === target.uid)?.rrule;
  const [edge, ...more] = facetsFor(work, frame.items);
  if (!rrule || more.length > 0 || edge?.kind !== 'edge' || !edge.until) return null;
  const rule = `${rrule.replaceAll(/;?(?:UNTIL|COUNT)=[^;]*/g, '')};UNTIL=${untilText(edge.until, work.context.zone)}`;
  const content = sentence(`“${target.title}”: it ends on ${dayName(edge.until.subtract({ days: 1 }))}`);
  return { ...changeIntent(target, {}, frame, work), rrule: rule, content };
};

/** 'not on 10 December' of a pending series: its rule leaves these days out. */
const exceptionOfSeries = (work: Work, frame: Frame, target: Target): Intent | null => {
  const rrule = work.context.pending.find(({ uid }) => uid === target.uid)?.rrule;
  const facets = facetsFor(work, frame.items);
  const dates = facets.flatMap((facet) =>
    facet.kind === 'except' && facet.weekdays.length + facet.parts.length === 0 ? facet.dates : [],
  );
  if (!rrule || !target.scheduled_for || dates.length === 0 || facets.some(({ kind }) => kind !== 'except'))
    return null;
  const { zone } = work.context;
  const time = zoned(target.scheduled_for, zone).toPlainTime();
  const exdates = dates.map((date) => instantOf(date.toZonedDateTime({ timeZone: zone, plainTime: time })));
  const content = sentence(`“${target.title}”: not on ${dates.map((date) => dayName(date)).join(' and ')}`);
  return { ...changeIntent(target, {}, frame, work), rrule, exdates, content };
};

const confirms = (work: Work, frame: Frame, targets: readonly Target[]): boolean => {
  const { zone } = work.context;
  const [facet, ...more] = facetsFor(work, frame.items);
  return (
    phraseAt(work.tokens, frame.clause.from, AGREEING) !== null &&
    more.length === 0 &&
    facet?.kind === 'days' &&
    targets.every(
      ({ scheduled_for: at }) =>
        at && facet.days.some(({ weekday }) => weekday === zoned(at, zone).toPlainDate().dayOfWeek),
    )
  );
};

const BYDAY = /BYDAY=([A-Z,]+)/;
const CODES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
/** 'Thursdays too' of a pending series: a further weekday of its rule. */
const moreOfSeries = (work: Work, frame: Frame, target: Target): Intent | null => {
  const rrule = work.context.pending.find(({ uid }) => uid === target.uid)?.rrule;
  const known = rrule?.startsWith('FREQ=WEEKLY') ? BYDAY.exec(rrule)?.[1] : undefined;
  const facets = facetsFor(work, frame.items);
  const more = facets.flatMap((facet): readonly (number | undefined)[] =>
    facet.kind === 'days'
      ? facet.days.map(({ weekday, bare }) => (bare ? weekday : undefined))
      : facet.kind === 'every' && facet.unit === 'week'
        ? (facet.weekdays ?? [])
        : [undefined],
  );
  if (!rrule || !known || more.length === 0 || more.includes(undefined)) return null;
  const added = more.map((weekday) => CODES[weekday! - 1]!);
  const days = CODES.filter((code) => known.split(',').includes(code) || added.includes(code));
  const content = sentence(
    `“${target.title}”: on ${more.length} more ${more.length === 1 ? 'day' : 'days'} of each week`,
  );
  return { ...changeIntent(target, {}, frame, work), rrule: rrule.replace(BYDAY, `BYDAY=${days.join(',')}`), content };
};

/** A correction of the pending proposal: only what changes is set. */
export const correctPending = (work: Work, frame: Frame): Outcome => {
  const targets = pendingTargets(work, frame, false);
  if ('ask' in targets) return { intents: [], ask: targets.ask };
  // 'yes, Friday' of what waits on Friday
  if (confirms(work, frame, targets)) return { intents: [], ask: accepting(targets.map(({ title }) => title)) };
  const tagged = frame.tags.task_id ?? frame.tags.tempo_tag;
  const intents: Intent[] = [];
  for (const target of targets) {
    const ended =
      endOfSeries(work, frame, target) ??
      exceptionOfSeries(work, frame, target) ??
      (isAgain(work, frame) ? moreOfSeries(work, frame, target) : null);
    if (ended) {
      intents.push(ended);
      continue;
    }
    const change =
      tagged !== undefined && facetsFor(work, frame.items).length === 0
        ? { fields: {} }
        : correction(work, frame, target);
    if ('ask' in change) return { intents: [], ask: change.ask };
    const intent = changeIntent(target, change.fields, frame, work);
    const isOfEvent = work.context.pending.some(({ uid, target_event_uid: event }) => uid === target.uid && event);
    if (isOfEvent && isAgain(work, frame)) return { intents: [], ask: 'Of which event do you want that too? Name it.' };
    intents.push(isAgain(work, frame) ? anew(target, intent) : intent);
  }
  return { intents };
};

export const dismissPending = (work: Work, frame: Frame): Outcome => {
  const targets = pendingTargets(work, frame, true);
  return 'ask' in targets
    ? { intents: [], ask: targets.ask }
    : { intents: targets.map((target) => cancelIntent(target, frame, work)) };
};

/** 'with Tom too', 'at the office': more words for the title of the pending proposal. */
export const addWords = (work: Work, frame: Frame): Outcome | null => {
  const [plan, ...more] = latestPending(work.context);
  const [first] = frame.items;
  const opens = first && phraseAt(work.tokens, first.from, '(and/) (with/at/in/about)');
  if (
    !plan ||
    more.length > 0 ||
    !opens ||
    plan.action_type !== 'schedule' ||
    frame.items.some(({ facets }) => facets.length > 0)
  )
    return null;
  const words = phraseOf(
    work.tokens,
    frame.items.filter(({ from }) => from >= opens),
  ).replace(/,? (?:too|also|as well)$/i, '');
  const preposition = wordAt(work.tokens, opens - 1);
  if (!words || words.split(' ').length > 6) return null;
  const title = `${plan.title} ${preposition === 'with' && / with /i.test(plan.title) ? 'and' : preposition} ${words}`;
  return { intents: [{ ...changeIntent(planTarget(plan), { arguments: { title } }, frame, work), title }] };
};

/** 'call it Budget review'. */
const nameIn = (work: Work, frame: Frame): string =>
  newName(work, frame).name ||
  phraseOf(
    work.tokens,
    frame.items.map((item) => ({ ...item, facets: [] })),
  );

/** 'move it to Friday and call it Budget review': what was asked for just before in the same prompt. */
export const renameLast = (work: Work, frame: Frame, last: readonly Intent[]): Outcome => {
  const title = nameIn(work, frame);
  if (!title) return { intents: [...last], ask: 'What should it be called?' };
  if (last.some(({ arguments: own }) => own.cancel))
    return { intents: [...last], ask: 'What is cancelled gets no new name. Which of the two do you want?' };
  if (new Set(last.map((intent) => intent.title)).size > 1)
    return { intents: [...last], ask: 'Which of those do you want to rename?' };
  return {
    intents: last.map((intent) => {
      const event = eventOf(work, intent);
      const named = event || intent.target_plan_uid ? { arguments: { ...intent.arguments, title } } : {};
      const next = { ...intent, ...named, ...(!event && { title }) };
      const content = event ? describe(event, next, work) : title;
      return { ...next, content };
    }),
  };
};

export const renamePending = (work: Work, frame: Frame): Outcome => {
  const targets = pendingTargets(work, frame, false);
  if ('ask' in targets) return { intents: [], ask: targets.ask };
  const title = nameIn(work, frame);
  if (!title) return { intents: [], ask: 'What should it be called?' };
  return {
    intents: targets.map((target) => ({ ...changeIntent(target, { arguments: { title } }, frame, work), title })),
  };
};
