/** The agenda: a list by day. */
import { proposerOf, waiting } from '../state/data.ts';
import { isRead } from '../state/resource.ts';
import { addDays, clockText, lengthText, longDate, today } from '../state/wall-time.ts';
import { actionOf } from '../ui/proposal-facts.tsx';
import { Foreign } from '../ui/text.tsx';
import { Way } from '../ui/way.tsx';
import { After, Before, blockHandlers, looksOf, Mark } from '../grid/block-view.tsx';
import type { Block } from '../grid/block.ts';
import { blocks, events, shown } from '../grid/blocks.ts';
import { changeOf } from '../grid/later.ts';
import { onDay } from '../grid/place.ts';

/** What the line says beside title and time. A reader hears the change of an event with the block. */
const About = ({ block }: { block: Block }) => {
  const length = block.allDay ? '' : lengthText(block.minutes);
  if (block.kind === 'event') {
    const change = changeOf(block);
    return (
      <small>
        {length}
        {change && <span aria-hidden="true">{`${length && ' · '}${change}`}</span>}
      </small>
    );
  }
  return (
    <small>
      {`${length}${length && ' · '}${actionOf(block.plan)} · proposed by `}
      <Foreign>{proposerOf(block.plan)}</Foreign>
    </small>
  );
};

const Line = ({ block }: { block: Block }) => (
  <li class={`line ${block.kind}`} {...looksOf(block)}>
    <button type="button" class="body" {...blockHandlers(block)}>
      <Before block={block} />
      <span class="time">{block.allDay ? 'All day' : clockText(block.start.minutes)}</span>
      <span class="what">
        <Foreign lines={2}>{block.title}</Foreign>
        <About block={block} />
      </span>
      <After block={block} />
    </button>
    {block.kind === 'ghost' && <Mark block={block} />}
  </li>
);

/** The first day is listed whole. Thousands of lines would take seconds to draw. */
const MOST_OF_DAY = 40;

export const Agenda = () => {
  const { first, days } = shown.value;
  const all = blocks.value;
  const filled = Array.from({ length: days }, (_, n) => addDays(first, n))
    .map((date) => ({ date, here: onDay(date, all) }))
    .filter(({ here }) => here.length);
  // Proposals between the events would move them.
  if (!isRead(events) || !isRead(waiting)) return null;
  if (!filled.length) return events.data.value ? <p class="empty">Nothing in these {days} days.</p> : null;
  return (
    <div class="agenda">
      {filled.map(({ date, here }) => (
        <section key={date}>
          <h2 data-today={date === today() ? '' : undefined}>{longDate(date)}</h2>
          <ul>
            {here.slice(0, date === first ? undefined : MOST_OF_DAY).map((block) => (
              <Line key={block.key} block={block} />
            ))}
          </ul>
          {date !== first && here.length > MOST_OF_DAY && (
            <Way to="./" with={{ view: 'agenda', date }}>
              {here.length - MOST_OF_DAY} more on {longDate(date)}
            </Way>
          )}
        </section>
      ))}
    </div>
  );
};
